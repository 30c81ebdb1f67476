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
