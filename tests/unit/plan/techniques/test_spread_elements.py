"""Shared arrays without rows: the helper that spreads them, the size that they get, and what holds the edit back."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.plan import Decline, DeclineReason
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "shared-memory-padding"


def changed(name: str, *replaced: tuple[str, str]) -> str:
    text = (DATA / f"{name}.cu").read_text("utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("size", "longer"),
    [
        ("Width", "Width + Width / 16"),
        ("128", "128 + 8"),
        ("Width / 1", "Width / 1 + Width / 16"),
        ("Width + 1", "(Width + 1) + (Width + 1) / 16"),
    ],
)
def test_the_size_is_longer_by_its_own_text(size, longer, context_of, applied):
    text = changed("strided_tree", ("best[Width]", f"best[{size}]"))
    (rewrite,) = SharedMemoryPadding().rewrite(context_of(text))
    assert f"__shared__ double best[{longer}];" in applied(text, rewrite)


def test_a_macro_that_is_a_sum_is_divided_as_a_whole(context_of, applied):
    text = changed("scan_of_a_macro", ("#define ITEMS (2*THREADS)", "#define ITEMS THREADS+THREADS"))
    (rewrite,) = SharedMemoryPadding().rewrite(context_of(text))
    assert "temp[ITEMS+(ITEMS)/32];" in applied(text, rewrite)


def test_a_helper_of_another_meaning_keeps_its_name(context_of, applied):
    text = changed(
        "strided_tree", ("// the largest", "__device__ int padded(int i) { return i + 4; }\n// the largest"), ("line=16", "line=17")
    )
    (rewrite,) = SharedMemoryPadding().rewrite(context_of(text))
    assert "best[padded2(thread)]" in applied(text, rewrite)


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        (("best[0];", "*best;"), DeclineReason.ROW_LENGTH_MATTERS),
        (("best[thread] =", "*(best + thread) ="), DeclineReason.ROW_LENGTH_MATTERS),
        (("best[Width];", "best[6000];"), DeclineReason.LIMIT_EXCEEDED),
        (("stride = 1; stride < Width; stride *= 2", "stride = 64; stride < Width; stride *= 2"), DeclineReason.NOTHING_TO_CHANGE),
        (("stride = 1;", "stride = unsigned(values[0]);"), DeclineReason.ADDRESS_UNKNOWN),
    ],
)
def test_what_would_be_wrong_or_no_better_is_declined(replaced, code, context_of):
    result = SharedMemoryPadding().rewrite(context_of(changed("strided_tree", replaced)))
    assert isinstance(result, Decline)
    assert result.code is code, result.reason
