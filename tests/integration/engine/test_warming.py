"""The emulator built ahead of the first program."""

from __future__ import annotations

from assistant.engine.doctor import warm_emulator
from tests.caches import shared_cache


async def test_the_emulator_is_built_before_any_program_runs() -> None:
    assert await warm_emulator(shared_cache())
    assert len(list((shared_cache() / "emulator").glob("prelude-*/"))) >= 2, "what profiles, and what verifications are compiled with"
