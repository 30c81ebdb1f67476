"""What a compiler said of an earlier text goes once a later one compiles; host code waits for nvcc."""

from __future__ import annotations

from pathlib import Path

from assistant.editor.open_document import OpenDocument
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.events import Diagnostics, Event, JobEnded

PATH = Path("/w/a.cu")
BROKEN = "__global__ void k(float *a) { a[0] = missing; }\nint main() { absent(); }\n"
FIXED = "__device__ float missing;\n" + BROKEN
IN_DEVICE, IN_HOST = (Diagnostic(str(PATH), line, 1, DiagnosticSeverity.ERROR, f"line {line} is wrong", None, "nvcc") for line in (1, 2))


def changes_view(document: OpenDocument, verb: Verb, text: str, *events: Event) -> bool:
    """Whether the last of the events changed the view."""
    task = Task(verb, JobRequest(PATH, PATH.parent, texts=((PATH, text),)))
    return [document.collect(f"J{verb}", task, event) for event in events][-1]


def broken_document() -> OpenDocument:
    """Compiled and checked, with two errors, then fixed at a line of its own."""
    document = OpenDocument("a", PATH, BROKEN)
    for verb in (Verb.INSPECT, Verb.CHECK):
        changes_view(document, verb, BROKEN, Diagnostics("J", (IN_DEVICE, IN_HOST)), ended())
    document.text = FIXED
    document.reparse()
    return document


def ended() -> JobEnded:
    return JobEnded("J", 1, "ended")


def errors(document: OpenDocument) -> list[int]:
    return [note.line for note in document.view.notes if "is wrong" in note.message]


def test_errors_stand_until_a_compiler_speaks_again() -> None:
    assert errors(broken_document()) == [2, 3]


def test_accepted_device_code_takes_its_errors_along_before_the_job_ends() -> None:
    document = broken_document()
    assert changes_view(document, Verb.INSPECT, FIXED, Diagnostics("J", ()))
    assert errors(document) == [3]
    assert not document.has_answer("inspect")


def test_an_acceptance_of_an_older_text_says_nothing() -> None:
    document = broken_document()
    assert not changes_view(document, Verb.INSPECT, BROKEN, Diagnostics("J", ()))
    assert errors(document) == [2, 3]


def test_a_compile_takes_back_what_an_older_check_said_as_a_compiler() -> None:
    document = broken_document()
    assert changes_view(document, Verb.INSPECT, FIXED, Diagnostics("J", ()), ended())
    assert errors(document) == []


def test_a_compile_that_fails_again_says_so_once() -> None:
    document = broken_document()
    moved = Diagnostic(str(PATH), 3, 1, DiagnosticSeverity.ERROR, "line 3 is wrong", None, "nvcc")
    changes_view(document, Verb.INSPECT, FIXED, Diagnostics("J", (moved,)), ended())
    assert errors(document) == [3]
