"""One request to a chat server, tried until a body holds a reply or trying again cannot help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from knarr.errors import ChatError, ContextOverflow, FailureKind
from knarr.models.chat.refusals import error_within, is_overflow, window_named
from knarr.models.chat.replies import Unreadable, read_reply
from knarr.models.chat.stream import is_stream, join_stream
from knarr.models.chat.types import ChatReply
from knarr.models.chat.wire import Habits, after_refusal, encoded, names_format
from knarr.models.server.client import Lost, Reply, read_json
from knarr.models.server.refusals import fix_for, is_busy, is_page, kind_of, message_of, wait_s

PREFIX = "KNARR_CHAT"

_BUSY_TRIES = 5
_LOST_TRIES = 3
_READ_TRIES = 3  # of replies that cannot be read: each one has been paid for
_MOST_JSON_BYTES = 8 << 20  # read as a whole, JSON of empty lists takes twenty times its bytes
_LEAST_WINDOW = 256
_TOO_LATE = f"gave no reply in time; a longer {PREFIX}_TIMEOUT_S may help"


class Send(Protocol):
    """Sends the bytes of a request and gives the reply within `left_s` seconds. Raises Lost."""

    def __call__(self, content: bytes, *, left_s: float) -> Reply: ...


class Turn:
    """Runs once.

    send:         asks the server
    body:         the request body for a server with these habits
    until:        on `clock`, when the time for all tries is over
    name_error:   a message about the server as the user may see it
    hide:         a text of the server without secrets
    habits:       after `run`: the habits that the server was found to have
    named_window: tokens of the window that an overflow error named, 0 for none
    """

    def __init__(
        self,
        *,
        send: Send,
        body: Callable[[Habits], dict[str, Any]],
        until: float,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        name_error: Callable[[str], str],
        hide: Callable[[str], str],
    ) -> None:
        self._send = send
        self._body = body
        self._until = until
        self._sleep = sleep
        self._clock = clock
        self._name_error = name_error
        self._hide = hide
        self._busy = self._lost = self._unread = 0
        self.habits = Habits()
        self.named_window = 0

    def run(self, habits: Habits) -> tuple[ChatReply, Any]:
        """The reply, and the body it was read from. Raises ChatError and ContextOverflow."""
        self.habits = habits
        while True:
            sent = self._body(self.habits)
            try:
                return self._read(self._post(sent))
            except _Refused as refused:
                self._take_refusal(refused, sent)
            except Lost as lost:
                self._take_loss(lost)
            except Unreadable as unread:
                self._unread += 1
                self._pause(0.0, self._unread, _READ_TRIES, unread.kind, f"gave {unread}")

    def _post(self, sent: dict[str, Any]) -> bytes:
        """The bytes of a reply with a good status."""
        left = self._left_s()
        try:
            content = encoded(sent)
        except ValueError as error:
            raise self._error("refused", f"was not asked: the request is not JSON ({error})") from None
        reply = self._send(content, left_s=left)
        if not 200 <= reply.status < 300:
            raise _Refused(reply.status, reply.headers, reply.text)
        return reply.body

    def _read(self, raw: bytes) -> tuple[ChatReply, Any]:
        """Raises Unreadable, or _Refused for an error that came with a good status."""
        try:
            body = join_stream(raw) if is_stream(raw) else self._json(raw)
            error = error_within(body)
            if error is not None:
                raise _Refused(error[0], {}, error[1])
            return read_reply(body), body
        except RecursionError:
            raise Unreadable("a reply that is nested too deeply") from None

    def _json(self, raw: bytes) -> Any:
        if not raw.strip():
            raise Unreadable("an empty reply", "empty")
        if len(raw) > _MOST_JSON_BYTES:
            raise self._error("too_large", f"sent {len(raw):,} bytes of JSON, which no reply has")
        start = raw[:2_000].decode("utf-8", "replace")
        if is_page(start):
            told = message_of(start, self._hide)
            raise self._error("protocol", f"answered with {told}; {PREFIX}_URL should end in /v1")
        try:
            return read_json(raw)
        except ValueError:
            raise Unreadable("a reply that is not JSON, or is cut") from None

    def _take_refusal(self, refused: _Refused, sent: Mapping[str, Any]) -> None:
        """Wait, or change the habits, so that trying again makes sense. Raises when it never would."""
        status, message = refused.status, message_of(refused.body, self._hide)
        if is_overflow(status, refused.body):
            window = window_named(refused.body)
            self.named_window = window if window >= _LEAST_WINDOW else 0
            raise ContextOverflow(
                self._name_error(f"has too small a window for this request: {message}")
            ) from None
        kind = kind_of(status, refused.body)
        explained = status in (400, 422) or (status >= 500 and names_format(message))
        if explained and kind != "unknown_model":
            other = after_refusal(self.habits, sent, message)
            if other is not None:
                self.habits = other
                return
        if not is_busy(status, refused.body):
            fix = fix_for(status, kind, PREFIX)
            raise self._error(kind, f"answered {status}: {message}" + (f" ({fix})" if fix else ""))
        wait = wait_s(refused.headers, self._busy)
        self._busy += 1
        self._pause(
            wait, self._busy, _BUSY_TRIES, kind, f"is busy or broken, it answered {status}: {message}"
        )

    def _take_loss(self, lost: Lost) -> None:
        """Wait for the next try where it may go better. Raises where it will not."""
        text = _TOO_LATE if lost.kind == "timeout" else str(lost)
        if not lost.worth_again:
            raise self._error(lost.kind, text)
        self._lost += 1
        self._pause(2.0 ** (self._lost - 1), self._lost, _LOST_TRIES, lost.kind, text)

    def _pause(self, wait_s: float, tried: int, most: int, kind: FailureKind, message: str) -> None:
        """Wait for the next try. Raises ChatError when that was the last try, or the next would come too
        late."""
        if tried >= most:
            raise self._error(kind, f"{message} (tried {tried} times)")
        left = self._left_s(kind, message)
        if wait_s >= left:
            raise self._error(
                kind, f"{message} (the next try is due in {wait_s:.0f} s, {left:.0f} s are left)"
            )
        if wait_s > 0:
            self._sleep(wait_s)

    def _left_s(self, kind: FailureKind = "timeout", message: str = _TOO_LATE) -> float:
        left = self._until - self._clock()
        if left <= 0:
            raise self._error(kind, message)
        return left

    def _error(self, kind: FailureKind, text: str) -> ChatError:
        error = ChatError(self._name_error(text), kind)
        error.__suppress_context__ = True  # what happened below is in the text, without its secrets
        return error


class _Refused(Exception):
    """An answer with a bad status, or an error in the place of a reply."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body
