"""Who may see what, the dull way: every rule is held against every document, one by one, on plain text."""

from __future__ import annotations

from dataclasses import dataclass, field

from knarr.types import Principal

Rule = tuple[str, str, str, str]  # uri, kind, whom, name


def is_below(uri: str, top: str) -> bool:
    return uri == top or uri.startswith(top if top.endswith("/") else f"{top}/")


def names(rule: Rule, principal: Principal) -> bool:
    _, _, whom, name = rule
    if whom == "everyone":
        return True
    if whom == "subject":
        return name == principal.subject
    return name in principal.groups


@dataclass
class Oracle:
    """The rules, and the secret words of each document that there is: `secrets[uri]`."""

    rules: set[Rule] = field(default_factory=set)
    secrets: dict[str, str] = field(default_factory=dict)

    def sees(self, principal: Principal, document: str) -> bool:
        granted = hidden = False
        for rule in self.rules:
            uri, kind, _, name = rule
            on_path, inside = is_below(document, uri), is_below(uri, document)
            if kind == "grant":
                granted = granted or (on_path and names(rule, principal))
            elif on_path or inside:
                hidden = hidden or (
                    name not in principal.labels if kind == "label" else names(rule, principal)
                )
        return granted and not hidden

    def seen(self, principal: Principal) -> set[str]:
        return {document for document in self.secrets if self.sees(principal, document)}

    def move(self, source: str, target: str) -> None:
        def there(uri: str) -> str:
            return target + uri[len(source) :] if is_below(uri, source) else uri

        self.secrets = {there(uri): word for uri, word in self.secrets.items()}
        self.rules = {(there(rule[0]), *rule[1:]) for rule in self.rules}

    def remove(self, top: str) -> None:
        self.secrets = {uri: word for uri, word in self.secrets.items() if not is_below(uri, top)}
