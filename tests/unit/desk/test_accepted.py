"""What a compiler said of an earlier text goes once a later one compiles; host code waits for nvcc."""

from __future__ import annotations

from pathlib import Path

from assistant.desk.sheet import Sheet
from assistant.desk.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.events import Diagnostics, Event, JobEnded

PATH = Path("/w/a.cu")
BROKEN = "__global__ void k(float *a) { a[0] = missing; }\nint main() { absent(); }\n"
MENDED = "__device__ float missing;\n" + BROKEN
IN_DEVICE, IN_HOST = (Diagnostic(str(PATH), line, 1, DiagnosticSeverity.ERROR, f"line {line} is wrong", None, "nvcc") for line in (1, 2))


def told(sheet: Sheet, verb: Verb, text: str, *events: Event) -> bool:
    """Whether the last of the events changed the view."""
    task = Task(verb, JobRequest(PATH, PATH.parent, texts=((PATH, text),)))
    return [sheet.collect(f"J{verb}", task, event) for event in events][-1]


def broken_sheet() -> Sheet:
    """Compiled and checked, with two errors, then mended at a line of its own."""
    sheet = Sheet("a", PATH, BROKEN)
    for verb in (Verb.INSPECT, Verb.CHECK):
        told(sheet, verb, BROKEN, Diagnostics("J", (IN_DEVICE, IN_HOST)), ended())
    sheet.text = MENDED
    sheet.reparse()
    return sheet


def ended() -> JobEnded:
    return JobEnded("J", 1, "ended")


def errors(sheet: Sheet) -> list[int]:
    return [note.line for note in sheet.view.notes if "is wrong" in note.message]


def test_errors_stand_until_a_compiler_speaks_again() -> None:
    assert errors(broken_sheet()) == [2, 3]


def test_accepted_device_code_takes_its_errors_along_before_the_job_ends() -> None:
    sheet = broken_sheet()
    assert told(sheet, Verb.INSPECT, MENDED, Diagnostics("J", ()))
    assert errors(sheet) == [3]
    assert not sheet.has_answer("inspect")


def test_an_acceptance_of_an_older_text_says_nothing() -> None:
    sheet = broken_sheet()
    assert not told(sheet, Verb.INSPECT, BROKEN, Diagnostics("J", ()))
    assert errors(sheet) == [2, 3]


def test_a_compile_takes_back_what_an_older_check_said_as_a_compiler() -> None:
    sheet = broken_sheet()
    assert told(sheet, Verb.INSPECT, MENDED, Diagnostics("J", ()), ended())
    assert errors(sheet) == []


def test_a_compile_that_fails_again_says_so_once() -> None:
    sheet = broken_sheet()
    moved = Diagnostic(str(PATH), 3, 1, DiagnosticSeverity.ERROR, "line 3 is wrong", None, "nvcc")
    told(sheet, Verb.INSPECT, MENDED, Diagnostics("J", (moved,)), ended())
    assert errors(sheet) == [3]
