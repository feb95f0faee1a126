"""Any OpenAI-compatible server as a `ChatModel`.

A turn is tried until it succeeds, its time is over, or trying again cannot help. Busy servers are waited
for as they ask; what a server does not take (a reply's form, a parameter) is left out and remembered; a
reply that cannot be read is asked for again. Nothing that a model says is an error. Messages of errors
never hold the key.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat.count import TokenCounter, reply_texts
from knarr.models.chat.refusals import fix_for
from knarr.models.chat.replies import read_usage
from knarr.models.chat.server_info import ask_window, first_chat_model
from knarr.models.chat.turn import Turn
from knarr.models.chat.types import ChatReply, ChatRequest
from knarr.models.chat.wire import Habits, body_of
from knarr.types import ModelUsage

if TYPE_CHECKING:
    import httpx
    import openai

_DISCOVERY_S = 15.0


class OpenAIChat:
    """Chat completions of the server at `url` (…/v1). Any thread may use it.

    model:        "" takes the first that the server lists
    window:       tokens, 0 to ask the server (8192 when it does not tell)
    timeout_s:    for one turn, all tries together
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
        prices: tuple[float, float, float] = (0.0, 0.0, 0.0),
        stream: bool = False,
        temperature: float | None = 0.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url.strip().rstrip("/")
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ChatError(f"expected a server's address such as http://localhost:8000/v1, got {url!r}")
        # A name and password in the address are secrets as well.
        self._place = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
        self._model = model.strip()
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise ChatError("KNARR_CHAT_KEY holds characters that no key has; copy it again")
        self._window = window
        self._window_cap = 0
        self._trouble, self._reached = "", True
        self._timeout_s = timeout_s
        self._prices = prices
        self._stream = stream
        self._temperature = temperature
        self._transport = transport
        self._sleep = sleep
        self._clock = clock
        self._counter = TokenCounter()
        self._habits = Habits()
        self._lock = threading.RLock()
        self._http: httpx.Client | None = None
        self._sdk: openai.OpenAI | None = None

    @property
    def name(self) -> str:
        """The model's name; asks the server once when none was set. Raises ChatError when it lists none."""
        name = self._named()
        # Local servers name a model by its file, and the folder is private.
        return name.rpartition("/")[2] if name.startswith("/") else name

    @property
    def window_tokens(self) -> int:
        """The setting, else what the server tells, else 8192; never more than an overflow error named."""
        with self._lock:
            window = self._window
            if not window:
                self._reached = True
                window = ask_window(self._get, self._url, self._named())
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
            send=self._completions(),
            body=lambda habits: body_of(
                request, model, habits, stream=self._stream, temperature=self._temperature
            ),
            until=begun + bound,
            sleep=self._sleep,
            clock=self._clock,
            name_error=lambda text: self._hide(f"{self._place} ({self.name}) {text}"),
        )
        try:
            reply, body = turn.run(habits)
        except ContextOverflow:
            self._window_cap = turn.named_window or self._window_cap
            # The request had at least that many tokens, whatever we counted; a caller that shrinks it must see it.
            self._counter.learn(request, self.window_tokens - (request.max_tokens or 0))
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
                self._model = first_chat_model(self._get(f"{self._url}/models"))
            if not self._model:
                trouble = self._trouble or "lists no models"
                raise ChatError(self._hide(f"{self._place} {trouble}; KNARR_CHAT_MODEL can name one"))
            return self._model

    def _get(self, address: str) -> Any:
        """The JSON at an address, None when there is none; `_trouble` then says why."""
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._trouble = ""
        try:
            reply = self._client().get(address, headers=headers, timeout=_DISCOVERY_S)
            if reply.status_code == 200:
                return reply.json()
        except httpx.HTTPError as error:
            self._reached = False
            self._trouble = f"cannot be reached ({error}); is the server running, and KNARR_CHAT_URL right?"
        except (ValueError, RecursionError):
            self._trouble = "answers with something other than JSON; KNARR_CHAT_URL should end in /v1"
        else:
            self._trouble = f"answered {reply.status_code} ({fix_for(reply.status_code)})"
        return None

    def _client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._http is None:
                self._http = httpx.Client(transport=self._transport, follow_redirects=True)
                weakref.finalize(self, self._http.close)
            return self._http

    def _completions(self) -> Any:
        """`create` of the openai package, which gives us the reply's bytes: the package itself reads only
        well-formed replies."""
        import openai

        with self._lock:
            if self._sdk is None:
                # We count the tries, since they share one time limit. The package wants a key even where the server does not.
                client: Any = self._client()
                self._sdk = openai.OpenAI(
                    base_url=self._url, api_key=self._key or "none", http_client=client, max_retries=0
                )
            return self._sdk.chat.completions.with_streaming_response.create

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text
