"""split-loop gives the columns of a launch more threads each, the fewer of them there are and the more rows they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, RecordedScalar
from assistant.plan.expert.split_loop import SplitLoop

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "split-loop"


def rows_of(count: int) -> RecordedFacts:
    scalar = RecordedScalar("rows", count, count, 1)
    return RecordedFacts("k", FactsOrigin.RECORDED, 1, 1, (), (), (), (scalar,))


@pytest.fixture
def texts(context_of, applied):
    def check(name: str, blocks: int, block: int, rows: int | None = None, line: str | None = None) -> list[str]:
        text = (DATA / f"{name}.cu").read_text("utf-8")
        if line is not None:
            at = next(number for number, each in enumerate(text.splitlines(), 1) if line in each)
            head, _, rest = text.partition("\n")
            text = f"{head.partition(' line=')[0]} line={at} finding=KO111\n{rest}"
        context = replace(
            context_of(text), launches=(LaunchConfig(Dim3(blocks), Dim3(block)),), recorded=None if rows is None else rows_of(rows)
        )
        return [applied(text, rewrite).partition("\n")[2] for rewrite in SplitLoop().rewrite(context)]

    return check


@pytest.mark.parametrize(("columns", "shape"), [(1024, "8, 128"), (4096, "16, 64"), (8192, "32, 32"), (65536, "32, 16")])
def test_the_fewer_columns_the_more_threads_each(texts, columns, shape):
    first, *_ = texts("columns_behind_another", columns // 64, 64)
    assert f"dim3({shape})" in first


def test_the_parts_of_many_threads_are_halved_step_by_step(texts):
    first, usual = texts("columns_behind_another", 2, 64)
    assert "for (int half = 64; half > 0; half /= 2) {\n        if (threadIdx.y < half) dot_parts" in first
    assert "for (int part = 1; part < 16; part++) dot += dot_parts[part][threadIdx.x];" in usual


def test_few_rows_get_no_more_threads_than_they_feed(texts):
    assert "dim3(8, 128)" in texts("columns_behind_another", 2, 64, rows=512)[0]
    assert "dim3(16, 64)" in texts("columns_behind_another", 2, 64, rows=500)[0]
    assert "dim3(32, 16)" in texts("columns_behind_another", 2, 64, rows=100)[0]


def test_a_finding_at_the_launch_is_about_the_kernels_loop(texts):
    assert texts("columns_behind_another", 2, 64, line="project<<<") == texts("columns_behind_another", 2, 64)
