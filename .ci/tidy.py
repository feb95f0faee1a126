"""clang-tidy over the core, several files as one.

    python .ci/tidy.py BUILD

Most of what clang-tidy does for a file is to read and check the headers of the standard library, so files are
checked in groups: as one that includes them. In a group no file says a name that another one keeps to itself (in an
anonymous namespace, or as a macro), so that each means what it means alone. Names that are brought in for nothing
are looked for here, since clang-tidy looks for them in the outermost file only. BUILD has compile_commands.json.
Prints what was found and exits with 1, or says how many files are clean.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 16  # files of a group: enough to share the headers, few enough to keep all cores busy
INCLUDED = re.compile(r'^#include "(.+)"', re.MULTILINE)
PRIVATE = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
# At the begin of a line: a type, or what is declared with one before it.
DEFINED = re.compile(
    r"^(?:(?:struct|class|enum(?: class)?|using) (\w+)|[\w\[][\w\[\]<>:,&* ]*[\w>&*\]] [&*]*(\w+)(?:\(| =|\{|\[|;))",
    re.MULTILINE,
)
BROUGHT_IN = re.compile(r"^\s*using (?:\w+::)+(\w+);", re.MULTILINE)


def sources() -> list[Path]:
    """Of the core, without the Python module's."""
    return [file for file in sorted((ROOT / "cpp").rglob("*.cc")) if file.parent.name != "bindings"]


@cache
def code(file: Path) -> str:
    """A file without its comments."""
    return re.sub(r"//(?!  ?namespace$| namespace$).*", "", file.read_text(encoding="utf-8"))


def own_names(file: Path) -> set[str]:
    """What a file defines for itself alone."""
    text = file.read_text(encoding="utf-8")
    private = DEFINED.findall("\n".join(PRIVATE.findall(text)))
    return {name for names in private for name in names if name} | set(MACRO.findall(text))


@cache
def constants(name: str) -> set[str]:
    """Those that a header of ours says, or one that it includes."""
    header = ROOT / "cpp" / name
    if not header.exists():
        return set()
    own = set(re.findall(r"\bk[A-Z]\w*", code(header)))
    return own.union(*(constants(other) for other in INCLUDED.findall(code(header))))


def said(file: Path) -> set[str]:
    """The words of a file, and the constants of the headers that it includes."""
    words = set(re.findall(r"\w+", code(file)))
    return words.union(*(constants(name) for name in INCLUDED.findall(code(file))))


def groups(files: list[Path]) -> list[list[Path]]:
    """The files, each in the first group that it fits into."""
    names = {file: own_names(file) for file in files}
    words = {file: said(file) for file in files}
    found: list[list[Path]] = []
    for file in files:
        for group in found:
            if len(group) < MOST and not any(names[file] & words[x] or names[x] & words[file] for x in group):
                group.append(file)
                break
        else:
            found.append([file])
    return found


def brought_in_for_nothing(file: Path) -> list[str]:
    """A line for each name that is brought in and not said again."""
    names = BROUGHT_IN.findall(code(file))
    return [f"{file}: using {n} is unused" for n in names if len(re.findall(rf"\b{n}\b", code(file))) < 2]


def write(build: Path, files: list[Path]) -> list[Path]:
    """A file that includes each group, and how each is compiled."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    like = next(each for each in commands if each["file"] == str(files[0]))
    folder, entries = build / "tidy", []
    folder.mkdir(exist_ok=True)
    for number, group in enumerate(groups(files)):
        path = folder / f"group_{number}.cc"
        lines = [f'#include "{file}"  // NOLINT(bugprone-suspicious-include)\n' for file in group]
        path.write_text("".join(lines), encoding="utf-8")
        command = like["command"].replace(like["file"], str(path))
        entries.append(like | {"file": str(path), "command": command})
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    return [Path(each["file"]) for each in entries]


def tidy(group: Path) -> str:
    """What is found, empty if nothing."""
    command = [
        "clang-tidy",
        "--quiet",
        f"--config-file={ROOT / '.clang-tidy'}",
        "-p",
        str(group.parent),
        str(group),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout or (done.stderr if done.returncode else "")


def main() -> None:
    files = sources()
    written = write(Path(sys.argv[1]).resolve(), files)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(tidy, written) if text]
    found += [line for file in files for line in brought_in_for_nothing(file)]
    print("\n".join(found) if found else f"clang-tidy: {len(files)} files in {len(written)} groups are clean")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
