"""Plain characters for parsers: `knarr.language.characters` says what they are. Grep and Search make patterns and
queries plain by the same functions, without loading this room."""

from knarr.language.characters import plain_characters, plain_lines

__all__ = ["plain_characters", "plain_lines"]
