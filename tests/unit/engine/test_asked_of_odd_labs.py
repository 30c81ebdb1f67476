"""What a lab is asked where it refuses, takes too long, races, measures times or leaves other results; and what is reported.

After a change that is meant: ``pytest tests/unit/engine/test_asked_of_odd_labs.py --snapshot-update``,
and read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assistant.model.profile import Problem
from assistant.model.timing import PairTiming, TimedResult, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.workload.recordings import blob_name
from tests.contracts.fake_clock import Clock
from tests.unit.engine.asked import Alter
from tests.unit.engine.asking import (
    FEW,
    GENERAL,
    LARGE,
    LARGE_SLOW,
    Asking,
    Lines,
    Run,
    X,
    asked_of,
)
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_commands import CHAIN, CHEAPER, FUSED, PAIR, SCALE, TIMED, TWO, WRONG, A, edited


def refused(before: str, after: str, method: str, mode: str, at: Callable[[int], bool] = lambda _: True, kind: str = "internal") -> Run:
    """Where the lab refuses some calls of that method in that mode, by how often it was called before."""

    def refuse(asked: str, asked_mode: str, program: Program, count: int) -> LabFailure | None:
        is_meant = (asked, asked_mode) == (method, mode) and at(count)
        return LabFailure(kind, f"the lab does not {method}", "ask again") if is_meant else None

    async def run(on: Asking) -> None:
        on.refuse = refuse
        await on.compare(before, after, cases=FEW)

    return run


def timed(before: str, after: str, **clock: object) -> Run:
    async def run(on: Asking) -> None:
        on.timing = Clock()
        for name, value in clock.items():
            setattr(on.timing, name, value)
        await on.compare(before, after, cases=FEW)

    return run


def altered(before: str, after: str, alter: Alter, **more: object) -> Run:
    async def run(on: Asking) -> None:
        on.alter = alter
        await on.compare(before, after, **more)  # type: ignore[arg-type]

    return run


def with_problems(kind: str, is_meant: Callable[[str, str], bool] = lambda _, text: "original" in text) -> Alter:
    """Every case, and every whole run, with this problem, where it is meant by (mode, text)."""
    problem = Problem(kind, f"a {kind}", "a.cu", 4, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if not is_meant(mode, program.sources[0].text):
            return answer
        if method == "run":
            return replace(answer, problems=(*answer.problems, problem))
        return replace(answer, cases=tuple(replace(case, problems=(*case.problems, problem)) for case in answer.cases))

    return alter


def failing_in_a(*kernels: str) -> Alter:
    """By itself, the original's kernel does not run."""

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if method != "replay" or program.sources[0].path.name != "a.cu" or not any(name.startswith(kernels) for name in program.kernels):
            return answer
        return replace(answer, cases=tuple(replace(case, ok=False, error="cudaErrorUnknown", after=()) for case in answer.cases))

    return alter


def late_with_checks(most: int) -> Alter:
    """The first so many replays with every check on do not end in their time."""

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if (method, mode) != ("replay", "check") or count >= most:
            return answer
        return replace(answer, cases=tuple(replace(case, ok=False, error="timed out", after=()) for case in answer.cases))

    return alter


def refusing_launches(kernel: str) -> Alter:
    """B's launches of that kernel are no launches that a GPU runs."""
    problem = Problem("bad_launch", "too many threads", "a.cu", 4, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if method != "run" or mode not in ("count", "grade") or program.sources[0].path.name != "b.cu":
            return answer
        profiles = (replace(one, problems=(problem,)) if one.kernel.startswith(kernel) else one for one in answer.profiles)
        return replace(answer, profiles=tuple(profiles))

    return alter


def wrong_in_a(line: int) -> Alter:
    """A itself leaves its buffers in this line."""
    problem = Problem("out_of_bounds", "beyond its end", "a.cu", line, None, None, None, None, None, 1)

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        if method != "run" or program.sources[0].path.name != "a.cu":
            return answer
        file = str(program.sources[0].path)
        return replace(answer, problems=(*answer.problems, replace(problem, file=file)))

    return alter


def runs_with_uploads(is_original: bool = True, **changes: object) -> Alter:
    """The original's runs with other contents uploaded differ so from what they are; else the edit's."""

    def alter(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
        is_meant = (method, mode) == ("run", "check") and count > 1 and ("original" in program.sources[0].text) is is_original
        return replace(answer, **changes) if is_meant else answer

    return alter


def with_varied_results(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
    """Repeats leave what they found in the first buffer, here and there."""
    if method != "replay" or mode != "plain" or count % 3:
        return answer
    cases = (replace(case, repeat_difference="out[3] is 1, then 2", varied=(case.after[1:], case.after)) for case in answer.cases)
    return replace(answer, cases=tuple(cases))


def in_another_order(method: str, mode: str, program: Program, answer: Any, count: int) -> Any:
    """A checked run of the edit passes the host what it uploaded."""
    if (method, mode) != ("run", "check") or "original" in program.sources[0].text:
        return answer
    first, second = answer.recording.transfers
    recording = replace(answer.recording, transfers=(replace(first, blob=second.blob), second))
    return replace(answer, recording=recording)


class OddClock(Clock):
    """Timed calls leave these results of the version where untimed ones leave others."""

    def __init__(self, folder: Path, **odd: np.ndarray) -> None:
        super().__init__()
        self._folder = folder
        self._odd = odd

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        timing = await super().time(a, b, cases, options, limits)
        assert isinstance(timing, PairTiming)
        blobs = {version: blob_name(values.tobytes()) for version, values in self._odd.items()}
        for version, name in blobs.items():
            (self._folder / name).write_bytes(self._odd[version].tobytes())
        odd = tuple(TimedResult(version, ((0, name),)) for version, name in blobs.items())
        return replace(timing, cases=tuple(replace(case, odd_results=odd) for case in timing.cases), blobs=self._folder)


def timed_oddly(**odd: np.ndarray) -> Run:
    async def run(on: Asking) -> None:
        on.timing = OddClock(on.folder, **odd)
        await on.compare(TIMED, FASTER, cases=FEW)

    return run


TWO_KERNELS = PAIR
BOTH_EDITED = edited("2.0f * x[i];", "x[i] + x[i];", PAIR).replace("if (i < n) x", "if (n > i) x")
HOST_CODE = PAIR.replace("int main()", "static int k;\nint main()")
ONE_AND_HOST_CODE = edited("2.0f * x[i];", "x[i] + x[i];", HOST_CODE)
ORIGINAL, TWO_ORIGINAL = (f"{text}// original\n" for text in (A, TWO))
FASTER = TIMED.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "25 us")
NO_CLOCK = LabFailure("unsupported", "the clock is broken", "have it repaired")
RUNS: dict[str, Run] = {
    "one_of_two_is_wrong_in_a": altered(PAIR, BOTH_EDITED, wrong_in_a(9), cases=FEW),
    "one_of_two_fails_in_a_and_is_left_as_it_is": altered(PAIR, ONE_AND_HOST_CODE, failing_in_a("both("), cases=FEW),
    "both_fail_in_a_and_one_is_edited": altered(PAIR, ONE_AND_HOST_CODE, failing_in_a("both(", "scale("), cases=FEW),
    "one_of_two_fails_in_a_and_host_code_is_edited": altered(PAIR, HOST_CODE, failing_in_a("both("), cases=FEW),
    "whole_of_an_original_that_races": altered(TWO_ORIGINAL, FUSED, with_problems("shared_race"), cases=FEW),
    "large_and_late": altered(LARGE, edited("2.0f * x[i]", "x[i] + x[i]", LARGE), late_with_checks(1), cases=FEW),
    "large_and_late_at_every_size": altered(LARGE, edited("2.0f * x[i]", "x[i] + x[i]", LARGE), late_with_checks(99), cases=FEW),
    "in_part_and_late": altered(LARGE_SLOW, edited("2.0f * x[i]", "x[i] + x[i]", LARGE_SLOW), late_with_checks(2), cases=FEW),
    "declared_and_late": altered(GENERAL, GENERAL.replace(NAIVE, RIGHT), late_with_checks(1)),
    "timed": timed(TIMED, FASTER),
    "timed_stray": timed(TIMED, FASTER, stray="scale(float*, const float*, int) "),
    "timed_wrong": timed_oddly(B=3 * X),
    "timed_wrong_as_the_original": timed_oddly(A=3 * X, B=3 * X),
    "not_timed": timed(TIMED, FASTER, failure=NO_CLOCK),
    "fused_not_timed": timed(
        TIMED.replace(A[len(SCALE) :], CHAIN), FUSED.replace("    int i", "    // takes 60 us\n    int i"), failure=NO_CLOCK
    ),
    "original_races": altered(ORIGINAL, WRONG, with_problems("shared_race"), cases=FEW),
    "original_races_and_b_is_right": altered(ORIGINAL, CHEAPER, with_problems("shared_race"), cases=FEW),
    "original_unsupported": altered(ORIGINAL, CHEAPER, with_problems("unsupported")),
    "b_has_a_problem": altered(ORIGINAL, CHEAPER, with_problems("out_of_bounds", lambda _, text: "original" not in text), cases=FEW),
    "varied": altered(ORIGINAL, CHEAPER, with_varied_results, cases=FEW),
    "whole_with_a_problem": altered(TWO_ORIGINAL, FUSED, with_problems("global_race", lambda mode, text: "original" not in text)),
    "whole_late": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(timed_out=True)),
    "whole_late_in_b": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(is_original=False, timed_out=True, exit_status=None)),
    "whole_not_ended": altered(TWO_ORIGINAL, FUSED, runs_with_uploads(exit_status=None)),
    "whole_not_clean": altered(
        TWO_ORIGINAL, FUSED, runs_with_uploads(problems=(Problem("trap", "a trap", "a.cu", 4, None, None, None, None, None, 1),))
    ),
    "whole_in_another_order": altered(TWO_ORIGINAL, FUSED, in_another_order),
    "a_not_built": refused(A, CHEAPER, "run", "count", lambda count: count == 0),
    "b_crashed": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "crashed"),
    "b_timed_out": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "timed_out"),
    "two_b_crashed": refused(TWO_KERNELS, TWO_KERNELS + "\n", "run", "count", lambda count: count == 1, "crashed"),
    "b_interrupted": refused(A, CHEAPER, "run", "count", lambda count: count == 1),
    "b_not_built": refused(A, CHEAPER, "run", "count", lambda count: count == 1, "not_built"),
    "b_refused_one_of_two": altered(
        TWO_KERNELS, edited("2.0f * x[i];", "x[i] + x[i];", TWO_KERNELS), refusing_launches("both("), cases=FEW
    ),
    "b_refused": altered(ORIGINAL, CHEAPER, refusing_launches("scale(")),
    "no_second_run": refused(A, CHEAPER, "run", "check"),
    "no_replay": refused(A, CHEAPER, "replay", "plain"),
    "no_replay_of_b": refused(A, CHEAPER, "replay", "plain", lambda count: count > 2),
    "no_trials": refused(A, CHEAPER, "replay", "check"),
    "no_doubles": refused(A, CHEAPER, "replay promoted", "plain"),
    "no_doubles_by_the_source": refused(A, CHEAPER, "replay promoted", "plain", kind="not_built"),
    "no_check_of_the_whole": refused(TWO, FUSED, "run", "check", lambda count: count == 1),
    "no_other_uploads": refused(TWO, FUSED, "run", "check", lambda count: count > 1),
}


@pytest.mark.parametrize("name", RUNS)
async def test_a_lab_is_asked_what_was_recorded(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    assert await asked_of(RUNS[name], tmp_path) == snapshot(extension_class=Lines)
