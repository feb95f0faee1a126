"""Any OpenAI-compatible server as a `ChatModel`.

A turn is tried until it succeeds, its time is over, or trying again cannot help. Busy servers are waited
for as they ask; what a server does not take (a reply's form, a parameter) is left out and remembered; a
reply that cannot be read is asked for again. Nothing that a model says is an error. Messages of errors
never hold the key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from knarr.errors import ChatError, ContextOverflow, FailureKind
from knarr.models.chat.count import TokenCounter, reply_texts
from knarr.models.chat.replies import read_usage
from knarr.models.chat.server_info import ask_window, first_chat_model, names_listed
from knarr.models.chat.stream import END
from knarr.models.chat.turn import PREFIX, Turn
from knarr.models.chat.types import ChatReply, ChatRequest
from knarr.models.chat.wire import Habits, body_of
from knarr.models.server.address import parse_address
from knarr.models.server.client import CONNECT_S, Lost, Reply, Server, read_json
from knarr.models.server.refusals import fix_for, kind_of
from knarr.types import ModelUsage

if TYPE_CHECKING:
    import httpx

_DISCOVERY_S = 10.0
_MOST_REPLY_BYTES = 32 << 20  # a stream takes some 250 bytes a token
_MOST_LIST_BYTES = 4 << 20
_NAMES_SHOWN = 5


class OpenAIChat:
    """Chat completions of the server at `url` (…/v1). Any thread may use it.

    model:        "" takes the first that the server lists
    window:       tokens, 0 to ask the server (8192 when it does not tell)
    timeout_s:    for one turn, all tries together
    connect_s:    for making a connection, all tries together: a dead server is told after that time
    prices:       input, cached input, output, per million tokens; they make `ModelUsage.cost`
    stream:       whether to ask for streamed replies; the reply is the same
    temperature:  None to leave it to the server
    transport, sleep, clock:  for tests

    Raises ChatError at once for a `url` that is none, and for a key that cannot be sent.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        key: str = "",
        *,
        window: int = 0,
        timeout_s: float = 120.0,
        connect_s: float = CONNECT_S,
        prices: tuple[float, float, float] = (0.0, 0.0, 0.0),
        stream: bool = False,
        temperature: float | None = 0.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            address = parse_address(url, key, PREFIX)
        except ValueError as error:
            raise ChatError(str(error), "unconfigured") from None
        self._server = Server(
            address, PREFIX, connect_s=connect_s, transport=transport, sleep=sleep, clock=clock
        )
        self._model = model.strip()
        self._window = window
        self._window_cap = 0
        self._trouble: tuple[FailureKind, str] | None = None
        self._reached = True
        self._timeout_s = timeout_s
        self._prices = prices
        self._stream = stream
        self._temperature = temperature
        self._sleep = sleep
        self._clock = clock
        self._counter = TokenCounter()
        self._habits = Habits()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"OpenAIChat({self._server.place!r}, {self._model!r})"

    @property
    def name(self) -> str:
        """The model's name; asks the server once when none was set. Raises ChatError when it lists none."""
        name = self._named()
        # Local servers name a model by its file, and the folder is private.
        name = self._server.hide(name)
        return name.rpartition("/")[2] if name.startswith("/") else name

    @property
    def window_tokens(self) -> int:
        """The setting, else what the server tells, else 8192; never more than an overflow error named."""
        with self._lock:
            window = self._window
            if not window:
                self._reached = True
                window = ask_window(self._get, self._named())
                # A server that could not be asked is asked again the next time.
                self._window = window if self._reached else 0
            return min(window, self._window_cap or window)

    def count_tokens(self, text: str) -> int:
        return self._counter.count(text)

    def chat(self, request: ChatRequest) -> ChatReply:
        begun = self._clock()
        bound = self._timeout_s if request.timeout_s is None else request.timeout_s
        model, habits = self._named(), self._habits
        turn = Turn(
            send=self._complete,
            body=lambda habits: body_of(
                request, model, habits, stream=self._stream, temperature=self._temperature
            ),
            until=begun + bound,
            sleep=self._sleep,
            clock=self._clock,
            name_error=lambda text: f"{self._server.place} ({self.name}) {text}",
            hide=self._server.hide,
        )
        try:
            reply, body = turn.run(habits)
        except ContextOverflow:
            self._window_cap = turn.named_window or self._window_cap
            # The request had at least that many tokens, whatever we counted; a caller that shrinks it must see it.
            self._counter.learn(request, self.window_tokens - (request.max_tokens or 0))
            raise
        except ChatError as error:
            if error.kind == "unknown_model" and (names := names_listed(self._get("/models"), _NAMES_SHOWN)):
                raise ChatError(f"{error}; it lists {self._server.hide(names)}", error.kind) from None
            raise
        if turn.habits != habits:
            self._habits = turn.habits
        usage = replace(self._usage(request, reply, body), ms=(self._clock() - begun) * 1000)
        return replace(reply, usage=usage)

    def _usage(self, request: ChatRequest, reply: ChatReply, body: Any) -> ModelUsage:
        usage = read_usage(body)
        if usage is None:
            usage = ModelUsage(
                calls=1,
                prompt_tokens=self._counter.count_request(request),
                completion_tokens=sum(map(self._counter.count, reply_texts(reply))),
                estimated=1,
            )
        else:
            self._counter.learn(request, usage.prompt_tokens)
        fresh, cached, out = self._prices
        spent = (usage.prompt_tokens - usage.cached_tokens) * fresh + usage.cached_tokens * cached
        return replace(usage, cost=(spent + usage.completion_tokens * out) / 1e6)

    # -- the server ------------------------------------------------------------------------------------

    def _named(self) -> str:
        with self._lock:
            if not self._model:
                self._model = first_chat_model(self._get("/models"))
            if not self._model:
                kind, trouble = self._trouble or ("unconfigured", "lists no models")
                raise ChatError(f"{self._server.place} {trouble}; {PREFIX}_MODEL can name one", kind)
            return self._model

    def _get(self, path: str, beside: str = "") -> Any:
        """The JSON at a path, None when there is none; `_trouble` then says why."""
        self._trouble = None
        bound = min(_DISCOVERY_S, self._timeout_s)
        try:
            reply = self._server.ask("GET", path, left_s=bound, most_bytes=_MOST_LIST_BYTES, beside=beside)
        except Lost as lost:
            self._reached = False
            self._trouble = lost.kind, str(lost)
            return None
        if reply.status != 200:
            kind = kind_of(reply.status, reply.text)
            fix = fix_for(reply.status, kind, PREFIX)
            self._trouble = kind, f"answered {reply.status}" + (f" ({fix})" if fix else "")
            return None
        try:
            return read_json(reply.body)
        except ValueError:
            told = f"answers with something other than JSON; {PREFIX}_URL should end in /v1"
            self._trouble = "protocol", told
            return None

    def _complete(self, content: bytes, *, left_s: float) -> Reply:
        return self._server.ask(
            "POST", "/chat/completions", left_s=left_s, most_bytes=_MOST_REPLY_BYTES, content=content, end=END
        )
