"""An editor's job asks a language model only where a person agreed to it for that endpoint and workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.config import ConsentAnswer, Settings, TrustStore
from assistant.editor.models import ModelConsents
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.planning import ModelNotice

OPTIONS = OptimizeOptions(may_call_models=False)


class Person:
    def __init__(self, answer: ConsentAnswer | None) -> None:
        self.answer = answer
        self.seen: list[ModelNotice] = []

    async def __call__(self, notice: ModelNotice) -> ConsentAnswer | None:
        self.seen.append(notice)
        return self.answer


@pytest.fixture
def trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrustStore:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    return TrustStore(tmp_path / "trust.json")


def settings(**provider: Any) -> Settings:
    return Settings.model_validate({"provider": {"kind": "openai", "base_url": "http://localhost:9/v1", "model": "small"} | provider})


async def agreed(trust: TrustStore, person: Person, path: Path, chosen: Settings, options: OptimizeOptions = OPTIONS) -> bool | None:
    return (await ModelConsents(trust, person).agreed(options, chosen, path / "k.cu", kernel_count=1)).may_call_models


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "may_call", "asked_again"),
    [(ConsentAnswer.ONCE, True, True), (ConsentAnswer.ALWAYS, True, False), (ConsentAnswer.NEVER, False, False), (None, False, True)],
)
async def test_the_answer_counts_and_is_remembered(
    trust: TrustStore, tmp_path: Path, answer: ConsentAnswer | None, may_call: bool, asked_again: bool
) -> None:
    person = Person(answer)
    assert [await agreed(trust, person, tmp_path, settings()) for _ in range(2)] == [may_call, may_call]
    assert len(person.seen) == (2 if asked_again else 1)


@pytest.mark.asyncio
async def test_another_endpoint_is_another_question(trust: TrustStore, tmp_path: Path) -> None:
    person = Person(ConsentAnswer.ALWAYS)
    await agreed(trust, person, tmp_path, settings())
    await agreed(trust, person, tmp_path, settings(coder_base_url="http://localhost:10/v1"))
    assert [notice.endpoints for notice in person.seen] == [
        ("http://localhost:9/v1",),
        ("http://localhost:9/v1", "http://localhost:10/v1"),
    ]


@pytest.mark.asyncio
async def test_no_person_is_asked_where_no_model_would_be(trust: TrustStore, tmp_path: Path) -> None:
    person = Person(ConsentAnswer.ALWAYS)
    assert await agreed(trust, person, tmp_path, Settings()) is False
    assert await agreed(trust, person, tmp_path, settings(), OptimizeOptions(planner="expert", may_call_models=False)) is False
    assert person.seen == []


@pytest.mark.asyncio
async def test_the_editors_own_model_asks_for_itself(trust: TrustStore, tmp_path: Path) -> None:
    person = Person(None)
    assert await agreed(trust, person, tmp_path, settings(kind="editor")) is True
    assert person.seen == []


@pytest.mark.asyncio
async def test_prompt_files_are_named_by_their_folder(trust: TrustStore, tmp_path: Path) -> None:
    person = Person(ConsentAnswer.ONCE)
    await agreed(trust, person, tmp_path, settings(kind="manual"))
    assert person.seen[0].endpoints == (str(tmp_path / ".kernelopt" / "prompts"),)
