"""Calls to the model: few at a time, within a limit of tokens, each kept in the catalog at once.

A call is only started when what is spent, what runs now at its most, and its own most (prompt + longest
reply, by the model's own count) stay within the limit. When the first one no longer fits and nothing is
running that could give tokens back, the job is over: nothing smaller slips past, so that what is made
does not depend on how calls happened to overlap. Everything that finds its abstract in the catalog goes
on as before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal

from knarr.abstracts.messages import PROMPT, Ask, Content, compose
from knarr.abstracts.outline import count
from knarr.abstracts.reply import abstract_of
from knarr.catalog import Catalog, abstracts
from knarr.catalog.abstracts import Made
from knarr.config import Settings
from knarr.errors import ChatError, ContextOverflow
from knarr.models.chat import ChatModel, ChatReply, ChatRequest
from knarr.types import ModelUsage

How = Literal["made", "cached", "fallback", "left"]
Done = Callable[[How, str], None]  # the abstract, or for "fallback" the reason

_FAILURES_IN_A_ROW = 5
_SHRINKS = 2
_HIDDEN_REASONING = 8  # how much longer a reply may be for models that think before they speak


@dataclass(slots=True)
class _Wanted:
    """Something to be asked: the content is put into a message again when its turn comes."""

    content: Content
    key: bytes
    whole: bool
    owner: str
    reply_tokens: int = 0
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class _Outcome:
    made: Made
    usage: ModelUsage
    failed: bool = False  # the model could not be reached, or refused the request: worth another try later
    thinking: bool = False  # the bound on the reply was used up before the answer began


class NoChat:
    """Stands for a model in a dry run when none is configured: counts by words, calls nothing."""

    window_tokens = 1 << 20

    def __init__(self, catalog: Catalog) -> None:
        self.name = catalog.get(abstracts.MODEL) or ""

    def count_tokens(self, text: str) -> int:
        return count(text)

    def chat(self, request: ChatRequest) -> ChatReply:
        raise ChatError("no chat model: set KNARR_CHAT_URL to an OpenAI-compatible server", "unconfigured")


class Calls:
    """Asks, remembers, counts. `ask` and `run` belong to one thread; `done` is called in it."""

    def __init__(
        self, catalog: Catalog, chat: ChatModel, settings: Settings, limit: int, *, dry_run: bool
    ) -> None:
        self._catalog = catalog
        self._chat = chat
        self._settings = settings
        self._limit = limit
        self._dry_run = dry_run
        self._queue: deque[_Wanted] = deque()
        self._waiting: dict[bytes, list[Done]] = {}
        self._planned: dict[bytes, str] = {}
        self._running: dict[Future[_Outcome], _Wanted] = {}
        self._reply_tokens = settings.abstract_tokens * 2
        self._in_a_row = 0
        self.usage = ModelUsage()
        self.sampled = 0
        self.stopped = ""

    def ask(self, ask: Ask, content: Content, owner: str, done: Done) -> None:
        """Get the abstract for `ask`: from the catalog at once, or by a call when `run` comes to it."""
        if ask.key in self._planned:
            done("cached", self._planned[ask.key])
        elif ask.key in self._waiting:
            self._waiting[ask.key].append(done)
        elif (known := self._known(ask.key)) is not None:
            done("cached" if known.text else "fallback", known.text or known.reason)
        elif self.stopped:
            done("left", "")
        else:
            self._waiting[ask.key] = [done]
            self._queue.append(_Wanted(content, ask.key, ask.whole, owner))

    def run(self, more: Callable[[], bool]) -> None:
        """Call until nothing is left to ask. `more` may bring more (True), or there is none (False).

        Whatever ends this early, calls that are running are waited for, and what they gave is kept."""
        with ThreadPoolExecutor(max_workers=self._settings.abstract_threads) as pool:
            while True:
                while len(self._running) < self._settings.abstract_threads and self._queue:
                    if not self._start(pool):
                        break
                idle = len(self._running) < self._settings.abstract_threads and not self._queue
                if idle and more():
                    continue
                if self._running:
                    self._collect()
                elif not self._queue:
                    return

    def _known(self, key: bytes) -> Made | None:
        with self._catalog.reading() as connection:
            return abstracts.get(connection, key, self._chat.name, PROMPT)

    # ------------------------------------------------------------------ starting and collecting

    def _start(self, pool: ThreadPoolExecutor) -> bool:
        """Start the next call; False when it has to wait for running ones to say what they cost."""
        wanted = self._queue[0]
        wanted.reply_tokens = self._reply_tokens
        ask = self._fit(wanted.content, self._bound(wanted.reply_tokens))
        prompt_tokens = ask.prompt_tokens(self._chat.count_tokens)
        wanted.reserved = prompt_tokens + wanted.reply_tokens
        if self._limit and self._spent() + wanted.reserved > self._limit and not self._dry_run:
            if not self._running:
                self._stop(f"the limit of {self._limit} tokens for one job")
            return False
        self._queue.popleft()
        if self._dry_run:
            self._plan(wanted, prompt_tokens)
        else:
            self._running[pool.submit(self._call, wanted, ask)] = wanted
        return True

    def _spent(self) -> int:
        reserved = sum(wanted.reserved for wanted in self._running.values())
        return self.usage.prompt_tokens + self.usage.completion_tokens + reserved

    def _plan(self, wanted: _Wanted, prompt_tokens: int) -> None:
        """What a call would cost at most; what it would give is as long as it may be."""
        prices = self._settings.chat_prices
        cost = (prompt_tokens * prices[0] + wanted.reply_tokens * prices[2]) / 1e6
        self.usage += ModelUsage(
            calls=1,
            prompt_tokens=prompt_tokens,
            completion_tokens=wanted.reply_tokens,
            estimated=1,
            cost=cost,
        )
        text = f"{wanted.key.hex()[:6]} " + "word " * (self._settings.abstract_tokens - 1)
        self._planned[wanted.key] = text
        self._tell(wanted, "made", text)

    def _collect(self) -> None:
        finished, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in finished:
            wanted = self._running.pop(future)
            outcome = future.result()
            self.usage += outcome.usage
            longest = self._settings.abstract_tokens * 2 * _HIDDEN_REASONING
            if outcome.thinking and wanted.reply_tokens < longest and not self.stopped:
                self._reply_tokens = longest
                self._queue.appendleft(wanted)
                continue
            made = outcome.made
            self._tell(wanted, "made" if made.text else "fallback", made.text or made.reason)
            self._in_a_row = self._in_a_row + 1 if outcome.failed else 0
            if self._in_a_row >= _FAILURES_IN_A_ROW:
                self._stop(f"the model failed {self._in_a_row} times in a row ({outcome.made.reason})")

    def _tell(self, wanted: _Wanted, how: How, text: str) -> None:
        self.sampled += how == "made" and not wanted.whole
        for at, done in enumerate(self._waiting.pop(wanted.key)):
            done("cached" if at and how == "made" else how, text)

    def _stop(self, reason: str) -> None:
        self.stopped = self.stopped or reason
        queue, self._queue = self._queue, deque()
        for wanted in queue:
            self._tell(wanted, "left", "")

    # ------------------------------------------------------------------ one call, in a thread of its own

    def _bound(self, reply_tokens: int) -> int:
        return min(self._settings.abstract_prompt_tokens, self._chat.window_tokens - reply_tokens)

    def _fit(self, content: Content, bound: int) -> Ask:
        """The message within the bound by the model's own count, which may differ from ours."""
        words = self._settings.abstract_tokens * 3 // 4
        nominal = self._settings.abstract_prompt_tokens
        ask = compose(content, count, prompt_tokens=nominal, words=words)
        if ask.prompt_tokens(self._chat.count_tokens) <= bound:
            return ask
        return compose(content, self._chat.count_tokens, prompt_tokens=bound, words=words)

    def _call(self, wanted: _Wanted, ask: Ask) -> _Outcome:
        bound = self._bound(wanted.reply_tokens)
        try:
            for _ in range(_SHRINKS):
                try:
                    return self._understand(wanted, ask, self._chat.chat(self._request(ask, wanted)))
                except ContextOverflow:
                    bound //= 2
                    ask = self._fit(wanted.content, bound)
            return self._understand(wanted, ask, self._chat.chat(self._request(ask, wanted)))
        except ChatError as error:
            # Whether the server counts a failed call nobody knows: the limit is kept if it does.
            spent = ask.prompt_tokens(self._chat.count_tokens)
            usage = ModelUsage(calls=1, prompt_tokens=spent, estimated=1)
            return _Outcome(Made("", f"an error of the model: {str(error)[:200]}"), usage, failed=True)

    def _request(self, ask: Ask, wanted: _Wanted) -> ChatRequest:
        return ChatRequest(
            ask.messages(), max_tokens=wanted.reply_tokens, timeout_s=self._settings.chat_timeout_s
        )

    def _understand(self, wanted: _Wanted, ask: Ask, reply: ChatReply) -> _Outcome:
        text, reason = abstract_of(reply.text, ask.user, self._settings.abstract_tokens, cut=reply.cut)
        usage = self._usage(ask, reply)
        made = Made(text, reason, usage.prompt_tokens + usage.completion_tokens)
        thinking = reply.cut and not reply.text.strip()
        if not thinking:
            with self._catalog.writing() as connection:
                abstracts.put(connection, wanted.key, self._chat.name, PROMPT, made, wanted.owner)
        return _Outcome(made, usage, thinking=thinking)

    def _usage(self, ask: Ask, reply: ChatReply) -> ModelUsage:
        """What the server says, or our own count where it says nothing."""
        usage = reply.usage
        if usage.prompt_tokens + usage.completion_tokens == 0:
            usage = replace(
                usage,
                prompt_tokens=ask.prompt_tokens(self._chat.count_tokens),
                completion_tokens=self._chat.count_tokens(reply.text + reply.reasoning),
                estimated=1,
            )
        return replace(usage, calls=max(1, usage.calls))
