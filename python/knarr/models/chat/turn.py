"""One request to a server, tried until a body holds a reply or trying again cannot help."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import refusals
from knarr.models.chat.replies import Unreadable, read_reply
from knarr.models.chat.stream import is_stream, join_stream
from knarr.models.chat.types import ChatReply
from knarr.models.chat.wire import Habits, after_refusal, names_format

_BUSY_TRIES = 5
_REACH_TRIES = 3
_READ_TRIES = 3  # of replies that cannot be read: each one has been paid for
_CONNECT_S = 10.0
_MOST_BYTES = 64 << 20
_LEAST_WINDOW = 256
_TOO_LATE = "gave no reply in time; a longer KNARR_CHAT_TIMEOUT_S may help"


class Turn:
    """Runs once.

    send:         sends a chat completion, a context manager around its streamed bytes
    body:         the request body for a server with these habits
    until:        on `clock`, when the time for all tries is over
    name_error:   a message about the server as the user may see it
    habits:       after `run`: the habits that the server was found to have
    named_window: tokens of the window that an overflow error named, 0 for none
    """

    def __init__(
        self,
        *,
        send: Callable[..., Any],
        body: Callable[[Habits], dict[str, Any]],
        until: float,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        name_error: Callable[[str], str],
    ) -> None:
        self._send = send
        self._body = body
        self._until = until
        self._sleep = sleep
        self._clock = clock
        self._name_error = name_error
        self._busy = self._unreached = self._unread = 0
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
            except _Unreached as lost:
                self._unreached += 1
                self._pause(2.0 ** (self._unreached - 1), self._unreached, _REACH_TRIES, str(lost))
            except Unreadable as unread:
                self._unread += 1
                self._pause(0.0, self._unread, _READ_TRIES, f"gave {unread}")

    def _post(self, sent: dict[str, Any]) -> bytes:
        """The bytes of a reply with a good status."""
        import httpx
        import openai

        left = self._left_s()
        try:
            timeout = httpx.Timeout(left, connect=min(_CONNECT_S, left))
            with self._send(**sent, timeout=timeout) as reply:
                return self._collect(reply)
        except openai.APIStatusError as error:
            raise _Refused(error.status_code, error.response.headers, error.response.text) from None
        except (openai.APITimeoutError, httpx.TimeoutException):
            raise _Unreached(_TOO_LATE) from None
        except (openai.APIConnectionError, httpx.HTTPError) as error:
            cause = error.__cause__ or error
            fix = "is the server running, and KNARR_CHAT_URL right?"
            raise _Unreached(f"cannot be reached ({cause}); {fix}") from None
        except (openai.OpenAIError, UnicodeError) as error:
            raise self._error(f"could not be asked ({type(error).__name__}); check KNARR_CHAT_KEY") from None

    def _collect(self, reply: Any) -> bytes:
        found = bytearray()
        for block in reply.iter_bytes():
            found += block
            self._left_s()
            if len(found) > _MOST_BYTES:
                raise self._error(f"sent more than {_MOST_BYTES} bytes") from None
        return bytes(found)

    def _read(self, raw: bytes) -> tuple[ChatReply, Any]:
        """Raises Unreadable, or _Refused for an error that came with a good status."""
        body = join_stream(raw) if is_stream(raw) else self._json(raw.decode("utf-8", "replace"))
        error = refusals.error_within(body)
        if error is not None:
            raise _Refused(error[0], {}, error[1])
        return read_reply(body), body

    def _json(self, text: str) -> Any:
        if refusals.is_page(text):
            raise self._error(
                f"answered with {refusals.message_of(text)}; KNARR_CHAT_URL should end in /v1"
            ) from None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Unreadable("a reply that is not JSON, or is cut") from None

    def _take_refusal(self, refused: _Refused, sent: Mapping[str, Any]) -> None:
        """Wait, or change the habits, so that trying again makes sense. Raises when it never would."""
        status, message = refused.status, refusals.message_of(refused.body)
        if refusals.is_overflow(status, refused.body):
            window = refusals.window_named(refused.body)
            self.named_window = window if window >= _LEAST_WINDOW else 0
            raise ContextOverflow(
                self._name_error(f"has too small a window for this request: {message}")
            ) from None
        if status in (400, 422) or (status >= 500 and names_format(message)):
            other = after_refusal(self.habits, sent, message)
            if other is not None:
                self.habits = other
                return
        if not refusals.is_busy(status, refused.body):
            fix = refusals.fix_for(status)
            raise self._error(f"answered {status}: {message}" + (f" ({fix})" if fix else "")) from None
        wait = refusals.wait_s(refused.headers, self._busy)
        self._busy += 1
        self._pause(wait, self._busy, _BUSY_TRIES, f"is busy or broken, it answered {status}: {message}")

    def _pause(self, wait_s: float, tried: int, most: int, message: str) -> None:
        """Wait for the next try. Raises ChatError when that was the last try, or the next would come too
        late."""
        if tried >= most:
            raise self._error(f"{message} (tried {tried} times)") from None
        left = self._left_s(message)
        if wait_s >= left:
            raise self._error(
                f"{message} (the next try is due in {wait_s:.0f} s, {left:.0f} s are left)"
            ) from None
        if wait_s > 0:
            self._sleep(wait_s)

    def _left_s(self, message: str = _TOO_LATE) -> float:
        left = self._until - self._clock()
        if left <= 0:
            raise self._error(message) from None
        return left

    def _error(self, text: str) -> ChatError:
        return ChatError(self._name_error(text))


class _Refused(Exception):
    """An answer with a bad status, or an error in the place of a reply."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


class _Unreached(Exception):
    """No answer: the text says how, and what may help."""
