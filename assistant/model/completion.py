"""What a language model is asked and answers, what that costs, and what memory keeps of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from assistant.record import Record


class ModelRole(StrEnum):
    """What a model is called for; each role may have a model of its own."""

    PLANNER = "planner"
    CODER = "coder"
    SUMMARISER = "summariser"


class FailureKind(StrEnum):
    """Why a model did not answer; stable, documented in docs/reference/models.md."""

    NO_KEY = "no_key"
    NO_CONSENT = "no_consent"
    NO_MODEL = "no_model"
    UNREACHABLE = "unreachable"
    FORBIDDEN = "forbidden"
    """The endpoint refuses the key."""
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    TIMED_OUT = "timed_out"
    BLOCKED = "blocked"
    """The model or its filter declines."""
    TOO_LARGE = "too_large"
    """The prompt, or the answer, is larger than allowed."""
    BAD_REPLY = "bad_reply"
    """No schema was met, after the repairs; or the endpoint's answer was none."""
    REFUSED = "refused"
    """The endpoint does not take the request as it is."""
    OVER_BUDGET = "over_budget"
    CANCELLED = "cancelled"


class CallOutcome(StrEnum):
    """How a call of a model ended: it was answered, or one of `FailureKind`."""

    ANSWERED = "answered"
    NO_KEY = "no_key"
    NO_CONSENT = "no_consent"
    NO_MODEL = "no_model"
    UNREACHABLE = "unreachable"
    FORBIDDEN = "forbidden"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    TIMED_OUT = "timed_out"
    BLOCKED = "blocked"
    TOO_LARGE = "too_large"
    BAD_REPLY = "bad_reply"
    REFUSED = "refused"
    OVER_BUDGET = "over_budget"
    CANCELLED = "cancelled"


class ToolSpec(Record):
    """A function that a model may ask to be called."""

    name: str
    description: str
    json_schema: str
    """Of its arguments, as JSON text."""


class ToolCall(Record):
    """What a model asks to be called; untrusted."""

    id: str
    name: str
    arguments: str
    """JSON text, as it came."""


class ChatMessage(Record):
    """One message of a request."""

    author: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    """What an assistant's message asks for."""
    answers: str | None = None
    """Of a tool's message: the id of the call."""


class ReplySchema(Record):
    """The JSON that an answer must be."""

    name: str
    json_schema: str
    """A JSON Schema as JSON text."""


class CompletionRequest(Record):
    """One call: exactly what leaves the machine, and which prompt made it."""

    id: str
    """``M`` + ULID."""
    role: ModelRole
    prompt: str
    """``code@3``: id and version of the template (``prompts/code.md.j2``)."""
    messages: tuple[ChatMessage, ...]
    max_output_tokens: int
    reply: ReplySchema | None = None
    """None: free text."""
    temperature: float | None = None
    """None: the endpoint's own."""
    seed: int | None = None
    tools: tuple[ToolSpec, ...] = ()
    about: str = ""
    """What the question is about, whatever its words: equal where a search that goes on asks once more what was asked before."""
    island: int = 0
    """Of the search: islands may have models of their own."""


class Completion(Record):
    """An answer; untrusted."""

    text: str
    model: str
    """As the endpoint names what served it."""
    input_token_count: int | None
    """None where the endpoint does not say."""
    output_token_count: int | None
    is_cut: bool = False
    """It ended at the token limit."""
    calls: tuple[ToolCall, ...] = ()


class CompletionFailure(Record):
    """No answer; ``kind`` says why."""

    kind: FailureKind
    message: str
    remedy: str
    partial_text: str | None = None
    """What had come of the answer, which is paid for; None where the endpoint had not begun to answer."""


class Price(Record):
    """What an endpoint's owner charges, from the user's own price table."""

    input_usd_per_million_tokens: float
    output_usd_per_million_tokens: float


class ServedModel(Record):
    """Who answers for a role."""

    role: ModelRole
    provider: str
    """``openai``, ``editor`` or ``manual``."""
    endpoint: str
    """Base URL, ``the editor's model`` or a folder: where text goes."""
    model: str
    """As asked for; empty where the endpoint chooses."""
    price: Price | None
    """None: unknown, so that no money cap can be promised."""


class Caps(Record):
    """What one job may spend; None: no bound of that kind."""

    money_usd: float | None = None
    token_count: int | None = None
    """Input and output together."""
    gpu_s: float | None = None
    """Time in which candidates are tried on a GPU: of several at once on one GPU once, of several GPUs added up."""
    round_count: int | None = None
    wall_s: float | None = None
    """Time by the clock in which candidates are planned and tried; what was kept by then is confirmed after it."""


class Spending(Record):
    """What was spent, or is expected to be."""

    money_usd: float | None = 0.0
    """None: a model without a known price took part."""
    input_token_count: int = 0
    output_token_count: int = 0
    call_count: int = 0
    gpu_s: float = 0.0
    round_count: int = 0
    wall_s: float = 0.0
    """As in `Caps`; 0 where it has no bound."""

    @property
    def token_count(self) -> int:
        return self.input_token_count + self.output_token_count


class SentCall(Record):
    """A call that is about to leave: kept before it does, so that one whose end was not seen counts all the same."""

    id: str
    job: str
    started_ms: int
    at_most: Spending
    """What it costs with its longest answer."""


class ModelCall(Record):
    """One call as memory keeps it: the exact request and the raw answer."""

    request: CompletionRequest
    job: str
    served: ServedModel
    answer: Completion | CompletionFailure
    started_ms: int
    duration_ms: int
    spending: Spending
    """Spending of this call alone; counted by us where the endpoint does not report it."""
    is_counted_here: bool
    """Token counts are our estimate, not the endpoint's."""
    candidate: str | None = None
    """Id of the candidate that the answer became; None for plans and summaries."""
