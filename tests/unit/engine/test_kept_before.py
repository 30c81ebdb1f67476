"""What a resumed search takes up of a model's edits: whole candidates, in every file that they changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.kept_before import taken_up
from assistant.engine.search.resume import EarlierSearch
from assistant.engine.search.trials import SearchNode, Trial, TrialHistory
from assistant.model.attempt import Attempt, OtherFile
from assistant.model.plan import Rewrite, Step
from assistant.model.profile import Signature
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome

KERNEL, RUN = Path("/w/k.cuh"), Path("/w/run.cu")


def node(kernel: str, run: str, others: tuple[Source, ...] = ()) -> SearchNode:
    own = Source(KERNEL, kernel)
    version = SimpleNamespace(source=own, sources=(own, Source(RUN, run)))
    return SearchNode(cast("Any", SimpleNamespace(version=version)), others=others)


def attempt(number: int, parent: str, text: str, also: tuple[OtherFile, ...]) -> Attempt:
    return Attempt(
        id=f"C{number}", job="J1", workspace=Path("/w"), path=KERNEL, kernel="k()", technique="block-size", finding="KO101", line=1,
        planner="llm", parent_text=parent, text=text, outcome=TrialOutcome.KEPT, reason="", verification=None, comparison=None,
        predictions=(), before=Signature("dram", ()), after=None, lab="cpu", device="", target="h200", created_ms=number, also=also,
    )  # fmt: skip


FIRST = attempt(1, "kernel 32\n", "kernel 64\n", (OtherFile(RUN, "run 32\n", "run 64\n", False),))
SECOND = attempt(2, "kernel 64\n", "kernel 64 padded\n", (OtherFile(RUN, "run 64\n", "run 64\n", True),))


async def taken(root: SearchNode, *attempts: Attempt) -> list[SearchNode]:
    """What is carried on with; every candidate is kept."""
    assessed = (SimpleNamespace(kernel=SimpleNamespace(key="k()")),)
    said: list[object] = []
    context = SimpleNamespace(
        shape=SimpleNamespace(asks_models=True), start=root, kernel="k", earlier=EarlierSearch("J1", (), attempts, frozenset()),
        assessed=lambda _: assessed, job=SimpleNamespace(say=lambda *words: said.append(words)),
    )  # fmt: skip

    async def judge(parent: SearchNode, step: Step, rewrite: Rewrite) -> Trial:
        made = edited_texts(parent, rewrite)
        assert isinstance(made, EditedTexts)
        if "wrong" in made.text:
            return Trial("C8", step, rewrite, made.text, made.others, TrialOutcome.FAILED, "it is wrong")
        child = node(made.text, {source.path: source.text for source in made.others}[RUN], made.others)
        kept = replace(child, attempts=(*parent.attempts, made.text))
        return Trial("C9", step, rewrite, made.text, made.others, TrialOutcome.KEPT, "", 1.5, node=kept)

    services = SimpleNamespace(history=TrialHistory((), 9), trials=SimpleNamespace(judge=judge))
    found = await taken_up(cast("Any", context), cast("Any", services), Frontier.at(root))
    return [chosen for chosen in found.chosen if chosen is not root]


@pytest.mark.asyncio
async def test_an_edit_of_two_files_and_what_was_built_on_it_are_taken_up_whole() -> None:
    first, second = await taken(node("kernel 32\n", "run 32\n"), FIRST, SECOND)
    assert (first.key, second.key) == (FIRST.key, SECOND.key)
    assert first.others == second.others == (Source(RUN, "run 64\n"),)


@pytest.mark.asyncio
async def test_neither_an_edit_of_a_later_version_nor_one_that_fails_now_keeps_others_from_being_taken_up() -> None:
    wrong = replace(FIRST, id="C3", text="kernel 64 and wrong\n")
    found = await taken(node("kernel 32\n", "run 32\n"), SECOND, wrong, FIRST)
    assert [version.key for version in found] == [FIRST.key, SECOND.key]


@pytest.mark.asyncio
async def test_an_edit_is_left_where_its_other_file_changed_since() -> None:
    assert await taken(node("kernel 32\n", "run 32 and more\n"), FIRST, SECOND) == []


@pytest.mark.asyncio
async def test_edits_that_were_not_kept_and_those_of_other_kernels_are_left() -> None:
    root = node("kernel 32\n", "run 32\n")
    assert await taken(root, replace(FIRST, outcome=TrialOutcome.FAILED), replace(FIRST, kernel="other()")) == []
    assert [one.key for one in await taken(root, replace(FIRST, outcome=TrialOutcome.FAILED), FIRST)] == [FIRST.key]


@pytest.mark.asyncio
async def test_edits_of_a_kernel_that_took_the_place_of_this_one_are_taken_up() -> None:
    found = await taken(node("kernel 32\n", "run 32\n"), FIRST, replace(SECOND, kernel="fused()"))
    assert [version.key for version in found] == [FIRST.key, SECOND.key]
