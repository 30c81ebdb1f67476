"""Edits that a search found, merged into as few versions of the program as they allow."""

from __future__ import annotations

from benchmarks.gpu.ncu_searches import Edit, merged

_TEXT = "".join(f"line {number}\n" for number in range(20))


def _edit(proposal: str, kernel: str, **changed: str) -> Edit:
    """``line3="x"``: that line replaced."""
    lines = _TEXT.splitlines(keepends=True)
    for name, words in changed.items():
        lines[int(name.removeprefix("line"))] = f"{words}\n"
    return Edit(proposal, kernel, ("some-technique",), (), "", "good", "".join(lines))


def _made(*edits: Edit) -> list[list[str]]:
    return [[edit.proposal for edit in version.edits] for version in merged(_TEXT, edits)]


def test_edits_of_different_kernels_make_one_version() -> None:
    first, second = _edit("P1", "a", line2="a, faster"), _edit("P2", "b", line12="b, faster")
    (version,) = merged(_TEXT, (first, second))
    assert version.edits == (first, second)
    assert version.text == _TEXT.replace("line 2\n", "a, faster\n").replace("line 12\n", "b, faster\n")


def test_edits_of_the_same_kernel_make_a_version_each() -> None:
    assert _made(_edit("P1", "a", line2="x"), _edit("P2", "a", line4="y"), _edit("P3", "b", line9="z")) == [["P1", "P3"], ["P2"]]


def test_an_edit_that_clashes_goes_where_it_fits() -> None:
    edits = (_edit("P1", "a", line2="x"), _edit("P2", "a", line4="y"), _edit("P3", "b", line2="z", line9="z"))
    assert _made(*edits) == [["P1"], ["P2", "P3"]]


def test_a_change_that_two_edits_share_is_made_once() -> None:
    (version,) = merged(_TEXT, (_edit("P1", "a", line0="#include", line5="x"), _edit("P2", "b", line0="#include", line9="y")))
    assert version.text.splitlines()[0] == "#include" and version.text.count("#include") == 1
