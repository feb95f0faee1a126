"""Commands that keep a knowledge base whole: doctor, backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knarr.cli import exits, page
from knarr.cli.options import DEFAULT_KB, JsonOption, KbOption, open_base
from knarr.cli.progress import progress_count, progress_line

if TYPE_CHECKING:
    from knarr.care.backup import BackupReport
    from knarr.care.health import Finding


def doctor(
    kb: KbOption = DEFAULT_KB,
    repair: Annotated[
        bool, typer.Option("--repair", help="Make anew what is derived. Nothing else is deleted.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a knowledge base: files, catalog, documents, vectors, abstracts, learnt edges, index.

    One that cannot be opened is checked too. Without --repair nothing is changed. Exit code 4 says that something
    is wrong and not repaired.
    """
    import knarr

    with progress_count("looking at", names=True) as progress:
        health = knarr.doctor(kb, repair=repair, progress=progress)
    if as_json:
        page.say_json({"ok": health.ok, **page.plain(health)})
    else:
        for finding in health.findings:
            _show(finding)
        looked = ", ".join(f"{n:,} {what}" for what, n in health.looked_at.items() if n)
        verdict = page.good("nothing is wrong") if health.ok else page.bad("something is wrong")
        page.say(f"{verdict}  {page.dim(f'looked at {looked}' if looked else 'nothing could be looked at')}")
    if not health.ok:
        raise typer.Exit(exits.INCOMPLETE)


def _show(finding: Finding) -> None:
    where = f"{finding.where}: " if finding.where else ""
    mark = page.good("repaired") if finding.repaired else page.bad(finding.severity)
    told = f"repair: {finding.repaired}" if finding.repaired else f"help: {finding.help}"
    page.say(f"{mark}  {finding.part}  {page.clean_line(f'{where}{finding.what}')}  {page.dim(told)}")


def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write, such as base-2026-12-01.zip.")
    ],
    kb: KbOption = DEFAULT_KB,
    as_json: JsonOption = False,
) -> None:
    """Save all of a knowledge base to one file, with hashes, while others use it."""
    with open_base(kb) as base, progress_line("saving") as progress:
        report = base.backup(file, progress=progress)
    _tell(report, f"saved {kb} to {file}", as_json)


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    kb: Annotated[
        Path, typer.Option("--kb", metavar="NEW", help="The folder to make; nothing may be there.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Make a knowledge base of a backup. It is verified first, and nothing is overwritten."""
    import knarr

    with progress_line("restoring") as progress:
        report = knarr.restore(file, kb, progress=progress)
    _tell(report, f"restored {kb} from {file}", as_json)


def _tell(report: BackupReport, what: str, as_json: bool) -> None:
    if as_json:
        page.say_json(report)
        return
    counted = page.count(sum(part.counts.get("documents", 0) for part in report.parts), "document")
    size = page.size(sum(part.size_bytes for part in report.parts))
    tenants = f", {page.count(len(report.parts) - 1, 'tenant')}" if len(report.parts) > 1 else ""
    page.say(f"{what}  {page.dim(f'{counted}{tenants}, {size}, made {report.made_at}')}")
