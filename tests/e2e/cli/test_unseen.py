"""Edits as strangers made them, each once judged wrongly: every one gets the verdict that a person would sign."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

from tests.e2e.cli.harness import DATA, Cli, Ended
from tests.thorough import first_of

pytestmark = pytest.mark.skipif("KERNELOPT_ALL_CHEATS" not in os.environ, reason="takes minutes: make test-cheats")
FOUND = DATA / "found"
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


def _compared(cli: Cli, name: str) -> Ended:
    return cli.run("compare", FOUND / f"{name}.before.cu", FOUND / f"{name}.after.cu", "--json")


def _overall(ended: Ended) -> dict[str, Any]:
    return ended.all("comparison")[-1]


def test_columns_that_are_never_written_fail_though_the_input_is_nearly_all_zeros(cli: Cli) -> None:
    ended = _compared(cli, "sparse_input")
    assert ended.code == 1
    assert ended.one("comparison")["verification"]["outcome"] == "FAIL"


def test_what_recorded_values_and_sizes_do_not_show_is_shown_by_others(cli: Cli) -> None:
    ended = cli.run("compare", FOUND / "nine_kernels.before.cu", FOUND / "nine_kernels.after.cu", "--json")
    compared = {(item["kernel"] or "").partition("(")[0]: item["verification"] for item in ended.all("comparison")}
    assert compared["w_asyncnowait"]["outcome"] == "FAIL"
    assert [name for name in LABELS if compared[name]["outcome"] == "PASS"] == []
    assert [name for name, label in LABELS.items() if label not in compared[name]["labels"]] == []


@pytest.mark.parametrize("name", first_of(["sum_in_a_new_kernel", "gamma_in_the_next_kernel", "zeroed_by_the_host"]))
def test_work_that_is_moved_is_right_and_no_gain(cli: Cli, name: str) -> None:
    """To a new kernel, to one that was there, to a fill: values are right, and what was moved counts on both sides."""
    overall = _overall(_compared(cli, name))
    assert overall["verification"]["outcome"] in ("PASS", "NEEDS_DECISION")
    speed = overall["speed"]
    assert speed["outcome"] == "INCONCLUSIVE" or (speed["outcome"] == "PREDICTED" and speed["ratio"] <= 1.0)


def test_fused_kernels_are_judged_as_one_sequence(cli: Cli) -> None:
    overall = _overall(_compared(cli, "fused_attention"))
    assert overall["verification"]["outcome"] == "PASS", overall["verification"]
    assert overall["speed"]["outcome"] == "PREDICTED" and overall["speed"]["ratio"] > 1.5
    assert overall["speed"]["caveats"][-1] == "of 3 launches of A and 1 of B as one sequence"


def test_a_macro_of_a_single_compiler_selects_no_other_program(cli: Cli) -> None:
    assert _compared(cli, "thread_macro").code == 1


def test_an_honest_sum_by_atomics_passes(cli: Cli) -> None:
    comparison = _overall(_compared(cli, "atomic_sums"))
    assert comparison["verification"]["outcome"] == "PASS", comparison["verification"]


def test_a_promise_that_a_launch_in_place_breaks_fails(cli: Cli) -> None:
    codes = {finding["code"] for finding in _overall(_compared(cli, "in_place"))["verification"]["findings"]}
    assert codes >= {"stale_read", "wrong_value"}


def test_host_functions_declared_as_device_code_are_refused(cli: Cli) -> None:
    """Run as host code, the kernel would print a file; the emulator refuses it, too (`emulator_front/test_device_calls`)."""
    ended = cli.run("check", FOUND / "device_open.cu")
    assert ended.code == 1
    assert socket.gethostname() not in ended.said
