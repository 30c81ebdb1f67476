"""Names that a word in CUDA may become."""

from __future__ import annotations

import pytest

from assistant.cuda.offered_names import offered_names

_KERNEL = "__global__ void scale(float *values, float factor)\n{\n    int i = "


@pytest.mark.parametrize(
    ("before", "after", "prefix", "name"),
    [
        (_KERNEL + "blockI", ";\n}", "blockI", "blockIdx"),
        (_KERNEL + "threadIdx.", ";\n}", "", "x"),
        (_KERNEL + "val", "[i];\n}", "val", "values"),
        ("__sync", "\n}", "__sync", "__syncthreads"),
        ("fa", " = later_factor;", "fa", "fabsf"),
    ],
)
def test_a_word_may_become_names_of_the_text_and_of_cuda(before: str, after: str, prefix: str, name: str) -> None:
    typed, names = offered_names(before, after)
    assert typed == prefix and name in names
    assert all(offered.startswith(prefix) and offered != prefix for offered in names)


def test_after_a_dot_only_members_are_offered() -> None:
    assert offered_names("int i = blockDim.", "")[1] == ("x", "y", "z")
    assert offered_names("p.mass = 1; q.", "")[1] == ("mass",)


def test_nothing_typed_offers_no_words_of_the_language() -> None:
    assert "__global__" not in offered_names("int first = ", "")[1]
