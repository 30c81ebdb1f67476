"""A person answers through files: any chat window will do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import CannotAnswerError
from assistant.model.completion import ChatMessage, Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole
from assistant.plan.providers import ManualProvider, PriceTable

REQUEST = CompletionRequest(
    "M1", ModelRole.CODER, "code@2", (ChatMessage("system", "You write CUDA."), ChatMessage("user", "Make it fast: é")), 100
)


def prompts(folder: Path) -> list[Path]:
    return list(folder.glob("*.prompt.md"))


def open_notes(folder: Path) -> list[Path]:
    return list(folder.glob(".*"))


def grow(place: Path, size: int) -> None:
    place.write_bytes(b"x" * size)


async def ask(folder: Path, answer: bytes, request: CompletionRequest = REQUEST) -> Completion | CompletionFailure:
    """The answer of somebody who looks at the prompt first."""

    def waiting(prompt: Path, place: Path) -> None:
        assert prompt.read_text("utf-8").endswith("Make it fast: é\n")
        place.write_bytes(answer)

    async with asyncio.timeout(10):
        return await ManualProvider(folder, PriceTable(), waiting).complete(request, lambda _: None)


async def test_the_prompt_is_one_text_to_paste_and_the_answer_a_file(tmp_path: Path) -> None:
    folder = tmp_path / ".kernelopt" / "prompts"
    assert await ask(folder, b'{"code": "\xc3\xa9"}\n') == Completion('{"code": "é"}\n', "manual", None, None)
    (prompt,) = prompts(folder)
    assert prompt.name.startswith("code-2-")
    text = prompt.read_text("utf-8")
    assert "You write CUDA." in text and prompt.name.replace("prompt", "answer") in text


async def test_who_answered_may_be_said(tmp_path: Path) -> None:
    answer = await ask(tmp_path, b"Model: Some Model 4 \n\n{}")
    assert answer == Completion("\n{}", "Some Model 4", None, None)


async def test_the_same_prompt_finds_its_answer_again(tmp_path: Path) -> None:
    await ask(tmp_path, b"first")
    again = ManualProvider(tmp_path, PriceTable(), lambda *_: pytest.fail("no question is needed"))
    async with asyncio.timeout(10):
        assert await again.complete(replace(REQUEST, id="M2"), lambda _: None) == Completion("first", "manual", None, None)


async def test_the_same_prompt_asked_for_another_answer_gets_a_file_of_its_own(tmp_path: Path) -> None:
    answers = iter((b"first", b"second"))
    provider = ManualProvider(tmp_path, PriceTable(), lambda _, place: place.write_bytes(next(answers)) and None)
    async with asyncio.timeout(10):
        said = [await provider.complete(REQUEST, lambda _: None) for _ in range(2)]
    assert [answer.text for answer in said if isinstance(answer, Completion)] == ["first", "second"]
    assert len(prompts(tmp_path)) == 2


def in_other_words(request: CompletionRequest) -> CompletionRequest:
    return replace(request, messages=(*request.messages[:-1], ChatMessage("user", "What was tried: two edits. Make it fast: é")))


async def left_open(folder: Path, request: CompletionRequest) -> Path:
    """The prompt of a question that a search was stopped at."""
    asked = asyncio.Event()
    provider = ManualProvider(folder, PriceTable(), lambda *_: asked.set())
    question = asyncio.ensure_future(provider.complete(request, lambda _: None))
    async with asyncio.timeout(10):
        await asked.wait()
    question.cancel()
    await asyncio.wait([question])
    (prompt,) = prompts(folder)
    return prompt


async def test_a_question_that_was_open_keeps_its_files_whatever_was_tried_meanwhile(tmp_path: Path) -> None:
    request = replace(REQUEST, about="a step")
    prompt = await left_open(tmp_path, request)
    prompt.with_name(prompt.name.replace(".prompt.", ".answer.")).write_bytes(b"given meanwhile")
    resumed = ManualProvider(tmp_path, PriceTable(), lambda *_: pytest.fail("it is answered"))
    async with asyncio.timeout(10):
        assert await resumed.complete(in_other_words(request), lambda _: None) == Completion("given meanwhile", "manual", None, None)
    assert prompts(tmp_path) == [prompt] and not open_notes(tmp_path)
    assert await ask(tmp_path, b"fresh", in_other_words(request)) == Completion("fresh", "manual", None, None), (
        "once it is taken, none is open"
    )


async def test_another_question_does_not_take_the_files_of_an_open_one(tmp_path: Path) -> None:
    prompt = await left_open(tmp_path, replace(REQUEST, about="a step"))
    for other in (REQUEST, replace(REQUEST, about="another"), replace(REQUEST, about="a step", prompt="refine@4")):
        await ask(tmp_path, b"of another", in_other_words(other))
    assert not prompt.with_name(prompt.name.replace(".prompt.", ".answer.")).exists() and len(prompts(tmp_path)) == 3


async def test_an_answer_that_still_grows_is_awaited(tmp_path: Path) -> None:
    async def write(place: Path) -> None:
        for size in range(1, 4):
            grow(place, size)
            await asyncio.sleep(0.3)

    writing: list[asyncio.Task[None]] = []
    provider = ManualProvider(tmp_path, PriceTable(), lambda _, place: writing.append(asyncio.create_task(write(place))))
    async with asyncio.timeout(10):
        answer = await provider.complete(REQUEST, lambda _: None)
    assert isinstance(answer, Completion) and answer.text == "xxx"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(b"x" * 1_200_000, FailureKind.TOO_LARGE), (b"\xff\xfe\x00x", FailureKind.BAD_REPLY), (b"a\0b", FailureKind.BAD_REPLY)],
)
async def test_an_answer_that_is_none_is_reported_as_such(tmp_path: Path, answer: bytes, kind: FailureKind) -> None:
    failure = await ask(tmp_path, answer)
    assert isinstance(failure, CompletionFailure) and failure.kind is kind
    assert str(tmp_path) in failure.message


async def test_cancelling_ends_the_wait(tmp_path: Path) -> None:
    waiting = asyncio.Event()
    provider = ManualProvider(tmp_path, PriceTable(), lambda *_: waiting.set())
    asking = asyncio.create_task(provider.complete(REQUEST, lambda _: None))
    await waiting.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotAnswerError, match="cannot be written"):
        await ManualProvider(tmp_path / "file", PriceTable()).complete(REQUEST, lambda _: None)
