"""What a verdict says of launches that were checked on some of their blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.engine.evaluate import JudgedCase
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.checked_blocks import checked_on_blocks
from assistant.engine.judge.replaying import FloatReference
from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

KERNEL = "k(float *, int)"


def judged(blocks: int, shape: str) -> tuple[PreparedCase, NewCase]:
    new, parameters = launched(LaunchConfig(Dim3(blocks), Dim3(256)), {"n": 8}, np.zeros(8, np.float32))
    new = replace(new, origin=replace(new.origin, shape=shape))
    case = JudgedCase(new, KERNEL, (parameters,), (), frozenset(), 0)
    return PreparedCase(case, (), FloatReference(), ()), new


def test_nothing_is_said_of_launches_that_the_emulator_runs_whole() -> None:
    found = checked_on_blocks([judged(4, "n=8")], {KERNEL})
    assert (found.missing, found.caveats) == ((), ())


def test_where_no_launch_was_checked_whole_the_verdict_line_says_so() -> None:
    found = checked_on_blocks([judged(1 << 16, "n=9")], {KERNEL})
    assert found.caveats == ("races and bounds checked on 64 of 65,536 blocks",)
    assert found.missing == (f"races, bounds and uninitialised reads of {KERNEL} at n=9: the emulator checked 64 of 65,536 blocks",)


def test_a_smaller_size_that_ran_whole_is_named_with_them() -> None:
    found = checked_on_blocks([judged(1 << 16, "n=9"), judged(4, "n=8")], {KERNEL})
    assert found.caveats == () and found.missing[0].endswith("the emulator checked 64 of 65,536 blocks; it ran all of n=8")
    assert checked_on_blocks([judged(4, "n=8"), judged(1 << 16, "n=9")], {KERNEL}) == found, "in whichever order"


def test_every_kernel_is_named_and_those_that_are_not_judged_raise_no_doubt() -> None:
    part, new = judged(1 << 16, "n=9")
    other = replace(part, case=replace(part.case, kernel="other(float *, int)"))
    found = checked_on_blocks([(other, new), (part, new)], {KERNEL})
    assert [words.split(" at ")[0].split(" of ")[1] for words in found.missing] == ["other(float *, int)", KERNEL]
    assert found.caveats == ("races and bounds checked on 64 of 65,536 blocks",)
    assert checked_on_blocks([(other, new)], {KERNEL}).caveats == ()


def test_of_a_kernel_that_the_edit_leaves_alone_the_verdict_line_says_nothing() -> None:
    assert checked_on_blocks([judged(1 << 16, "n=9")], set()).caveats == ()
