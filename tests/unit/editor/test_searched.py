"""A search says how far it is at its kernels; one that found no edit is remembered there until their text changes or one finds an edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.cuda.parse import parse
from assistant.editor.hover_words import HOVER_LINES, kernel_hover
from assistant.editor.picture import view_of
from assistant.editor.searched import Searched
from assistant.editor.view import SearchView, View
from assistant.model.events import CandidateTried, Event, FindingsFound, JobEnded, PlanMade, StageStarted
from assistant.model.plan import Decline, DeclineReason, Step
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome

_TEXT = """__global__ void first(float *a) {
  a[threadIdx.x] = 1;
}
template <typename T> __global__ void second(T *a) {
  a[threadIdx.x] = 2;
}
"""
_PARSED = parse(Source(Path("/w/a.cu"), _TEXT))
_WHY = "1 edit tried, not faster"


def _searched(kernel: str, reason: str = f"no edit found: {_WHY}", code: int = 0) -> Searched:
    searched = Searched()
    assert searched.heard("J1", _PARSED, _TEXT, FindingsFound("J1", kernel, (), ()))
    assert not searched.heard("J1", _PARSED, _TEXT, CandidateTried("J1", "C1", "t", "unknown", TrialOutcome.FAILED, "", None))
    assert searched.heard("J1", _PARSED, _TEXT, JobEnded("J1", code, reason))
    return searched


def _view(searched: Searched, text: str = _TEXT) -> View:
    return view_of(parse(Source(Path("/w/a.cu"), text)), {}, in_vain=searched.in_vain)


def _shown(searched: Searched, text: str = _TEXT) -> list[str | None]:
    return [kernel.in_vain for kernel in _view(searched, text).kernels]


def test_it_stands_at_the_kernel_that_was_searched_until_that_is_edited() -> None:
    searched = _searched("first(float*)")
    assert _shown(searched) == [_WHY, None]
    assert _shown(searched, _TEXT.replace("= 2", "= 3")) == [_WHY, None]
    assert _shown(searched, _TEXT.replace("= 1", "= 3")) == [None, None]
    assert _shown(_searched("void second<float>(float*)")) == [None, _WHY]


def test_the_hover_says_why_within_its_lines() -> None:
    view = _view(_searched("first(float*)"))
    hover = kernel_hover(view.kernels[0], view)
    assert f"No edit found: {_WHY}" in hover and len(hover) < HOVER_LINES


def test_a_search_that_could_not_be_made_says_nothing() -> None:
    assert _shown(_searched("first(float*)", code=3)) == [None, None]


def test_in_a_search_on_many_kernels_each_says_what_was_tried_on_it() -> None:
    searched, reason = Searched(), "the original's own results are arbitrary: shared race in third on line 9 of a.cu"
    heard = (
        FindingsFound("J1", "first(float*)", (), ()),
        PlanMade("J1", "expert", (), (Decline("tile", "first(float *)", 2, "it has no block", DeclineReason.SIZE_UNKNOWN),)),
        CandidateTried("J1", "C1", "t", "first(float*)", TrialOutcome.NOT_BETTER, "", 1.0),
        FindingsFound("J1", "void second<float>(float*)", (), ()),
        CandidateTried("J1", "C2", "t", "void second<float>(float*)", TrialOutcome.CANNOT_JUDGE, reason, None),
        JobEnded("J1", 0, "1 proposal"),
    )
    for event in heard:
        searched.heard("J1", _PARSED, _TEXT, event)
    first = "1 edit tried, not faster; tile does not apply at line 2: it has no block"
    assert _shown(searched) == [first, f"1 edit tried, could not be judged; {reason}"]


def test_a_later_search_takes_the_place_of_an_earlier_one() -> None:
    searched = _searched("first(float*)")
    searched.heard("J2", _PARSED, _TEXT, replace(FindingsFound("J2", "first(float*)", (), ()), job="J2"))
    searched.heard("J2", _PARSED, _TEXT, JobEnded("J2", 3, "the program failed"))
    assert _shown(searched) == [None, None]


def _step(kernel: str, technique: str) -> Step:
    return Step(technique, kernel, 2, "", (), "KO101", (), 1.0)


def _tried(technique: str, outcome: TrialOutcome, ratio: float, to_original: float) -> CandidateTried:
    return CandidateTried("J1", "C1", technique, "first(float*)", outcome, "", ratio, ratio_to_original=to_original)


def test_a_search_that_goes_on_says_how_many_edits_were_tried_and_the_best_so_far() -> None:
    searched, key = Searched(), _PARSED.kernels[0].key

    def said(*heard: Event) -> SearchView | None:
        assert all(searched.heard("J1", _PARSED, _TEXT, event) for event in heard)
        return searched.running.get(key)

    assert said(FindingsFound("J1", "first(float*)", (), ())) == SearchView(0, 0, None)
    steps = tuple(_step("first(float *)", technique) for technique in ("tile", "unroll", "pad"))
    assert said(PlanMade("J1", "expert", steps, ())) == SearchView(3, 0, None)
    assert said(_tried("tile", TrialOutcome.KEPT, 1.57, 1.57)) == SearchView(3, 1, 1.57)
    assert said(_tried("unroll", TrialOutcome.NOT_BETTER, 1.9, 1.9)) == SearchView(3, 2, 1.57), "what was not kept is no best edit"
    assert said(_tried("pad", TrialOutcome.KEPT, 1.2, 1.88)) == SearchView(3, 3, 1.88), "an edit of an edited kernel, against the text"
    confirming = StageStarted("J1", "confirm", "first(float*): fresh values, repeats, checks, boundary shapes")
    assert said(confirming) == SearchView(3, 3, 1.88, True)
    assert said(_tried("vector", TrialOutcome.NOT_BETTER, 0.9, 1.7)) == SearchView(3, 4, 1.88), "the search goes on"
    assert list(searched.running) == [key], "the other kernel is not searched on"
    assert searched.broken_off("J1") and not searched.running and not searched.broken_off("J1")
    assert searched.in_vain == {}, "a search that was cancelled says nothing of what there is to find"
