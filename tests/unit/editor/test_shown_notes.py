"""A file's problems: one for each kernel and cause; what costs next to nothing is a hint."""

from __future__ import annotations

from dataclasses import replace

from assistant.editor.shown_notes import shown_notes
from assistant.editor.view import EMPTY_VIEW, KernelView, LaunchView, Note, RelatedPlace, View
from assistant.model import events
from assistant.model.profile import Severity

_SUMMARY = events.ProfileSummary("J1", "k(float *)", "k(float*)", (16, 10, 1), (32, 8, 1), 0, 1, "shared", 4e-6)
_K = KernelView("k(float *)", "k", 3, 15, (), None, (LaunchView(_SUMMARY, None),), (), None, False)
_SMALL_PART = replace(
    _K, key="s(float *)", name="s", line=20, last_line=30, launches=(LaunchView(replace(_SUMMARY, predicted_time_s=1e-7), None),)
)


def _finding(line: int, cost: float | None, code: str = "KO103", said: str = "Bank conflicts", kernel: str = "k(float *)") -> Note:
    return Note("profile", line, 0, Severity.WARNING, said, "kernelopt", code, cost_ratio=cost, kernel=kernel)


def _shown(*notes: Note, kernels: tuple[KernelView, ...] = (_K, _SMALL_PART)) -> list[tuple[int, bool, list[tuple[int, str]]]]:
    view: View = replace(EMPTY_VIEW, notes=notes, kernels=kernels)
    return [(each.note.line, each.is_hint, [(r.line, r.message) for r in each.note.related]) for each in shown_notes(view)]


def test_lines_of_a_kernel_with_one_cause_are_one_problem_on_the_costliest_of_them() -> None:
    notes = (_finding(5, 0.2), _finding(7, 0.4), _finding(9, 0.2, said="Bank conflicts of stores"), _finding(5, 0.3, "KO101"))
    assert _shown(*notes) == [
        (5, False, []),
        (
            7,
            False,
            [
                (5, "Bank conflicts (costs ≈ 20 % of the kernel's time)"),
                (9, "Bank conflicts of stores (costs ≈ 20 % of the kernel's time)"),
            ],
        ),
    ]


def test_the_same_words_are_not_repeated() -> None:
    assert _shown(_finding(5, 0.2), _finding(7, 0.2)) == [(5, False, [(7, "the same here")])]


def test_other_kernels_and_lines_outside_of_kernels_have_problems_of_their_own() -> None:
    notes = (_finding(5, 0.5), _finding(21, 0.5, kernel="s(float *)"), _finding(40, 0.5), _finding(41, 0.5))
    assert [line for line, _, _ in _shown(*notes)] == [5, 21, 40, 41]


def test_what_would_gain_less_than_a_hundredth_of_the_files_time_is_a_hint() -> None:
    notes = (_finding(5, 0.009), _finding(6, 0.02, "KO101"), _finding(7, None, "KO109"), _finding(21, 0.3, kernel="s(float *)"))
    assert [is_hint for _, is_hint, _ in _shown(*notes)] == [True, False, False, True]
    assert _shown(notes[-1], kernels=(_SMALL_PART,)) == [(21, False, [])], "alone it is all of the time"


def test_defects_of_a_line_are_one_problem_for_each_kind() -> None:
    other = (RelatedPlace("", 12, "the other access"),)
    race = Note("check", 14, 0, Severity.ERROR, "at ref[0]", "kernelopt", "KO202", other, defect="shared race, thread (1, 0, 0)")
    again = replace(race, message="at ref[1]", related=(RelatedPlace("", 13, "the other access"),), defect="shared race, thread (2, 0, 0)")
    out = replace(race, code="KO201", defect="out of bounds", related=())
    elsewhere = replace(race, line=9)
    assert _shown(race, again, out, elsewhere) == [
        (9, False, [(12, "the other access")]),
        (14, False, [(12, "the other access"), (13, "the other access")]),
        (14, False, []),
    ]


def test_messages_of_compilers_and_proposals_stand_for_themselves() -> None:
    warned = Note("compile", 5, 3, Severity.WARNING, "unused variable", "nvcc", "177-D")
    assert [line for line, _, _ in _shown(warned, replace(warned, line=6), replace(warned, stage="proposal", code=None))] == [5, 5, 6]
