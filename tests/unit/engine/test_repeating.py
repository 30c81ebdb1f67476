"""A kernel is held to the bytes it leaves only where it was fed the same."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate.repeating import FED_DIFFERENTLY, NOT_RECORDED, REPEATED, VARYING, combined, compare_runs
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedArgument, RecordedLaunch, Recording

_CONFIG = LaunchConfig(Dim3(1), Dim3(32))
_IN, _OUT = BufferState(0, "in", "in"), BufferState(1, "zeros", "result")
_K = RecordedLaunch(0, "k(int*)", _CONFIG, (RecordedArgument(4, "07000000", ()),), (_IN, _OUT), "/a.cu", 9)


def _run(*launches: RecordedLaunch) -> Recording:
    return Recording((), launches, (), ())


def _compared(first: Recording, second: Recording) -> object:
    return compare_runs(first, second, {"k(int*)"})


def test_equal_bytes_from_equal_inputs_are_repeatable() -> None:
    assert _compared(_run(_K), _run(_K)) == REPEATED


def test_other_bytes_from_equal_inputs_are_not() -> None:
    assert _compared(_run(_K), _run(replace(_K, buffers=(_IN, replace(_OUT, after="other"))))) == VARYING


def test_a_kernel_fed_with_other_bytes_is_not_to_blame() -> None:
    fed = replace(_K, buffers=(replace(_IN, before="noise", after="noise"), replace(_OUT, after="other")))
    assert _compared(_run(_K), _run(fed)) == FED_DIFFERENTLY


def test_a_kernel_given_another_number_is_not_to_blame() -> None:
    given = replace(_K, arguments=(RecordedArgument(4, "08000000", ()),), buffers=(_IN, replace(_OUT, after="other")))
    assert _compared(_run(_K), _run(given)) == FED_DIFFERENTLY


def test_what_another_kernel_leaves_is_not_held_against_it() -> None:
    other = replace(_K, index=1, kernel="noise(int*)")
    noisy = replace(other, buffers=(_IN, replace(_OUT, after="other")))
    assert _compared(_run(_K, other), _run(_K, noisy)) == REPEATED
    assert compare_runs(_run(_K, other), _run(_K, noisy), {"noise(int*)"}) == VARYING


def test_what_nothing_has_written_is_no_input() -> None:
    garbage = replace(_K, buffers=(_IN, replace(_OUT, is_poisoned=True)))
    assert _compared(_run(garbage), _run(replace(_K, buffers=(_IN, replace(_OUT, before="other garbage"))))) == REPEATED


def test_launches_without_kept_results_show_nothing() -> None:
    failed = replace(_K, buffers=(replace(_IN, after=None), replace(_OUT, after=None)))
    assert _compared(_run(_K), _run(failed)) == NOT_RECORDED
    assert _compared(_run(_K), _run()) == NOT_RECORDED
    in_part = replace(_K, buffers=(_IN, replace(_OUT, after=None)))
    assert _compared(_run(_K), _run(in_part)) == NOT_RECORDED, "one of its results is lacking"


def test_one_difference_outweighs_every_equality() -> None:
    assert combined([REPEATED, FED_DIFFERENTLY, VARYING]) == VARYING
    assert combined([FED_DIFFERENTLY, REPEATED]) == REPEATED
