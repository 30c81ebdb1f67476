"""Islands of a search: each builds on its own versions; one that finds nothing more takes over what others kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.search.context import RoundResult
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.islands import Islands


@dataclass(frozen=True)
class Version:
    """What rounds and frontiers ask of a version."""

    key: str
    ratio: float = 1.0
    attempts: tuple[str, ...] = ()
    is_submitted: bool = False
    may_be_built_on: bool = True
    needs_decision: bool = False
    has_host_code: bool = False
    awaits_sizes: bool = False


ROOT = Version("root")
A, B, C = (Version(name, ratio, (name,)) for name, ratio in (("a", 1.5), ("b", 1.3), ("c", 1.2)))


async def rounds(kept: Mapping[tuple[int, str], tuple[Version, ...]], waits: Mapping[tuple[int, str], int]) -> list[tuple[int, str]]:
    """(island, version) of each round of two islands; ``waits``: rounds that end only when so many others have."""
    begun: list[tuple[int, str]] = []
    ended = 0

    async def run_round(context: Any, services: Any, node: Any, island: int) -> RoundResult:
        nonlocal ended
        begun.append((island, node.key))
        while ended < waits.get((island, node.key), 0):  # noqa: ASYNC110 - a number of other rounds has no event
            await asyncio.sleep(0)
        ended += 1
        found: Any = kept.get((island, node.key), ())
        return RoundResult(found, node, False, ())

    shape = SimpleNamespace(width=2, asks_models=True, patience_rounds=2, near_limit_ratio=None)
    context: Any = SimpleNamespace(shape=shape, options=SimpleNamespace(max_rounds=3), searched=lambda node: ())
    accounts = SimpleNamespace(may_begin_round=lambda: True)
    services: Any = SimpleNamespace(accounts=accounts, history=SimpleNamespace(is_full=False), run_round=run_round)
    root: Any = ROOT
    async with asyncio.timeout(10):
        await Islands(context, services, Frontier.at(root)).run()
    return begun


@pytest.mark.parametrize(
    ("kept", "second"),
    [
        ({(0, "root"): (A, B)}, "b"),  # the best that no island has built on
        ({(0, "root"): (A,)}, "a"),  # the best of all
        ({(0, "root"): (A, B), (1, "root"): (C,)}, "c"),  # its own
        ({}, "root"),  # the same once more
    ],
)
async def test_an_island_that_finds_nothing_more_takes_over_what_others_kept(
    kept: dict[tuple[int, str], tuple[Version, ...]], second: str
) -> None:
    begun = await rounds(kept, {(1, "root"): 1, (0, "a"): 2})
    assert [key for island, key in begun if island == 1][:2] == ["root", second]
