"""What is shown of a PyTorch task or candidate: the row over a class, its hover, its page, and notes on what a verdict found. Pure, but
for `tasks_beside`, which reads the files of a folder.

Example::

    [lens.title for lens in operator_row(view, view.outline.reference)]      # ['Profile', 'Optimize']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.editor.lens_row import ROW_CHARACTERS, SEPARATOR, Lens, LensAction
from assistant.editor.markdown import tamed
from assistant.editor.tasks import Verb
from assistant.editor.view import Note
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.model.events import ComparisonMade, OperatorsFound
from assistant.model.profile import Severity
from assistant.model.verification import Outcome
from assistant.operators.outline import OperatorClass, Outline, outline_of
from assistant.profile.quantity import counted_noun, first_of, format_quantity
from assistant.record import Record

__all__ = [
    "Answer",
    "OperatorView",
    "breakdown_lines",
    "cases_words",
    "notes_of",
    "operator_hover",
    "operator_page",
    "operator_row",
    "tasks_beside",
    "verdict_words",
]

_MOST_FILES = 60
_MOST_BYTES = 1 << 18
"""Of a folder and of a file in it: what is larger is no place of one task and its candidates."""
_SHOWN_NAMES = 6
_STALE = "before the edit: "
_CHECKS = "Whether it computes what the task's reference computes: judged in a process of its own"
_HEAD = ("| share | at least | calls | function | line | bytes | operations |", "|---|---|---|---|---|---|---|")
_SEVERITIES = {Outcome.FAIL: Severity.ERROR, Outcome.NEEDS_DECISION: Severity.WARNING, Outcome.PASS: Severity.INFORMATION}


class Answer(Record):
    """What a job said, and of which texts."""

    event: OperatorsFound | ComparisonMade
    texts_sha256: str


class OperatorView(Record):
    """One open file."""

    outline: Outline
    path: Path
    profile: Answer | None
    check: Answer | None
    is_current: Mapping[Verb, bool]
    """Whether an answer is about the texts as they are."""
    has_task: bool
    """Whether its candidate can be judged against something."""
    waits_for_consent: bool = False

    @property
    def breakdown(self) -> OperatorsFound | None:
        return self.profile.event if self.profile is not None and isinstance(self.profile.event, OperatorsFound) else None

    @property
    def verdict(self) -> ComparisonMade | None:
        return self.check.event if self.check is not None and isinstance(self.check.event, ComparisonMade) else None


def operator_row(view: OperatorView, shown: OperatorClass) -> tuple[Lens, ...]:
    """The lenses of one class, the answer first; none over a candidate for which no task is known."""
    lenses = list(_of_reference(view) if shown == view.outline.reference else _of_candidate(view))
    excess = len(SEPARATOR.join(lens.title for lens in lenses)) - ROW_CHARACTERS
    if lenses and excess > 0:
        title = lenses[0].title
        lenses[0] = Lens(f"{title[: len(title) - excess - 1]}…", lenses[0].action, lenses[0].tooltip)
    return tuple(lenses)


def operator_hover(view: OperatorView, shown: OperatorClass) -> list[str]:
    """At most five lines of Markdown; empty where nothing is known."""
    if shown == view.outline.reference:
        return [] if view.breakdown is None else breakdown_lines(view.breakdown)
    verdict = view.verdict
    if verdict is None:
        return []
    findings = verdict.verification.findings
    return [f"**{verdict_words(verdict)}**", *(tamed(each.message) for each in findings[:3]), tamed(cases_words(verdict))]


def operator_page(view: OperatorView, shown: OperatorClass) -> str:
    """Markdown: all that is known of a class."""
    rows = [f"**`{shown.name}`** of {view.path.name}"]
    if shown == view.outline.reference:
        found = view.breakdown
        return "\n".join(rows + (["", "not profiled yet"] if found is None else list(_breakdown_rows(found))))
    verdict = view.verdict
    return "\n".join(rows + (["", "not checked yet"] if verdict is None else list(_verdict_rows(verdict))))


def notes_of(view: OperatorView) -> tuple[Note, ...]:
    """What a verdict found wrong or open, at the candidate's lines; nothing once the text has changed."""
    verdict, candidate = view.verdict, view.outline.candidate
    if verdict is None or candidate is None or not view.is_current.get(Verb.CHECK, False):
        return ()
    return tuple(
        Note("check", found.line or candidate.line, 0, _SEVERITIES[found.outcome], f"{candidate.name}: {found.message}", "kernelopt")
        for found in verdict.verification.findings
    )


def tasks_beside(path: Path) -> tuple[Path, ...]:
    """Files of the same folder that are tasks, by name; none in a folder of very many files."""
    try:
        files = sorted(each for each in path.parent.glob("*.py") if each != path)
        return tuple(each for each in files if len(files) <= _MOST_FILES and each.stat().st_size <= _MOST_BYTES and _is_task(each))
    except OSError:
        return ()


def _is_task(path: Path) -> bool:
    try:
        found = outline_of(path, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return False
    return found is not None and found.reference is not None


def _of_reference(view: OperatorView) -> Iterator[Lens]:
    found, is_current = view.breakdown, view.is_current.get(Verb.PROFILE, False)
    if view.waits_for_consent:
        yield _waiting()
    elif found is not None:
        groups = f" · {counted_noun(len(found.groups), 'group')} for one kernel" if found.groups and is_current else ""
        calls = counted_noun(sum(each.call_count for each in found.functions), "function")
        yield Lens(f"{'' if is_current else _STALE}{calls}{groups}", LensAction.EXPLAIN, "\n".join(breakdown_lines(found)))
    if found is None or not is_current:
        yield Lens("Profile", LensAction.PROFILE, "Which functions of PyTorch it consists of, and what one kernel could do together")
    yield Lens("Optimize", LensAction.OPTIMIZE, "Has rules write a first kernel, which is judged against this class")


def _of_candidate(view: OperatorView) -> Iterator[Lens]:
    verdict, is_current = view.verdict, view.is_current.get(Verb.CHECK, False)
    if view.waits_for_consent and view.outline.reference is None:
        yield _waiting()
    elif verdict is not None:
        messages = "\n".join(found.message for found in verdict.verification.findings)
        yield Lens(f"{'' if is_current else _STALE}{verdict_words(verdict)}", LensAction.EXPLAIN, messages or cases_words(verdict))
    is_answered = verdict is not None and is_current and verdict.verification.outcome == Outcome.PASS
    if view.has_task and not is_answered:
        yield Lens("Check", LensAction.CHECK, _CHECKS)


def _waiting() -> Lens:
    return Lens("waiting for your OK", LensAction.CONSENT, "The task has to run for that: click to see the command.")


def verdict_words(verdict: ComparisonMade) -> str:
    """``PASS``, ``FAIL: wrong value``, ``for you to decide: library call``."""
    found = verdict.verification
    if not found.findings or found.outcome == Outcome.PASS:
        return str(found.outcome)
    kind = found.findings[0].code.replace("_", " ")
    more = f" +{len(found.findings) - 1}" if len(found.findings) > 1 else ""
    return f"{'for you to decide' if found.outcome == Outcome.NEEDS_DECISION else found.outcome}: {kind}{more}"


def cases_words(verdict: ComparisonMade) -> str:
    """``12 of 13 cases passed, on the CPU emulator; nothing was timed``."""
    found = verdict.verification
    passed = sum(case.outcome == Outcome.PASS for case in found.cases)
    caveats = f", {', '.join(found.caveats)}" if found.caveats else ""
    return f"{passed} of {counted_noun(len(found.cases), 'case')} passed{caveats}; nothing was timed"


def breakdown_lines(found: OperatorsFound) -> list[str]:
    """What a call takes at least, what one kernel could do of it, and by what method that is known."""
    calls = counted_noun(sum(each.call_count for each in found.functions), "function call")
    separate, least = format_quantity(found.separate_time_s, "s"), format_quantity(found.least_time_s, "s")
    lines = [f"{calls} of PyTorch: at least {separate} one after another, {least} for inputs, weights and results alone on {found.target}"]
    return [*lines, *(_group_words(group) for group in found.groups[:2]), found.method]


def _group_words(group: OperatorGroup) -> str:
    moved, separate = format_quantity(group.moved_bytes, "B"), format_quantity(group.separate_bytes, "B")
    return f"one kernel could do {first_of(group.names, _SHOWN_NAMES)}: {moved} instead of {separate}"


def _breakdown_rows(found: OperatorsFound) -> Iterator[str]:
    yield from ("", breakdown_lines(found)[0], "", *_HEAD)
    yield from map(_function_row, found.functions)
    for group in found.groups:
        yield from ("", f"- {_group_words(group)}")
    yield from ("", tamed(found.method))


def _function_row(function: OperatorFunction) -> str:
    cells = (
        f"{function.share_ratio:.0%}",
        format_quantity(function.least_time_s, "s"),
        str(function.call_count),
        f"`{function.name}`",
        "" if function.line is None else str(function.line),
        format_quantity(function.moved_bytes, "B"),
        format_quantity(function.operation_count, "operations").removesuffix(" operations"),
    )
    return f"| {' | '.join(cells)} |"


def _verdict_rows(verdict: ComparisonMade) -> Iterator[str]:
    yield from ("", f"**{verdict_words(verdict)}**", "")
    yield from (f"- {tamed(found.message)}" for found in verdict.verification.findings)
    yield from ("", "| case | shape | outcome |", "|---|---|---|")
    yield from (f"| {case.kind} | {tamed(case.shape)} | {case.outcome} |" for case in verdict.verification.cases)
    yield from ("", tamed(cases_words(verdict)))
    yield from (f"- not checked: {tamed(each)}" for each in verdict.verification.missing_checks)
