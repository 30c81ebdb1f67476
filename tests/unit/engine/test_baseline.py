"""What a judge is shown of a case and of the original on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.baseline import PerturbedCases, PreparedCase, case_evidence
from assistant.engine.judge.replaying import FloatReference
from assistant.model.launch import Dim3, LaunchConfig
from assistant.verify.evidence import Reference, SideRun
from tests.unit.workload.launches import launched

NEW, PARAMETERS = launched(LaunchConfig(Dim3(4, 2), Dim3(32)), {"n": 4}, np.zeros(4, np.int32), np.ones(4, np.float32))
RUN, MOVED = SideRun(((0, b"left"),)), SideRun(((0, b"moved"),))
REFERENCE = FloatReference(((1, b"exact"),), Reference.DECLARED)


def prepared() -> PreparedCase:
    case = JudgedCase(NEW, "k", (PARAMETERS,), ((0, "out"), (1, "x")), frozenset({"x"}), 0, ("j",), unread=frozenset({0}))
    return PreparedCase(case, (RUN,), REFERENCE, (), can_be_perturbed=True)


def test_a_case_is_shown_with_its_launch_and_its_buffers() -> None:
    shown = case_evidence(prepared(), (MOVED,), "")
    assert (shown.thread_count, shown.passed, shown.launched_kernels) == (256, ("04000000",), ("k", "j"))
    assert (shown.original, shown.candidate, shown.perturbed, shown.can_be_perturbed) == ((RUN,), (MOVED,), (), True)
    assert (shown.reference, shown.reference_kind, shown.origin) == (REFERENCE.values, Reference.DECLARED, NEW.origin)
    buffers = [(one.name, one.element_type, one.before, one.is_scratch, one.is_unread, one.is_poisoned) for one in shown.buffers]
    assert buffers == [
        ("out", "int", bytes(16), False, True, False),
        ("x", "float", np.ones(4, np.float32).tobytes(), True, False, False),
    ]


def test_runs_on_moved_inputs_are_known_of_the_very_case_once_they_are_made() -> None:
    known, item, other = PerturbedCases(), prepared(), prepared()
    assert known.known(item) is item
    known.keep(item, (MOVED,))
    assert known.known(item) == replace(item, perturbed=(MOVED,), can_be_perturbed=False) and known.known(other) is other
