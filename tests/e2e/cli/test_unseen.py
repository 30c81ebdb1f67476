"""Edits that are right on everything that a program happens to pass: each is refused, or shown for what it assumes."""

from __future__ import annotations

from tests.e2e.cli.harness import DATA, Cli

FOUND = DATA / "found"
DEADLINE_S = 400.0
LABELS = {
    "w_log1p": "precision",
    "w_denorm": "precision",
    "w_intsum": "assumption",
    "w_shift": "assumption",
    "w_larger_n": "assumption",
    "w_bsearch": "assumption",
    "w_variance": "precision",
    "w_skipzero": "nan-behaviour",
}
"""What tells of the edit, by kernel: the names say what is wrong with each."""


def test_columns_that_are_never_written_fail_though_the_input_is_nearly_all_zeros(cli: Cli) -> None:
    ended = cli.run("compare", FOUND / "sparse_input.before.cu", FOUND / "sparse_input.after.cu", "--json")
    assert ended.code == 1
    assert ended.one("comparison")["verification"]["outcome"] == "FAIL"


def test_what_recorded_values_and_sizes_do_not_tell_is_told_by_others(cli: Cli) -> None:
    ended = cli.run("compare", FOUND / "nine_kernels.before.cu", FOUND / "nine_kernels.after.cu", "--json", deadline_s=DEADLINE_S)
    compared = {(item["kernel"] or "").partition("(")[0]: item["verification"] for item in ended.all("comparison")}
    assert {name: compared[name]["outcome"] for name in LABELS} == dict.fromkeys(LABELS, "NEEDS_DECISION")
    assert [name for name, label in LABELS.items() if label not in compared[name]["labels"]] == []
