"""Calls of language models are kept as they were, once, and go when they are forgotten."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.memory import ForgetScope, MemoryStore, export_lines, open_store
from assistant.model.attempt import JobRow
from assistant.model.completion import (
    ChatMessage,
    CompletionFailure,
    FailureKind,
)
from tests.contracts.stored import CALL

FAILED = replace(
    CALL,
    request=replace(CALL.request, id="M2"),
    answer=CompletionFailure(FailureKind.TIMED_OUT, "late", "wait", "half an answer"),
    started_ms=6_000,
    candidate="C01",
)


@pytest.fixture
def started(store: MemoryStore, given: Any) -> MemoryStore:
    for job, path in (("J01", given.file), ("J02", given.workspace / "other.cu")):
        store.start_job(JobRow(job, "optimize", path, given.workspace, "host 1 cli", 1, 1, None, None, False))
    return store


def test_calls_come_back_as_they_were_in_order(started: MemoryStore) -> None:
    other = replace(CALL, request=replace(CALL.request, id="M3"), job="J02", started_ms=1_000)
    for call in (FAILED, CALL, other, CALL):
        started.add_model_call(call)
    assert started.model_calls("J01") == (CALL, FAILED)
    assert started.model_calls() == (other, CALL, FAILED)
    assert started.verify().damages == ()


def test_a_stored_call_is_never_changed(started: MemoryStore) -> None:
    started.add_model_call(CALL)
    with pytest.raises(ValueError, match="with other contents"):
        started.add_model_call(replace(CALL, duration_ms=8))
    with pytest.raises(Exception, match="never changed"):
        started.database.execute("update model_calls set record = '{}'")
    with pytest.raises(Exception, match="never deleted"):
        started.database.execute("delete from model_calls")


def test_forgetting_a_file_purges_its_prompts_and_answers(started: MemoryStore, path: Path, given: Any) -> None:
    kept = replace(CALL, request=replace(CALL.request, id="M3", messages=(ChatMessage("user", "another file"),)), job="J02")
    for call in (CALL, FAILED, kept):
        started.add_model_call(call)
    forgotten = started.forget(ForgetScope(path=given.file), now_ms=9_000)
    assert forgotten.call_count == 2
    assert started.model_calls() == (kept,)
    assert started.verify().damages == ()
    started.close()
    left = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
    assert b"whole source" not in left and b"half an answer" not in left


def test_a_lost_prompt_shows(started: MemoryStore) -> None:
    started.add_model_call(CALL)
    started.database.execute("update blobs set content = null")
    assert any("M1 refers to it" in damage.message for damage in started.verify().damages)


def test_calls_are_exported_with_their_texts(started: MemoryStore) -> None:
    started.add_model_call(CALL)
    (line,) = [line for line in export_lines(started) if '"record":"call"' in line]
    assert "the raw answer" in line and "You write CUDA." in line


def test_calls_survive_a_file_of_their_own_version(path: Path) -> None:
    path.parent.mkdir()
    data = Path(__file__).parents[2] / "data" / "memory" / "version6.sqlite3"
    path.write_bytes(data.read_bytes())
    with open_store(path) as store:
        assert store.model_calls() == (CALL,)
