"""Edits fit any text: Windows line ends, and characters of more than one byte before the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding
from assistant.plan.expert.staged_store import StagedStore

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
TRANSFORMATIONS = {t.technique: t for t in (BlockSizeSearch(), CoalescingInterchange(), SharedMemoryPadding(), StagedStore())}
PROGRAMS = [
    pytest.param(technique, path.name.removesuffix(".expected.cu"), id=f"{technique}-{path.name.removesuffix('.expected.cu')}")
    for technique in TRANSFORMATIONS
    for path in sorted((DATA / technique).glob("*.expected.cu"))
]


def windows(text):
    return text.replace("\n", "\r\n")


def worded(text):
    """A comment of many wide characters on the first line, behind what the test reads there."""
    head, rest = text.split("\n", 1)
    return f"{head} — größer als Δx·Δy 🚀\n{rest}"


@pytest.mark.parametrize("change", [windows, worded])
@pytest.mark.parametrize(("technique", "name"), PROGRAMS)
def test_an_edit_fits_the_text(technique, name, change, context_of, applied):
    folder = DATA / technique
    text = change((folder / f"{name}.cu").read_text("utf-8"))
    rewrites = TRANSFORMATIONS[technique].rewrite(context_of(text))
    assert applied(text, rewrites[0]) == change((folder / f"{name}.expected.cu").read_text("utf-8"))
