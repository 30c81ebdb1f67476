"""From what jobs said of a source, and what it says itself, to the view of the text as it stands. Pure.

Answers about an older text are kept and moved with the lines they speak of; what they say of a changed line is dropped. Example::

    view = view_of(parsed, {"profile": Analysis(text, events)}, proposals, static_notes)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from assistant.engine.view import KernelView, LaunchView, LineView, Note, Related, View
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.profile import Evidence, Problem, Severity
from assistant.model.proposal import Proposal
from assistant.model.source import Kernel, ParsedSource
from assistant.source.linemap import LineMap
from assistant.source.match import kernel_of_instance

__all__ = ["Analysis", "evidence_value", "proposal_title", "view_of"]

_E = TypeVar("_E")
_DEFECT_CODES = {
    "out_of_bounds": "KO201", "wild_pointer": "KO201", "misaligned": "KO201",
    "shared_race": "KO202", "global_race": "KO202", "possible_shared_race": "KO202", "possible_global_race": "KO202",
    "missing_syncwarp": "KO202", "uninitialised_read": "KO203", "barrier_divergence": "KO204", "use_after_free": "KO205",
    "bad_launch": "KO206",
}  # fmt: skip
_OTHER_DEFECT = "KO207"
_MILD_PROBLEMS = frozenset({"possible_shared_race", "possible_global_race", "host_pointer", "unsupported"})
_SEVERITY_OF = {
    DiagnosticSeverity.ERROR: Severity.ERROR,
    DiagnosticSeverity.WARNING: Severity.WARNING,
    DiagnosticSeverity.NOTE: Severity.INFORMATION,
}


@dataclass(frozen=True)
class Analysis:
    """The last answer of one command on a source."""

    text: str
    """The text that was looked at."""
    events: tuple[events.Event, ...]

    def all(self, kind: type[_E]) -> Iterator[_E]:
        """Its events of one kind, in order."""
        return (event for event in self.events if isinstance(event, kind))


def view_of(
    parsed: ParsedSource, analyses: Mapping[str, Analysis], proposals: Sequence[Proposal] = (), static: Iterable[Note] = ()
) -> View:
    """The view of ``parsed``; ``analyses`` by command (``inspect``, ``check``, ``profile``), open ``proposals`` of this source."""
    build = _Builder(parsed)
    kernels = tuple(build.kernel(kernel, analyses, proposals) for kernel in parsed.kernels)
    notes = [*static]
    for command, analysis in analyses.items():
        notes.extend(build.notes(command, analysis))
    notes.extend(build.proposal_notes(proposals))
    lines = tuple(line for kernel in kernels for line in build.lines(kernel, analyses.get("profile")))
    return View(_without_repeats(notes), kernels, lines, tuple(proposals))


class _Builder:
    """Knows the text as it stands."""

    def __init__(self, parsed: ParsedSource) -> None:
        self._parsed = parsed
        self._path = parsed.source.path
        self._maps: dict[str, LineMap] = {}

    def kernel(self, kernel: Kernel, analyses: Mapping[str, Analysis], proposals: Sequence[Proposal]) -> KernelView:
        found = [e for e in _all(analyses, "inspect", events.KernelFound) if e.kernel == kernel.key]
        checks = [e for e in _all(analyses, "check", events.CheckEnded) if e.kernel == kernel.key]
        launches = _launches(analyses.get("profile"), kernel.key)
        costliest = next((launch.profile for launch in launches if launch.profile is not None), None)
        last_line = self._parsed.source.line_of(kernel.span.end)
        return KernelView(
            key=kernel.key,
            name=kernel.qualified_name,
            line=kernel.line,
            last_line=last_line,
            resources=tuple(r for event in found for r in event.resources),
            check=checks[-1] if checks else None,
            launches=launches,
            evidence=() if costliest is None else costliest.evidence,
            proposal=next((p for p in proposals if self._kernel_key(p.kernel) == kernel.key), None),
            is_stale=any(not self._is_untouched(kernel, a.text) for a in analyses.values() if a.text != self._parsed.source.text),
        )

    def notes(self, command: str, analysis: Analysis) -> Iterator[Note]:
        """What one answer says, where its lines are now."""
        stage = {"inspect": "compile"}.get(command, command)
        for event in analysis.events:
            match event:
                case events.Diagnostics(diagnostics=diagnostics):
                    yield from self._placed(analysis, (self._compiler_note(d) for d in diagnostics if self._is_mine(d.file)))
                case events.CheckEnded(problems=problems):
                    yield from self._placed(analysis, (self._problem_note(p, stage) for p in problems))
                case events.Profile():
                    yield from self._placed(analysis, self._finding_notes(event))
                case events.Message(severity=Severity.WARNING | Severity.ERROR, message=message, line=line) if line:
                    yield from self._placed(analysis, (Note(stage, line, 0, event.severity, message, "kernelopt"),))
                case _:
                    pass

    def proposal_notes(self, proposals: Sequence[Proposal]) -> Iterator[Note]:
        for proposal in proposals:
            key = self._kernel_key(proposal.kernel)
            line = next((k.line for k in self._parsed.kernels if k.key == key), None)
            if line is not None:
                message = f"{proposal_title(proposal)}: {proposal.summary}"
                yield Note("proposal", line, 0, Severity.INFORMATION, message, "kernelopt", proposal=proposal.id)

    def lines(self, kernel: KernelView, analysis: Analysis | None) -> Iterator[LineView]:
        profile = next((launch.profile for launch in kernel.launches if launch.profile is not None), None)
        if profile is None or analysis is None:
            return
        for counters in profile.lines:
            line = self._line(analysis, counters.line)
            if line and self._is_mine(counters.file):
                yield LineView(line, kernel.key, counters, profile.device, profile.method)

    def _placed(self, analysis: Analysis, notes: Iterable[Note]) -> Iterator[Note]:
        for note in notes:
            line = self._line(analysis, note.line)
            if line is not None:
                related = tuple(replace(r, line=self._line(analysis, r.line) or r.line) for r in note.related)
                yield replace(note, line=max(1, line), related=related)

    def _line(self, analysis: Analysis, line: int) -> int | None:
        if analysis.text not in self._maps:
            self._maps[analysis.text] = LineMap(analysis.text, self._parsed.source.text)
        return self._maps[analysis.text].line(line)

    def _is_untouched(self, kernel: Kernel, text: str) -> bool:
        """Whether the kernel's own text is in the text that was looked at."""
        span = kernel.span
        return self._parsed.source.text[span.start : span.end] in text

    def _is_mine(self, file: str) -> bool:
        return not file or Path(file) == self._path

    def _kernel_key(self, name: str) -> str | None:
        kernel = kernel_of_instance(self._parsed, name)
        return None if kernel is None else kernel.key

    def _compiler_note(self, diagnostic: Diagnostic) -> Note:
        return Note(
            "compile",
            diagnostic.line,
            diagnostic.column,
            _SEVERITY_OF[diagnostic.severity],
            diagnostic.message,
            diagnostic.compiler or "compiler",
            diagnostic.code,
        )

    def _problem_note(self, problem: Problem, stage: str) -> Note:
        other = () if not problem.other_line else (Related(problem.other_file or problem.file, problem.other_line, "the other access"),)
        severity = Severity.WARNING if problem.kind in _MILD_PROBLEMS else Severity.ERROR
        line = problem.line if self._is_mine(problem.file) else 0
        return Note(stage, line, 0, severity, problem.message, "kernelopt", _DEFECT_CODES.get(problem.kind, _OTHER_DEFECT), other)

    def _finding_notes(self, profile: events.Profile) -> Iterator[Note]:
        by_id = {evidence.id: evidence for evidence in profile.evidence}
        for finding in profile.findings:
            cited = tuple(by_id[i] for i in finding.evidence if i in by_id)
            yield Note(
                "profile",
                finding.line,
                0,
                Severity(finding.severity),
                finding.message,
                "kernelopt",
                finding.code,
                cost_ratio=finding.estimated_cost_ratio,
                evidence=cited,
            )


def proposal_title(proposal: Proposal) -> str:
    """``shared-memory-padding, PREDICTED 1.33x, PASS``: what a proposal claims, in few words."""
    speed = proposal.comparison
    return f"{' + '.join(proposal.techniques)}, {speed.outcome.value} {speed.ratio:.2f}x, {proposal.verification.outcome.value}"


def _all(analyses: Mapping[str, Analysis], command: str, kind: type[_E]) -> Iterator[_E]:
    analysis = analyses.get(command)
    return iter(()) if analysis is None else analysis.all(kind)


def _launches(analysis: Analysis | None, kernel: str) -> tuple[LaunchView, ...]:
    """Launch shapes of one kernel, costliest first."""
    if analysis is None:
        return ()
    counted: dict[object, events.Profile] = {}
    summaries: list[events.ProfileSummary] = []
    for event in analysis.events:
        if isinstance(event, events.Profile) and event.kernel == kernel:
            counted.setdefault(_shape(event), event)
        elif isinstance(event, events.ProfileSummary) and event.kernel == kernel:
            summaries.append(event)
    views = [LaunchView(summary, counted.get(_shape(summary))) for summary in summaries]
    return tuple(sorted(views, key=lambda view: -view.cost_s))


def _shape(event: events.Profile | events.ProfileSummary) -> object:
    return (event.instance, event.grid, event.block, event.shared_bytes, event.shape)


def _without_repeats(notes: Iterable[Note]) -> tuple[Note, ...]:
    """One note of each kind and place: launches of one kernel repeat their findings, commands their diagnostics; sorted by place."""
    kept: dict[object, Note] = {}
    for note in notes:
        key = (
            (note.line, note.column, note.code, note.message)
            if note.stage == "compile"
            else (note.line, note.code, note.stage, note.proposal)
        )
        first = kept.get(key)
        if first is None or (note.cost_ratio or 0.0) > (first.cost_ratio or 0.0):
            kept[key] = note
    defects = {(n.line, n.code) for n in kept.values() if n.stage == "check"}
    shown = [n for n in kept.values() if n.stage == "check" or (n.line, n.code) not in defects or n.code is None]
    return tuple(sorted(shown, key=lambda note: (note.line, note.column, note.stage)))


def evidence_value(evidence: Sequence[Evidence], metric: str) -> Evidence | None:
    """The first evidence of a metric."""
    return next((item for item in evidence if item.metric == metric), None)
