"""What a public method was given, held against its annotations before anything is done.

A wrong value is refused where it comes in, with its name, the value and what was expected, and not by whichever
library meets it first, half-way. `@checked` reads the annotations once, when the method is defined; a call costs a
look at each argument that was given. Checked are plain values: text, numbers, paths, literals and sequences of
text. What it does not know, such as a protocol, it lets pass.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt

from knarr.errors import InvalidArgument

if TYPE_CHECKING:
    from knarr.types import Kind

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Text = TypeVar("_Text", bound=str)

Test = Callable[[object], bool]

_MAX_SHOWN = 80
_PATH = "a path as str or Path, not empty and without NUL"


def checked(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Refuse arguments that do not fit the annotations with InvalidArgument."""
    positional, tests = _tests(function)

    def check(args: Sequence[object], named: dict[str, Any]) -> None:
        for name, value in zip(positional, args, strict=False):
            if name in tests:
                _hold(name, value, *tests[name])
        for name, value in named.items():
            if name in tests:
                _hold(name, value, *tests[name])

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def later(*args: _P.args, **named: _P.kwargs) -> Any:
            check(args, named)
            return await function(*args, **named)

        return cast(Callable[_P, _T], later)

    @functools.wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _T:
        check(args, named)
        return function(*args, **named)

    return call


def hold(values: Mapping[str, object], annotations: Mapping[str, object]) -> None:
    """Hold options against the annotations of a TypedDict, as `checked` does with arguments."""
    for name, value in values.items():
        annotation = annotations[name]
        found = _of_annotation(getattr(annotation, "__forward_arg__", annotation))
        if found is not None:
            _hold(name, value, *found)


def shown(value: object) -> str:
    """A value for a message: short, and with a UTF-8 form."""
    try:
        text = repr(value)
    except Exception:  # of a class of the caller's
        text = f"a {type(value).__name__}"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def has_utf8(text: str) -> bool:
    """Whether a text has a UTF-8 form: a lone surrogate has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def path_text(value: object, name: str = "path") -> str:
    """A path as text. Raises InvalidArgument for another type, an empty one and one that no system has."""
    _hold(name, value, _PATH, (_is_path,))
    return os.fspath(cast(str, value))


def _hold(name: str, value: object, expected: str, tests: tuple[Test, ...]) -> None:
    if not any(test(value) for test in tests):
        raise InvalidArgument(f"{name}: expected {expected}, got {shown(value)}")


def _tests(function: Callable[..., object]) -> tuple[list[str], dict[str, tuple[str, tuple[Test, ...]]]]:
    """The names of the positional parameters, and for each that is checked what is expected of it."""
    tests: dict[str, tuple[str, tuple[Test, ...]]] = {}
    positional = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(parameter.name)
        found = _of_annotation(parameter.annotation)
        if found is not None:
            tests[parameter.name] = found
    return positional, tests


def _of_annotation(annotation: object) -> tuple[str, tuple[Test, ...]] | None:
    # Together they mean a path, which has rules of its own.
    parts = _alternatives(str(annotation).replace("str | Path", "Path"))
    found = [_test(part) for part in parts]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return " or ".join(word for word, _ in known), tuple(test for _, test in known)


def _alternatives(annotation: str) -> list[str]:
    """`A[B | C] | None` as `A[B | C]` and `None`."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _test(annotation: str) -> tuple[str, Test] | None:
    """What is expected of one alternative of an annotation, and whether a value is that; None for what is not
    checked."""
    if annotation.startswith("Literal["):
        allowed = ast.literal_eval(f"({annotation[8:-1]},)")
        return " or ".join(f'"{one}"' for one in allowed), lambda value: _is_one_of(value, allowed)
    if annotation in ("Sequence[Kind]", "Kind"):
        return '"chunk", "abstract" or both', _is_kinds
    if annotation in ("Sequence[str]", "Iterable[str]", "Collection[str]", "tuple[str, ...]"):
        return "texts", _are_texts
    members = _MEMBERS.get(annotation)
    if members is not None:
        return f"a {annotation}", lambda value: all(hasattr(value, name) for name in members)
    return _PLAIN.get(annotation)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and has_utf8(value)


def _is_integer(value: object) -> bool:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return False
    try:
        return -(2**63) <= operator.index(cast(int, value)) < 2**63
    except TypeError:  # NumPy's bools, and its arrays
        return False


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return False
    try:
        return not math.isnan(float(cast(float, value)))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_truth(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def _is_path(value: object) -> bool:
    if not isinstance(value, (str, os.PathLike)):
        return False
    text = os.fspath(value)
    if not isinstance(text, str) or not text or "\0" in text:
        return False
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _are_texts(value: object) -> bool:
    if isinstance(value, (str, bytes, bytearray)) or not isinstance(value, Iterable):
        return False
    # Others may be read only once, by whoever takes them.
    return all(_is_text(one) for one in value) if isinstance(value, (Sequence, Set)) else True


def _is_one_of(value: object, allowed: tuple[object, ...]) -> bool:
    return isinstance(value, str) and value in allowed


def _is_kinds(value: object) -> bool:
    given = (value,) if isinstance(value, str) else value
    # An iterator would be used up here, and the search find nothing.
    return isinstance(given, Collection) and all(_is_one_of(one, ("chunk", "abstract")) for one in given)


_PLAIN: dict[str, tuple[str, Test]] = {
    "str": ("text that has a UTF-8 form", _is_text),
    "int": ("an integer of at most 64 bits", _is_integer),
    "float": ("a number", _is_number),
    "bool": ("True or False", _is_truth),
    "None": ("None", lambda value: value is None),
    "Path": (_PATH, _is_path),
    "datetime": ("a datetime", lambda value: isinstance(value, datetime)),
    "PolicyName": ("the name of one", _is_text),
    "Progress": ("a function", callable),
    "Mapping[str, bool]": ("a mapping", lambda value: isinstance(value, Mapping)),
    "Settings": ("knarr.Settings", lambda value: _is_named("Settings", value)),
    "Trace": ("a Trace", lambda value: _is_named("Trace", value)),
}
# Protocols of rooms above this one, by what every object of theirs has.
_MEMBERS = {
    "ChatModel": ("name",),
    "Embedder": ("id", "dim", "tokenizer"),
    "Judge": ("keep",),
    "Policy": ("decide",),
    "Writable": ("write",),
}


def _is_named(name: str, value: object) -> bool:
    """By name, since the class is in a room above this one."""
    return any(base.__name__ == name for base in type(value).__mro__)


# ---------------------------------------------------------------------- what the native core is given


def integer_of(value: int, name: str) -> int:
    """An integer of 64 bits; the engine checks its range."""
    try:
        number = operator.index(value)
    except TypeError:  # also of NumPy's arrays
        raise InvalidArgument(f"{name}: expected an integer, got {shown(value)}") from None
    if not -(2**63) <= number < 2**63:
        raise InvalidArgument(f"{name}: {number} is out of range")
    return number


def number_of(value: float, name: str) -> float:
    """A number; the engine checks its range."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, str | bytes) or math.isnan(number):
        raise InvalidArgument(f"{name}: expected a number, got {shown(value)}")
    return number


def seconds_of(value: float, name: str) -> int:
    number = number_of(value, name)
    if not abs(number) < 2**63:
        raise InvalidArgument(f"{name}: {value!r} is out of range")
    return int(number)


def path_bytes(value: str | os.PathLike[str]) -> bytes:
    """A path as the system takes it."""
    try:
        path = os.fsencode(value)
    except (TypeError, UnicodeEncodeError):
        path = b""
    if not path or b"\0" in path:
        raise InvalidArgument(f"path: expected {_PATH}, got {shown(value)}")
    return path


def kinds_of(value: Kind | Iterable[Kind] | None) -> Kind | Iterable[Kind] | None:
    """Kinds; the engine checks their names."""
    if value is None or hasattr(value, "__iter__"):
        return value
    raise InvalidArgument(f'kinds: expected "chunk", "abstract" or both, got {shown(value)}')


def texts_of(value: Sequence[_Text], name: str) -> Sequence[_Text]:
    """Several texts; the engine checks each."""
    if hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        return value
    raise InvalidArgument(f"{name}: expected a sequence of texts, got {shown(value)}")


def array_of(value: npt.NDArray[np.float32], name: str) -> npt.NDArray[np.float32]:
    """An array; the engine checks its type, shape and layout."""
    if not isinstance(value, np.ndarray):
        raise InvalidArgument(
            f"{name}: expected a float32 array, got {type(value).__name__}; "
            "numpy.ascontiguousarray(x, dtype=numpy.float32) converts"
        )
    return value
