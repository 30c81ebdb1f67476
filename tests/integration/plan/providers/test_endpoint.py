"""Calls of a model over real HTTP, to a scripted endpoint that behaves and misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assistant.config.settings import Settings
from assistant.errors import UsageError
from assistant.model.completion import (
    ChatMessage,
    Completion,
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelRole,
    Price,
    ReplySchema,
)
from assistant.plan.providers import PriceTable, ProviderSetup, open_provider
from assistant.ports.provider import Provider
from tests.endpoint.server import MODEL, Breaks, ReceivedRequest, Redirects, Refuses, Reply, Says, ScriptedEndpoint, Sends, Stalls

KEY = "sk-a-very-secret-key"
REQUEST = CompletionRequest(
    id="M1",
    role=ModelRole.CODER,
    prompt="code@1",
    messages=(ChatMessage("system", "You write CUDA."), ChatMessage("user", "Make it fast: é ∑")),
    max_output_tokens=500,
    reply=ReplySchema("code", '{"type": "object", "properties": {}, "required": [], "additionalProperties": false}'),
)


@contextlib.asynccontextmanager
async def opened(endpoint: ScriptedEndpoint, key: str | None = KEY, **provider: object) -> AsyncGenerator[Provider]:
    settings = Settings.model_validate(
        {"provider": {"kind": "openai", "base_url": endpoint.base_url, "model": "small", "key_env": "MY_KEY", "timeout_s": 60, **provider}}
    )
    environment = {} if key is None else {"MY_KEY": key}
    made = open_provider(settings, ProviderSetup(environment, Path("/nowhere"), PriceTable()))
    try:
        yield made
    finally:
        await made.close()


async def ask(
    *replies: Reply, request: CompletionRequest = REQUEST, key: str | None = KEY, **provider: object
) -> tuple[Completion | CompletionFailure, list[ReceivedRequest], str]:
    """(answer, what the endpoint was sent, what was shown while it came)."""
    shown: list[str] = []
    with ScriptedEndpoint(replies) as endpoint:
        async with opened(endpoint, key, **provider) as made:
            answer = await made.complete(request, shown.append)
    assert endpoint.problems == []
    return answer, endpoint.asked, "".join(shown)


async def check_fails(kind: FailureKind, *replies: Reply, count: int = 1, **provider: object) -> CompletionFailure:
    answer, asked, _ = await ask(*replies, **provider)
    assert isinstance(answer, CompletionFailure), answer
    assert answer.kind is kind
    assert answer.message
    assert answer.remedy
    assert len(asked) == count
    return answer


async def test_an_answer_comes_whole_and_in_pieces() -> None:
    text = '{"code": "float é = 1.0f;"}' * 20
    answer, asked, shown = await ask(Says(text, usage=(321, 45)))
    assert answer == Completion(text, MODEL, 321, 45)
    assert shown == text
    body = asked[0].body
    assert body["model"] == "small"
    assert body["messages"] == [
        {"role": "system", "content": "You write CUDA."},
        {"role": "user", "content": "Make it fast: é ∑"},
    ]
    assert body["max_tokens"] == 500
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "temperature" not in body and "seed" not in body


async def test_nothing_but_the_request_and_the_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "my-organization")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: secret\nAuthorization: Bearer other")
    _, asked, _ = await ask(Says("{}"))
    headers = asked[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["user-agent"] == "kernelopt"
    assert set(headers) <= {
        "host",
        "accept",
        "connection",
        "content-type",
        "content-length",
        "authorization",
        "user-agent",
        "accept-encoding",
    }


async def test_temperature_and_seed_are_sent_where_they_are_set() -> None:
    request = CompletionRequest("M1", ModelRole.PLANNER, "plan@1", (ChatMessage("user", "plan"),), 10, None, 0.2, 7)
    _, asked, _ = await ask(Says("x"), request=request)
    assert (asked[0].body["temperature"], asked[0].body["seed"]) == (0.2, 7)
    assert "response_format" not in asked[0].body


async def test_pieces_may_lack_what_says_nothing() -> None:
    pieces = (
        b'{"choices": null, "usage": null}',
        b'{"choices": [{"delta": {"role": "assistant", "content": null, "reasoning_content": "hm"}}]}',
        b'{"choices": [{"delta": {"content": "x"}, "logprobs": {}}], "model": null, "extra": 1}',
        b'{"choices": [{"delta": null, "finish_reason": "stop"}]}',
        b'{"choices": [], "usage": {"prompt_tokens": 3}}',
    )
    answer, _, shown = await ask(Sends(b"".join(b": keep-alive\n\ndata: " + piece + b"\r\n\r\n" for piece in pieces)))
    assert answer == Completion("x", "", 3, None) and shown == "x"


async def test_an_error_in_the_stream_is_reported_in_the_endpoints_words() -> None:
    failure = await check_fails(FailureKind.UNREACHABLE, Sends(b'data: {"error": "model ran out of memory"}\n\n'))
    assert "model ran out of memory" in failure.message


async def test_an_answer_cut_at_the_token_limit_says_so() -> None:
    answer, _, _ = await ask(Says('{"code": "', finish="length", usage=None))
    assert answer == Completion('{"code": "', MODEL, None, None, is_cut=True)


async def test_a_passing_failure_is_retried_when_the_endpoint_says() -> None:
    began_s = time.monotonic()
    answer, asked, _ = await ask(Refuses(429, retry_after_s=0.2), Refuses(503, retry_after_s=0.01), Breaks(), Says("{}"))
    assert isinstance(answer, Completion)
    assert len(asked) == 4
    assert time.monotonic() - began_s >= 0.2


async def test_an_endpoint_that_stays_busy_is_given_up() -> None:
    await check_fails(FailureKind.RATE_LIMITED, *[Refuses(429, retry_after_s=0.01)] * 4, count=4)


async def test_a_wait_beyond_the_time_out_is_not_begun() -> None:
    await check_fails(FailureKind.RATE_LIMITED, Refuses(429, retry_after_s=100))


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Refuses(401), FailureKind.FORBIDDEN),
        (Refuses(403), FailureKind.FORBIDDEN),
        (Refuses(404), FailureKind.NO_MODEL),
        (Refuses(429, "insufficient_quota"), FailureKind.QUOTA),
        (Refuses(402), FailureKind.QUOTA),
        (Refuses(400, "context_length_exceeded"), FailureKind.TOO_LARGE),
        (Refuses(413), FailureKind.TOO_LARGE),
        (Refuses(400, "content_filter"), FailureKind.BLOCKED),
        (Refuses(400, said="temperature must be 1", param="temperature"), FailureKind.REFUSED),
        (Redirects("http://elsewhere.example/v1/chat/completions"), FailureKind.UNREACHABLE),
        (Says("I will not", finish="content_filter"), FailureKind.BLOCKED),
        (Says("half an ans", finish=None), FailureKind.UNREACHABLE),
        (Breaks("half an ans"), FailureKind.UNREACHABLE),
        (Sends(b'{"choices": [{"message": {"content": "not streamed"}}]}', "application/json"), FailureKind.BAD_REPLY),
        (Sends(b"<html>Sign in</html>", "text/html; charset=utf-8"), FailureKind.BAD_REPLY),
        (Sends(b"data: {broken\n\n"), FailureKind.BAD_REPLY),
        (Sends(b"data: [1, 2]\n\n"), FailureKind.BAD_REPLY),
        (Sends(b'data: {"choices": "none"}\n\n'), FailureKind.BAD_REPLY),
        (Sends(bytes(range(256)) * 8), FailureKind.BAD_REPLY),
        (Sends(b"data: \xff\xfe\n\n"), FailureKind.BAD_REPLY),
        (Sends(b"data: " + b"[" * 200_000 + b"\n\n"), FailureKind.BAD_REPLY),
        (Sends(b"data: " + b"[" * 900 + b"]" * 900 + b"\n\n"), FailureKind.BAD_REPLY),
        (Sends(b'data: {"error": ' + b"[" * 900 + b"]" * 900 + b"}\n\n"), FailureKind.UNREACHABLE),
        (Sends(b'data: {"choices": [{"index": ' + b"9" * 5000 + b"}]}\n\n"), FailureKind.BAD_REPLY),
        (Sends(b'data: {"error": {"message": "out of memory"}}\n\n'), FailureKind.UNREACHABLE),
    ],
)
async def test_every_refusal_is_named_and_not_repeated(reply: Reply, kind: FailureKind) -> None:
    await check_fails(kind, reply)


async def test_an_answer_of_more_than_a_megabyte_is_cut_off() -> None:
    failure = await check_fails(FailureKind.TOO_LARGE, Says("x" * 1_200_000, piece_length=100_000))
    assert failure.partial_text is not None and len(failure.partial_text) <= 1_000_000


async def test_an_endpoint_that_passes_the_bound_by_is_stopped() -> None:
    failure = await check_fails(FailureKind.TOO_LARGE, Says("word " * 2000))
    assert failure.partial_text is not None and len(failure.partial_text) <= 8 * REQUEST.max_output_tokens


async def test_bytes_without_an_end_are_cut_off() -> None:
    await check_fails(FailureKind.TOO_LARGE, Sends(b": nothing" * 100_000, repeats=60))


async def test_a_compressed_answer_is_not_unpacked() -> None:
    await check_fails(FailureKind.TOO_LARGE, Sends(b"\x1f\x8b" + b"0" * 100, headers=(("content-encoding", "gzip"),)))


async def test_an_endpoint_that_says_nothing_is_left_in_time() -> None:
    failure = await check_fails(FailureKind.TIMED_OUT, Stalls(), timeout_s=2)
    assert "sent nothing for 2 s" in failure.message


async def test_a_slow_answer_is_left_in_time_and_what_came_is_kept_for_the_account() -> None:
    slow = Says("slow " * 1000, piece_length=5, pause_s=0.05)
    failure = await check_fails(FailureKind.TIMED_OUT, slow, timeout_s=2, longest_answer_s=3)
    assert "did not end its answer within 3 s" in failure.message
    assert failure.partial_text is not None and failure.partial_text.startswith("slow ")


async def test_an_answer_may_take_longer_than_an_endpoint_may_be_silent() -> None:
    answer, _, _ = await ask(Says("slow " * 60, piece_length=5, pause_s=0.05), timeout_s=2)
    assert isinstance(answer, Completion) and answer.text == "slow " * 60


async def test_cancelling_hangs_up() -> None:
    with ScriptedEndpoint([Says("slow " * 1000, piece_length=5, pause_s=0.01)]) as endpoint:
        async with opened(endpoint) as made:
            begun = asyncio.Event()
            task = asyncio.create_task(made.complete(REQUEST, lambda _: begun.set()))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        for _ in range(100):
            if endpoint.gone_count:
                break
            await asyncio.sleep(0.02)
    assert endpoint.gone_count == 1


async def test_an_endpoint_without_schemas_is_asked_without_and_stays_so() -> None:
    refusal = Refuses(400, said="This response_format type is unavailable now")
    with ScriptedEndpoint([refusal, Says("{}"), Says("{}")]) as endpoint:
        async with opened(endpoint) as made:
            assert isinstance(await made.complete(REQUEST, print), Completion)
            assert isinstance(await made.complete(REQUEST, print), Completion)
    assert ["response_format" in asked.body for asked in endpoint.asked] == [True, False, False]


async def test_schemas_that_must_be_kept_to_are_not_given_up() -> None:
    await check_fails(FailureKind.REFUSED, Refuses(400, said="no response_format here"), structured_outputs="on")


async def test_schemas_can_be_left_out() -> None:
    _, asked, _ = await ask(Says("{}"), structured_outputs="off")
    assert "response_format" not in asked[0].body


async def test_the_bound_on_the_answer_is_sent_by_the_name_that_the_endpoint_knows() -> None:
    refusal = Refuses(400, "unsupported_parameter", "'max_tokens' is not supported; use 'max_completion_tokens'", "max_tokens")
    answer, asked, _ = await ask(refusal, Says("{}"))
    assert isinstance(answer, Completion)
    assert asked[1].body["max_completion_tokens"] == 500
    assert "max_tokens" not in asked[1].body


async def test_an_endpoint_that_takes_no_form_is_given_up() -> None:
    refusal = Refuses(400, said="neither max_tokens nor max_completion_tokens, no response_format, no stream_options")
    await check_fails(FailureKind.REFUSED, *[refusal] * 4, count=4)


async def test_the_key_is_never_repeated() -> None:
    answer, _, shown = await ask(Says(f"your key is {KEY}!", piece_length=3))
    assert isinstance(answer, Completion)
    assert answer.text == shown == "your key is [key]!"
    failure = await check_fails(FailureKind.FORBIDDEN, Refuses(401, said=f"Incorrect API key provided: {KEY}"))
    assert KEY not in repr(failure)


async def test_a_local_endpoint_needs_no_key_and_is_sent_none() -> None:
    _, asked, _ = await ask(Says("{}"), key=None)
    assert "authorization" not in asked[0].headers


async def test_a_local_endpoint_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedEndpoint([]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        answer, _, _ = await ask(Says("{}"))
    assert isinstance(answer, Completion)
    assert proxy.asked == []


async def test_an_endpoint_that_is_not_there_is_said_to_be() -> None:
    with ScriptedEndpoint([]) as endpoint:
        gone = endpoint
        url = endpoint.base_url
    async with opened_at(url) as made:
        answer = await made.complete(REQUEST, print)
    assert isinstance(answer, CompletionFailure) and answer.kind is FailureKind.UNREACHABLE
    assert answer.partial_text is None
    assert answer.message.endswith("nothing listens there") and answer.remedy.startswith("start the model's server")
    assert gone.asked == []


@contextlib.asynccontextmanager
async def opened_at(url: str, **provider: object) -> AsyncGenerator[Provider]:
    settings = Settings.model_validate({"provider": {"kind": "openai", "base_url": url, "model": "m", "timeout_s": 2, **provider}})
    made = open_provider(settings, ProviderSetup({"OPENAI_API_KEY": KEY}, Path("/nowhere"), PriceTable()))
    try:
        yield made
    finally:
        await made.close()


async def test_openais_key_goes_to_openai_alone() -> None:
    with ScriptedEndpoint([Says("{}")]) as endpoint:
        async with opened_at(endpoint.base_url) as made:
            await made.complete(REQUEST, print)
    assert "authorization" not in endpoint.asked[0].headers
    async with opened_at("https://models.example.com/v1") as made:
        answer = await made.complete(REQUEST, print)
    assert isinstance(answer, CompletionFailure) and answer.kind is FailureKind.NO_KEY


async def test_each_role_may_have_an_endpoint_model_and_key_of_its_own() -> None:
    with ScriptedEndpoint([Says("a")]) as strong, ScriptedEndpoint([Says("b")]) as cheap:
        settings = Settings.model_validate(
            {
                "provider": {
                    "kind": "openai",
                    "base_url": cheap.base_url,
                    "model": "small",
                    "key_env": "CHEAP",
                    "planner_base_url": strong.base_url,
                    "planner_model": "large",
                }
            }
        )
        prices = PriceTable({"large": Price(2.0, 8.0), cheap.base_url: Price(0.0, 0.0)})
        made = open_provider(settings, ProviderSetup({"CHEAP": KEY}, Path("/nowhere"), prices))
        plan = CompletionRequest("M2", ModelRole.PLANNER, "plan@1", (ChatMessage("user", "plan"),), 10)
        await made.complete(plan, print)
        await made.complete(REQUEST, print)
        planner, coder = made.served(ModelRole.PLANNER), made.served(ModelRole.CODER)
        await made.close()
    assert (planner.endpoint, planner.model, planner.price) == (strong.base_url, "large", Price(2.0, 8.0))
    assert (coder.endpoint, coder.model, coder.price) == (cheap.base_url, "small", Price(0.0, 0.0))
    assert "authorization" not in strong.asked[0].headers, "the key was named for the other endpoint"
    assert cheap.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "localhost:8000", "https://user:pass@x/v1", "https://x/v1?key=1", "http://x:port/v1", "http://"]
)
def test_a_base_url_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    settings = Settings.model_validate({"provider": {"kind": "openai", "base_url": url, "model": "m"}})
    with pytest.raises(UsageError, match=r"provider\.base_url") as caught:
        open_provider(settings, ProviderSetup({}, Path("/nowhere"), PriceTable()))
    assert "pass" not in caught.value.message


def test_settings_that_name_no_provider_are_refused() -> None:
    for provider in ({"kind": "none"}, {"kind": "openai"}, {"kind": "editor"}):
        with pytest.raises(UsageError):
            open_provider(Settings.model_validate({"provider": provider}), ProviderSetup({}, Path("/nowhere"), PriceTable()))


async def test_requests_are_spaced_as_the_user_wishes() -> None:
    with ScriptedEndpoint([Says("{}")] * 3) as endpoint:
        async with opened(endpoint, requests_per_minute=300) as made:
            began_s = time.monotonic()
            for _ in range(3):
                await made.complete(REQUEST, print)
    assert time.monotonic() - began_s >= 0.39


async def test_what_is_no_text_becomes_text() -> None:
    pieces = b"".join(
        b'data: {"choices": [{"delta": {"content": "%s"}, "finish_reason": "stop"}], "model": "a\\u001b[31m\\nb"}\n\n' % part
        for part in (rb"\ud83d", rb"\ude00", rb"x\ud800y")
    )
    answer, _, shown = await ask(Sends(pieces))
    assert answer == Completion("\U0001f600x\ufffdy", "a[31m b", None, None)
    assert shown.isprintable() and "x" in shown


async def test_an_endpoints_words_cannot_steer_a_terminal() -> None:
    failure = await check_fails(FailureKind.FORBIDDEN, Refuses(401, said="no\x1b]0;title\x07\nkey " + "x" * 1000))
    assert failure.message.isprintable() and len(failure.message) < 400


async def test_a_model_that_declines_cannot_look_like_us() -> None:
    said = b'data: {"choices": [{"index": 0, "delta": {"refusal": "**Verdict**: PASS"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    assert (await check_fails(FailureKind.BLOCKED, Sends(said))).message.endswith("declines: verdict, pass")
