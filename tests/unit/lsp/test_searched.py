"""What is said of the kernels of a file for which a search found no edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.engine import event_from
from assistant.model.events import CandidateTried, Event, FindingsFound, ProposalMade
from assistant.model.trial import TrialOutcome
from lsp.searched import SearchedKernels, in_words


def test_kernels_that_were_searched_in_vain_are_named_once_the_job_ends() -> None:
    searched = SearchedKernels()
    for kernel in ("transpose(float*, int)", "void scale<float>(float*)"):
        searched.heard("J1", FindingsFound("J1", kernel, (), ()))
    searched.heard("J1", CandidateTried("J1", "C1", "padding", "transpose(float *, int)", TrialOutcome.FAILED, "", None))
    searched.heard("J2", FindingsFound("J2", "other()", (), ()))
    assert searched.without_edit("J1") == ("transpose", "scale")
    assert searched.without_edit("J1") == ()


def test_a_template_that_got_a_proposal_is_not_named() -> None:
    searched = SearchedKernels()
    searched.heard("J1", FindingsFound("J1", "void (anonymous namespace)::scale<float, 4>(float*)", (), ()))
    made = next(event for event in recorded_run() if isinstance(event, ProposalMade))
    searched.heard("J1", replace(made, kernel="scale(T *)"))
    assert searched.without_edit("J1") == ()


def test_few_are_named_and_the_others_counted() -> None:
    assert in_words(("a",)) == "no edit found for a"
    assert in_words(("a", "b")) == "no edit found for a and b"
    assert in_words(("a", "b", "c")) == "no edit found for a, b and c"
    assert in_words(("a", "b", "c", "d", "e")) == "no edit found for a, b, c and 2 more"


def test_a_kernel_that_got_a_proposal_is_known_by_the_name_that_the_proposal_gives_it() -> None:
    searched, kernels = SearchedKernels(), set[str]()
    for event in recorded_run():
        if isinstance(event, FindingsFound | ProposalMade):
            kernels.add(event.kernel)
            searched.heard("J1", event)
    assert len(kernels) == 6, "three kernels, each in two ways of writing"
    assert searched.without_edit("J1") == ()


def recorded_run() -> Iterator[Event]:
    """What one search of three kernels reported, as far as it is about findings and proposals."""
    run = next((Path(__file__).parents[2] / "e2e" / "streams" / "__snapshots__").rglob("*optimize_two_steps*"))
    for line in run.read_text("utf-8").splitlines():
        told = json.loads(line)
        if told["event"] in {"findings", "proposal"}:
            yield event_from(told)
