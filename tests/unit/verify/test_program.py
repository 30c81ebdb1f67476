"""The program-level oracle: what reaches the host must be what the original sends there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import CannotJudge, Outcome
from assistant.model.workload import FixedTolerance
from assistant.verify.evidence import ProgramVerdict
from assistant.verify.program import compare_programs
from assistant.verify.transfers import HostData, ProgramTrace

VALUES = np.random.default_rng(0).standard_normal(100).astype(np.float32)


C_TYPES = {"float16": "half", "float32": "float", "float64": "double", "int32": "int"}


def trace(stdout: str = "sum = 12.5\n", values: np.ndarray | None = VALUES, exit_status: int | None = 0) -> ProgramTrace:
    data = () if values is None else (HostData("memcpy", values.tobytes(), C_TYPES[str(values.dtype)], "memcpy after launch 0"),)
    return ProgramTrace(exit_status, stdout.encode(), data)


def untyped(values: np.ndarray) -> ProgramTrace:
    return ProgramTrace(0, b"", (HostData("memcpy", values.tobytes(), None, "memcpy after launch 0"),))


def verdict(a: ProgramTrace, b: ProgramTrace, again: ProgramTrace | None = None) -> ProgramVerdict:
    result = compare_programs(a, again or a, b)
    assert isinstance(result, ProgramVerdict), result
    return result


def codes(a: ProgramTrace, b: ProgramTrace, again: ProgramTrace | None = None) -> list[str]:
    return [finding.code for finding in verdict(a, b, again).findings]


def test_equal_runs_pass() -> None:
    result = verdict(trace(), trace())
    assert result.findings == () and result.masked == ()


@pytest.mark.parametrize(
    ("printed", "found"), [(b"1\n2\n3\n4", []), (b"1\n2\n", []), (b"1\n7\n3\n", ["wrong_output"]), (b"1\n", ["wrong_output"])]
)
def test_of_output_that_was_cut_whole_lines_are_compared_and_the_rest_is_named(printed: bytes, found: list[str]) -> None:
    cut = ProgramTrace(0, b"1\n2\n34", (), is_truncated=True)
    result = verdict(cut, ProgramTrace(0, printed, (), is_truncated=len(printed) > 6))
    assert [finding.code for finding in result.findings] == found
    assert result.masked == ("what the program prints beyond the limit of its output",)


@pytest.mark.parametrize("stdout", ["sum = 12.6\n", "total = 12.5\n", "sum = 12.5\nmore 1\n", "", "sum = nan\n", "sum = 12.5 12.5\n"])
def test_other_text_is_found(stdout: str) -> None:
    assert codes(trace(), trace(stdout)) == ["wrong_output"]


def test_how_often_the_host_waits_is_its_own_affair() -> None:
    def shared(*seen: int, wrong: float = 0.0) -> ProgramTrace:
        looks = [HostData("managed", (VALUES * look).tobytes(), "float", f"after {look}", buffer=7) for look in seen]
        last = HostData("memcpy", (VALUES + np.float32(wrong)).tobytes(), "float", "the copy", buffer=3)
        return ProgramTrace(0, b"", (*looks, last))

    assert codes(shared(1, 2, 3), shared(3)) == [] and codes(shared(3), shared(1, 2, 3)) == []
    assert codes(shared(1, 2, 3), shared(1, 2)) == ["wrong_value"] and codes(shared(1, 3), shared(3, wrong=1.0)) == ["wrong_value"]


def test_a_decimal_may_differ_in_its_last_place() -> None:
    assert codes(trace("sum = 1234.5678\n"), trace("sum = 1234.5679\n")) == []
    assert codes(trace("sum = 1234.5678\n"), trace("sum = 1235.5678\n")) == ["wrong_output"]


def test_a_whole_number_may_not_differ() -> None:
    assert codes(trace("errors 1000000\n"), trace("errors 1000001\n")) == ["wrong_output"]


def test_what_the_originals_own_runs_print_differently_is_masked_and_listed() -> None:
    result = verdict(trace("at 0x7f01 ok 3\n"), trace("at 0x9999 ok 3\n"), trace("at 0x7f02 ok 3\n"))
    assert result.findings == () and "0x7f01" in result.masked[0]
    assert codes(trace("at 0x7f01 ok 3\n"), trace("at 0x9999 ok 4\n"), trace("at 0x7f02 ok 3\n")) == ["wrong_output"]


@pytest.mark.parametrize(
    ("mine", "their"),
    [
        ("kernel took 0.51 ms", "kernel took 0.13 ms"),
        ("Time: 1.5", "Time: 0.2"),
        ("Bandwidth 812.5 GB/s", "Bandwidth 1912.5 GB/s"),
        ("12 ms", "3 ms"),
    ],
)
def test_times_and_rates_are_masked_even_if_two_runs_agree(mine: str, their: str) -> None:
    result = verdict(trace(mine), trace(their))
    assert result.findings == () and result.masked


def test_sizes_next_to_times_are_still_compared() -> None:
    assert codes(trace("n 1024 took 0.5 ms"), trace("n 1000 took 0.5 ms")) == ["wrong_output"]


def test_a_wrong_value_on_the_host_is_found() -> None:
    wrong = VALUES.copy()
    wrong[17] += 1
    (finding,) = verdict(trace(), trace(values=wrong)).findings
    assert (finding.code, finding.index) == ("wrong_value", 17)


def test_regrouped_floats_pass_and_larger_errors_do_not() -> None:
    assert codes(trace(), trace(values=VALUES * np.float32(1 + 2.0**-20))) == []
    assert codes(trace(), trace(values=VALUES * np.float32(1.01))) == ["wrong_value"]


def test_doubles_that_follow_from_floats_move_as_far_as_floats() -> None:
    mine = trace(values=VALUES.astype(np.float64))

    def is_refused(error: float, least_roundoff: float) -> bool:
        result = compare_programs(mine, mine, trace(values=VALUES.astype(np.float64) * (1 + error)), None, least_roundoff)
        assert isinstance(result, ProgramVerdict)
        return bool(result.findings)

    assert is_refused(1e-7, 0.0) and not is_refused(1e-7, 2.0**-24) and is_refused(1e-2, 2.0**-24)


def test_results_as_far_from_the_truth_as_the_original_is_known_to_be_are_as_good() -> None:
    def is_refused(error: float, own_error: float) -> bool:
        theirs = trace(f"sum = {12.5 * (1 + error):.8g}\n", (VALUES * (1 + error)).astype(np.float32))
        result = compare_programs(trace("sum = 12.500000\n"), trace("sum = 12.500000\n"), theirs, own_error=own_error)
        assert isinstance(result, ProgramVerdict)
        return bool(result.findings)

    assert is_refused(5e-4, 0.0) and not is_refused(5e-4, 4e-4) and is_refused(5e-3, 4e-4)


def test_numbers_that_move_where_the_original_rounds_otherwise_may_move_as_far() -> None:
    """The difference of two large sums, of which few digits are left."""
    little = (VALUES * np.float32(1e-6)).astype(np.float32)

    def is_refused(moved: float | None, values: float, text: float) -> bool:
        """Whether the program is refused whose values and text move by these shares; ``moved``: by roundings alone."""

        def moved_trace(share: float, shown: float) -> ProgramTrace:
            return trace(f"rest = {1e-6 * (1 + shown):.10g}\n", (little * np.float32(1 + share)).astype(np.float32))

        rounded = None if moved is None else moved_trace(moved, moved)
        result = compare_programs(moved_trace(0.0, 0.0), moved_trace(0.0, 0.0), moved_trace(values, text), rounded=rounded)
        assert isinstance(result, ProgramVerdict)
        return bool(result.findings)

    assert is_refused(None, 0.02, 0.0) and is_refused(None, 0.0, 0.02)
    assert not is_refused(0.02, 0.03, 0.03)
    assert is_refused(0.02, 0.5, 0.0) and is_refused(0.02, 0.0, 0.5)


def test_numbers_of_the_turns_of_a_loop_may_move_as_far_in_any_turn() -> None:
    """Rounding that each turn makes ten times as large, from another turn on than in the run that shows it."""

    def turns(first: float) -> ProgramTrace:
        shares = [0.0 if first == 0.0 else min(0.1, first * 10.0**turn) for turn in range(12)]
        transfers = [HostData("memcpy", (VALUES * (1.0 + share)).tobytes(), "double", f"turn {turn}") for turn, share in enumerate(shares)]
        return ProgramTrace(0, b"3 turns\n", tuple(transfers))

    def is_refused(first: float, rounded: ProgramTrace | None) -> bool:
        result = compare_programs(turns(0.0), turns(0.0), turns(first), rounded=rounded)
        assert isinstance(result, ProgramVerdict)
        return bool(result.findings)

    assert is_refused(1e-9, None) and is_refused(1e-9, turns(1e-30))
    assert not is_refused(1e-9, turns(1e-12))


@pytest.mark.parametrize(
    ("printed", "outcome"), [("rest 0.5000", Outcome.NEEDS_DECISION), ("rest 7", Outcome.FAIL), ("lost", Outcome.FAIL)]
)
def test_a_program_that_makes_roundings_larger_is_left_to_a_person(printed: str, outcome: Outcome) -> None:
    def moved_trace(share: float, text: str) -> ProgramTrace:
        return trace(text + "\n", (VALUES * np.float32(1 + share)).astype(np.float32))

    result = compare_programs(
        moved_trace(0, "rest 0.1000"), moved_trace(0, "rest 0.1000"), moved_trace(0.9, printed), rounded=moved_trace(0.1, "rest 0.1000")
    )
    assert isinstance(result, ProgramVerdict)
    assert {finding.outcome for finding in result.findings} == {outcome}
    assert outcome is Outcome.FAIL or {finding.code for finding in result.findings} == {"amplified_rounding"}


def test_a_declared_tolerance_is_kept_however_large_roundings_become() -> None:
    a, b, rounded = (trace("rest 0.1000\n", (VALUES * np.float32(1 + share)).astype(np.float32)) for share in (0.0, 0.9, 0.1))
    result = compare_programs(a, a, b, FixedTolerance(1e-6, 1e-6), rounded=rounded)
    assert isinstance(result, ProgramVerdict)
    assert {finding.outcome for finding in result.findings} == {Outcome.FAIL}


@pytest.mark.parametrize("values", [VALUES, np.arange(100, dtype=np.int32)])
def test_another_layout_is_a_decision_where_the_program_prints_the_same_of_it(values: np.ndarray) -> None:
    (finding,) = verdict(trace(values=values), trace(values=values[::-1])).findings
    assert (finding.code, finding.outcome) == ("other_layout", Outcome.NEEDS_DECISION)
    lost = values[::-1].copy()
    lost[7] = lost[8]
    for a, b in (((values, "1.5\n"), (lost, "1.5\n")), ((values, "1.5\n"), (values[::-1], "2.5\n")), ((values, ""), (values[::-1], ""))):
        found = verdict(trace(a[1], a[0]), trace(b[1], b[0])).findings
        assert found and {(one.code, one.outcome) for one in found} <= {("wrong_value", Outcome.FAIL), ("wrong_output", Outcome.FAIL)}


def test_a_new_nan_on_the_host_is_found() -> None:
    wrong = VALUES.copy()
    wrong[3] = np.nan
    (finding,) = verdict(trace(), trace(values=wrong)).findings
    assert finding.index == 3 and "NaN" in finding.message


def test_integers_on_the_host_must_be_equal_where_they_are_stable() -> None:
    counts = np.arange(100, dtype=np.int32)
    noisy, wrong = counts.copy(), counts.copy()
    noisy[5], wrong[5] = -1, -2
    assert codes(trace(values=counts), trace(values=wrong)) == ["wrong_value"]
    result = verdict(trace(values=counts), trace(values=wrong), trace(values=noisy))
    assert result.findings == () and "differ between the original's own runs" in result.masked[0]


def test_values_whose_order_varies_between_the_originals_own_runs_are_compared_in_any_order() -> None:
    ints = np.arange(50, dtype=np.int32)
    for values in (ints, ints.astype(np.float32) + np.float32(0.5)):
        again, other = np.roll(values, 7), np.roll(values, 3)
        lost = np.where(other == values[4], values[5], other)
        assert codes(trace(values=values), trace(values=other), trace(values=again)) == []
        assert codes(trace(values=values), trace(values=lost), trace(values=again)) == ["wrong_value"]
        assert codes(trace(values=values), trace(values=other)) == ["other_layout"], "the original's order is the same in both runs"


def test_a_fixed_tolerance_is_used_for_data_and_text() -> None:
    other = trace("sum = 12.6\n", VALUES * np.float32(1.005))
    result = compare_programs(trace(), trace(), other, FixedTolerance(rtol=0.01, atol=0))
    assert isinstance(result, ProgramVerdict) and result.findings == ()


def test_another_exit_status_is_found() -> None:
    assert codes(trace(), trace(exit_status=1)) == ["exit_status"]
    assert codes(trace(), trace(exit_status=None)) == ["exit_status"]


def test_a_missing_transfer_is_found() -> None:
    for values in (None, VALUES[:50]):
        assert codes(trace(""), trace("", values)) == ["wrong_transfer"]
        assert codes(trace(), trace("sum = 12.6\n", values)) == ["wrong_output", "wrong_transfer"]
        result = verdict(trace(), trace(values=values))
        assert [(found.code, found.outcome) for found in result.findings] == [("other_transfer", Outcome.NEEDS_DECISION)]


def test_a_single_result_may_move_as_far_as_the_farthest_of_many() -> None:
    one, far = np.array([26271.3789], np.float32), np.array([26275.9766], np.float32)
    assert codes(trace(values=one), trace(values=far)) == []
    assert codes(trace(values=one), trace(values=one * np.float32(1.001))) == ["wrong_value"]


def test_sums_on_other_values_may_be_rough_where_they_are_few() -> None:
    few, many = np.full(8, 20844.668, np.float32), np.full(800, 20844.668, np.float32)
    for values, of_few, expected in ((few, 1.0, ["wrong_value"]), (few, 8.0, []), (many, 8.0, ["wrong_value"])):
        result = compare_programs(trace(values=values), trace(values=values), trace(values=values * np.float32(1.0003)), of_few=of_few)
        assert isinstance(result, ProgramVerdict) and [finding.code for finding in result.findings] == expected


def test_what_is_printed_of_halves_moves_by_their_roundoff() -> None:
    halves = np.linspace(0.1, 0.5, 40).astype(np.float16)
    texts = ("sum 8.4217 norm 12.22712\n", "sum 8.4103 norm 12.22801\n")
    assert codes(*(trace(text, halves) for text in texts)) == []
    assert codes(*(trace(text, halves.astype(np.float32)) for text in texts)) == ["wrong_output"]


def test_a_sum_that_is_printed_moves_as_far_as_values_that_vary_from_run_to_run() -> None:
    """Also where both runs of the original happen to print the same, as few digits do."""
    random = np.random.default_rng(3)
    first, second, third = (np.full(1000, 0.3, np.float32) + random.normal(0, 1e-4, 1000).astype(np.float32) for _ in range(3))
    own, again = trace("sum 8.42 from 3\n", first), trace("sum 8.42 from 3\n", second)
    assert codes(own, trace("sum 8.40 from 3\n", third), again) == []
    assert codes(own, trace("sum 8.37 from 3\n", third), again) == ["wrong_output"]
    assert codes(own, trace("sum 8.42 from 4\n", third), again) == ["wrong_output"]
    assert codes(own, trace("sum 8.41 from 3\n", first)) == ["wrong_output"], "nothing varies"


def test_another_number_of_partial_sums_is_the_same_where_their_sum_is() -> None:
    few, many = VALUES.astype(np.float64).reshape(10, -1).sum(axis=1), VALUES.astype(np.float64)
    result = verdict(trace(values=few), trace(values=many))
    assert result.findings == () and "partial sums" in result.masked[0]
    assert codes(trace(values=few), trace(values=np.append(many, 1.0))) == ["other_transfer"]


def of_blocks(values: np.ndarray, stdout: str = "sum = 12.5\n") -> ProgramTrace:
    made = trace(stdout, values)
    return replace(made, transfers=tuple(replace(item, is_of_blocks=True) for item in made.transfers))


def test_results_of_blocks_that_share_the_work_otherwise_are_right_where_their_sum_is() -> None:
    terms = np.random.default_rng(1).uniform(0.5, 1.5, (64, 500)).astype(np.float32)
    rows, columns = terms.sum(axis=1), terms.T.reshape(64, 500).sum(axis=1)
    result = verdict(of_blocks(rows), trace(values=columns))
    assert result.findings == () and "which part of the sum" in result.masked[0]
    assert codes(trace(values=rows), trace(values=columns)) == ["wrong_value"], "elements, as far as is known"
    short = columns.copy()
    short[3] -= terms[0, 0]
    assert codes(of_blocks(rows), trace(values=short)) == ["wrong_value"], "one of 32,000 terms is missing"
    assert codes(of_blocks(rows), trace("sum = 13\n", columns)) == ["wrong_output"]
    signed = np.random.default_rng(2).uniform(-1.0, 1.0, (64, 500)).astype(np.float32)
    near_zero = signed.T.reshape(64, 500).sum(axis=1)
    assert codes(of_blocks(signed.sum(axis=1)), trace(values=near_zero)) == [], "a sum near 0 is as exact as its terms"


def test_a_program_that_shows_nothing_cannot_be_judged_by() -> None:
    silent = trace("done\n", None)
    assert isinstance(compare_programs(silent, silent, silent), CannotJudge)
    timing = trace("took 3.5 ms\n", None)
    assert isinstance(compare_programs(timing, timing, timing), CannotJudge)


def test_an_original_that_crashes_cannot_be_judged_by() -> None:
    crashed = replace(trace(), exit_status=None)
    assert isinstance(compare_programs(crashed, crashed, trace()), CannotJudge)


def test_tiny_floats_are_floats_where_the_type_is_known() -> None:
    prices = np.exp(np.linspace(-60, 3, 100)).astype(np.float32)
    moved = np.nextafter(prices, np.float32(100))
    assert codes(trace(values=prices), trace(values=moved)) == []


def test_a_difference_in_data_of_unknown_type_says_how_it_was_compared() -> None:
    words = np.random.default_rng(1).integers(0, 2**32, 100, dtype=np.uint32)
    (finding,) = verdict(untyped(words), untyped(words + np.uint32(1))).findings
    assert finding.code == "untyped_value" and "type unknown, compared as bytes" in finding.message
    (finding,) = verdict(untyped(VALUES), untyped(VALUES * np.float32(1.5))).findings
    assert finding.code == "untyped_value" and "type unknown, compared as float" in finding.message


def test_a_wrong_value_of_known_type_is_shown_before_one_of_unknown_type() -> None:
    words = np.arange(100, dtype=np.int32)
    both = [replace(untyped(w), transfers=(*untyped(w).transfers, *trace(values=w).transfers)) for w in (words, words + np.int32(1))]
    assert codes(both[0], both[1]) == ["wrong_value"]


def shared(*values: int, is_page_locked: bool = False) -> ProgramTrace:
    """A program that prints nothing and waits once for each value in the memory it shares."""
    copied = HostData("memcpy", np.arange(8, dtype=np.int32).tobytes(), "int", "memcpy after launch 0")
    seen = (np.full(4, value, np.int32).tobytes() for value in values)
    transfers = (HostData("managed", data, "int", "managed", buffer=1, is_page_locked=is_page_locked) for data in seen)
    return ProgramTrace(0, b"", (copied, *transfers))


def test_waiting_elsewhere_is_no_other_result() -> None:
    assert codes(shared(1, 2, 3), shared(3)) == []
    assert codes(shared(1, 2, 3), shared(2)) == ["wrong_value"]
    assert codes(shared(1, 2, 3), shared(1, 2, 4)) == ["wrong_value"]


def test_page_locked_memory_may_serve_the_same_copies_in_another_way() -> None:
    assert codes(shared(), shared(5, is_page_locked=True)) == []
    assert codes(shared(1, 2, 3, is_page_locked=True), shared(7, is_page_locked=True)) == []


def residuals(*values: float) -> ProgramTrace:
    """One number copied back in each turn of a loop."""
    data = (np.float32(value).tobytes() for value in values)
    return ProgramTrace(0, b"", tuple(HostData("memcpy", item, "float", f"memcpy after launch {i}") for i, item in enumerate(data)))


def test_single_numbers_of_a_loop_spread_as_far_as_any_of_them() -> None:
    own, again = residuals(0.5, 3e-4, 1e-5), residuals(0.5, 3.0003e-4, 1e-5)
    assert codes(own, residuals(0.5, 3e-4, 1.002e-5), again) == []
    assert codes(own, residuals(0.5, 3e-4, 2e-5), again) == ["wrong_value"]
    assert codes(own, residuals(0.5, 3e-4, 1.002e-5)) == ["wrong_value"]
