"""Everything that an editor shows of the examples: short, one mark a line, no time where nothing was timed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.editor.heat import heat_of
from assistant.editor.hover_words import HOVER_LINES, line_hover, short_message
from assistant.editor.lens_row import ROW_CHARACTERS, kernel_row
from assistant.editor.view import RelatedPlace
from assistant.editor.words import HINT_LIMIT, hot_lines, line_hint
from assistant.model.profile import Severity
from assistant.profile.wording import CLAUSE_CHARACTERS
from tests.e2e.cli.harness import ROOT
from tests.editor_texts import RECORDED, hovers, recorded_view, rows

_COST_CHARACTERS = len(" (costs ≈ 100 % of the kernel's time)")


@pytest.mark.parametrize("name", RECORDED)
def test_no_text_of_an_example_is_longer_than_a_line(name: str) -> None:
    view = recorded_view(name)
    assert view.kernels and view.lines and all(kernel.launches for kernel in view.kernels), "there is much to show"
    assert [row for row in rows(view) if len(row) > ROW_CHARACTERS] == []
    assert [hover for hover in hovers(view) if len(hover) > HOVER_LINES] == []
    assert [line for hover in hovers(view) for line in hover if len(line.replace("**", "")) > CLAUSE_CHARACTERS] == []
    assert [note for note in view.notes if len(short_message(note)) > CLAUSE_CHARACTERS + _COST_CHARACTERS] == []
    assert [heat.text for heat in heat_of(view).values() if len(heat.text) > HINT_LIMIT] == []


@pytest.mark.parametrize("name", RECORDED)
def test_no_text_of_an_example_has_a_time_that_was_not_taken(name: str) -> None:
    view = recorded_view(name)
    shown = [*rows(view), *(line for hover in hovers(view) for line in hover)]
    shown += [lens.tooltip for kernel in view.kernels for lens in kernel_row(kernel, view)]
    assert not [text for text in shown for word in ("µs", " ms", " ns", "speed of light") if word in text]


@pytest.mark.parametrize("name", RECORDED)
def test_lines_at_their_ideal_have_no_mark(name: str) -> None:
    view = recorded_view(name)
    marked = {line for _, line in heat_of(view)} | {line for line, _ in hot_lines(view)}
    at_ideal = {item.line for item in view.lines} - {item.line for item in view.lines if _is_beyond(item.counters)}
    assert marked.isdisjoint(at_ideal)


def test_heat_hint_and_finding_say_the_same_of_a_line() -> None:
    view = recorded_view("transpose")
    ((line, counters),) = hot_lines(view)
    (heat,) = [heat for (_, hot), heat in heat_of(view).items() if hot == line]
    assert heat.text == line_hint(counters) == "store 32 sectors/request, 4 would do"
    (note,) = [note for note in view.notes if note.line == line and note.code == "KO101"]
    assert "32 sectors where 4 would do" in short_message(note)


@pytest.mark.parametrize("is_noted", [False, True])
def test_what_would_fix_one_problem_of_a_line_is_said_whichever_comes_first(is_noted: bool) -> None:
    view = recorded_view("transpose")
    noted = next(note for note in view.notes if note.code == "KO101")
    other, race = (replace(noted, code=code, stage="check", severity=Severity.ERROR) for code in ("KO207", "KO202"))
    for notes in ((race, other), (other, race)):
        said = line_hover(replace(view, notes=notes), noted.line, is_noted)
        assert any(line.startswith("A barrier between both accesses within a block;") for line in said)


@pytest.mark.parametrize(
    ("message", "fix"),
    [
        ("write after write: nothing orders it with thread 32 of the block", "One thread that writes, or an atomic."),
        ("write after read: nothing orders it with thread 32 of the block", "An atomic, or one thread alone; to move elements: read"),
        ("read after write: nothing orders it with thread 32 of block 0", "An atomic, or one thread alone; to move elements: read"),
    ],
)
def test_what_would_fix_a_race_of_a_line_with_itself_is_no_barrier_between_its_accesses(message: str, fix: str) -> None:
    view = recorded_view("transpose")
    noted = next(note for note in view.notes if note.code == "KO101")
    itself = RelatedPlace("/example/transpose.cu", noted.line, "the other access")
    for code, kind in (("KO202", "shared race"), ("KO207", "missing syncwarp")):
        note = replace(noted, code=code, stage="check", severity=Severity.ERROR, message=message, defect=kind, related=(itself,))
        (said,) = [line for line in line_hover(replace(view, notes=(note,)), noted.line, is_noted=True) if line.startswith(fix)]
        assert not said.startswith("A barrier")


def test_a_hover_shows_cudas_words_as_they_are_written() -> None:
    view = recorded_view("transpose")
    noted = next(note for note in view.notes if note.code == "KO101")
    said = line_hover(replace(view, notes=(replace(noted, code="KO113"),)), noted.line, is_noted=True)
    assert said[0] == "Load it before the loop, or declare the pointers const and `__restrict__`, if the buffers really never overlap."


def test_every_example_is_looked_at() -> None:
    assert sorted(path.stem for path in (ROOT / "examples").glob("*.cu")) == list(RECORDED)


def test_a_hover_says_the_cost_why_what_would_fix_it_and_who_counted() -> None:
    view = recorded_view("transpose")
    what, why, fix, counted = next(hover for hover in hovers(view) if len(hover) == 4)
    assert what == "**Each store request touches 32 sectors where 4 would do**"
    assert why.startswith("The threads of a warp write addresses far apart · KO101 · costs ≈ ")
    assert fix == "Let threadIdx.x run along the fastest-varying index, or stage a tile in shared memory."
    assert counted.startswith("counted exactly: ") and "CPU emulator" in counted


def _is_beyond(counters: object) -> bool:
    pairs = (("sectors", "ideal_sectors"), ("wavefronts", "ideal_wavefronts"))
    return any((getattr(counters, found) or 0) > (getattr(counters, ideal) or 0) for found, ideal in pairs)
