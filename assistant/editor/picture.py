"""Builds the view of the current text from what jobs reported and what the text alone shows. Pure.

Answers about an older text are kept and moved with their lines; those about a changed line are dropped. Example::

    view = view_of(parsed, {"profile": Analysis(text, events)}, proposals, static_notes)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from assistant.cuda.includes import include_line
from assistant.cuda.launch_hunks import no_more_launched
from assistant.cuda.match import kernel_meant
from assistant.editor.analysis import Analysis
from assistant.editor.changes_since import ChangesSince
from assistant.editor.offer_words import gain, offer_title, outdated_title, sized_verdict, verdict
from assistant.editor.repeats import ReportedNotes, without_repeated_errors, without_repeats
from assistant.editor.searched import InVain
from assistant.editor.view import CodeView, Failure, KernelView, LaunchView, LineView, Note, RelatedPlace, StallView, View
from assistant.engine import CANNOT_ANSWER
from assistant.engine.report import gain_in_words, techniques_in_words
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.profile import Evidence, Problem, Severity
from assistant.model.proposal import ALTERNATIVE_MARK, Proposal
from assistant.model.source import Kernel, ParsedSource
from assistant.model.verification import Label
from assistant.profile.problems import causes, defect_in_words, errors_among, problem_in_words
from assistant.profile.rules.defects import CODE_BY_KIND

__all__ = ["alternative_lines", "comparison_sentence", "evidence_value", "proposal_title", "view_of"]

_E = TypeVar("_E")
_SHOWN = frozenset({"inspect", "check", "profile"})
"""Commands whose answers are shown at a kernel."""
_OTHER_DEFECT = "KO207"
NO_ROUTES: Mapping[str, str] = {}
NO_SEARCHES: Mapping[str, InVain] = {}
_SEVERITY_OF = {
    DiagnosticSeverity.ERROR: Severity.ERROR,
    DiagnosticSeverity.WARNING: Severity.WARNING,
    DiagnosticSeverity.NOTE: Severity.INFORMATION,
}


def view_of(
    parsed: ParsedSource,
    analyses: Mapping[str, Analysis],
    proposals: Sequence[Proposal] = (),
    static: Iterable[Note] = (),
    routes: Mapping[str, str] = NO_ROUTES,
    in_vain: Mapping[str, InVain] = NO_SEARCHES,
) -> View:
    """The view of ``parsed``; ``analyses`` by command (``inspect``, ``check``, ``profile``), open ``proposals`` of this source.

    ``routes``: name of each file that it reaches → name of the one that it includes itself to get there.
    ``in_vain``: by kernel, the last search where it found no edit.
    """
    build = _Builder(parsed, routes)
    kernels = tuple(build.kernel(kernel, analyses, proposals, in_vain.get(kernel.key)) for kernel in parsed.kernels)
    notes: list[Note] = []
    for command, analysis in analyses.items():
        notes.extend(build.notes(command, without_repeated_errors(command, analysis, analyses.get("inspect"))))
    reported = without_repeats((*notes, *build.proposal_notes(proposals)), kernels)
    answered = ReportedNotes(reported, kernels)
    unreported = (note for note in static if not answered.answers(note))
    lines = tuple(line for kernel in kernels for line in build.lines(kernel, analyses.get("profile")))
    code = tuple(build.code(analyses.get("profile")))
    stalls = tuple(stall for kernel in kernels for stall in build.stalls(kernel, analyses.get("profile")))
    notes_in_order = tuple(sorted((*reported, *unreported), key=_place))
    return View(notes_in_order, kernels, lines, tuple(proposals), code, stalls, failures=_failures(parsed.source.text, analyses))


class _Builder:
    """Knows the current text."""

    def __init__(self, parsed: ParsedSource, routes: Mapping[str, str]) -> None:
        self._parsed = parsed
        self._routes = routes
        self._path = parsed.source.path
        self._since = ChangesSince(parsed)

    def kernel(self, kernel: Kernel, analyses: Mapping[str, Analysis], proposals: Sequence[Proposal], in_vain: InVain | None) -> KernelView:
        found = [e for e in _all(analyses, "inspect", events.KernelFound) if e.kernel == kernel.key]
        checks = [e for e in _all(analyses, "check", events.CheckEnded) if e.kernel == kernel.key]
        launches = _launches(analyses.get("profile"), kernel.key)
        facts = [e for command in ("check", "profile") for e in _all(analyses, command, events.LaunchFacts) if e.kernel == kernel.key]
        costliest = next((launch.profile for launch in launches if launch.profile is not None), None)
        proposal = next((p for p in proposals if p.path == self._path and self._kernel_key(p.kernel) == kernel.key), None)
        in_edit_of = "" if proposal is not None else self._in_edit_of(kernel, proposals)
        is_in_vain = in_vain is not None and not in_edit_of and not self._since.is_touched(kernel, in_vain.text)
        return KernelView(
            key=kernel.key,
            name=kernel.qualified_name,
            line=kernel.line,
            last_line=self._since.ranges[kernel.span][1],
            resources=tuple(r for event in found for r in event.resources),
            check=checks[-1] if checks else None,
            launches=launches,
            evidence=() if costliest is None else costliest.evidence,
            proposal=proposal,
            is_offer_outdated=proposal is not None and self._is_outdated(proposal, kernel),
            in_edit_of=in_edit_of,
            in_vain=in_vain.why if in_vain is not None and is_in_vain else None,
            launch_facts=facts[-1].words if facts else (),
            is_stale=any(self._since.is_touched(kernel, a.text) for command, a in analyses.items() if command in _SHOWN),
        )

    def _in_edit_of(self, kernel: Kernel, proposals: Sequence[Proposal]) -> str:
        """Key of the kernel whose proposal launches another one in this one's place; empty: none does."""
        name = kernel.qualified_name.rpartition("::")[2]
        others = (proposal for proposal in proposals if proposal.path == self._path and name in no_more_launched(proposal.files))
        return next(filter(None, (self._kernel_key(other.kernel) for other in others)), "")

    def notes(self, command: str, analysis: Analysis) -> Iterator[Note]:
        """What one answer says, where its lines are now."""
        stage = {"inspect": "compile"}.get(command, command)
        for event in analysis.events:
            match event:
                case events.Diagnostics(diagnostics=diagnostics):
                    yield from self._placed(analysis, (note for d in diagnostics if (note := self._compiler_note(d, analysis.text))))
                case events.CheckEnded(problems=problems):
                    line = self._kernel_line(event.kernel)
                    own = self._placed(analysis, (self._problem_note(p, stage) for p in causes(problems) if self._is_mine(p.file)))
                    yield from self._of_kernel(analysis, event.kernel, own)
                    others = [p for p in problems if line is not None and not self._is_mine(p.file)]
                    yield from (self._elsewhere(self._problem_note(p, stage), p.file, line or 1) for p in others)
                case events.Profile():
                    line = self._kernel_line(event.kernel)
                    for note in self._finding_notes(event):
                        file = self._other_file(event, note.line)
                        if file is None:
                            yield from self._of_kernel(analysis, event.kernel, self._placed(analysis, (note,)))
                        elif line is not None:
                            yield self._elsewhere(note, file, line)
                case events.ComparisonMade():
                    yield from self._judgement_notes(analysis, event)
                case events.Message(severity=Severity.WARNING | Severity.ERROR, line=line) if line and self._is_mine(event.file or ""):
                    yield from self._placed(analysis, (Note(stage, line, 0, event.severity, event.message, "kernelopt"),))
                case _:
                    pass

    def proposal_notes(self, proposals: Sequence[Proposal]) -> Iterator[Note]:
        """Each at its kernel; in the other files that it touches, at its first hunk there."""
        for proposal in proposals:
            is_here = proposal.path == self._path
            line = self._kernel_line(self._kernel_key(proposal.kernel)) if is_here else self._hunk_line(proposal)
            if line is not None:
                whose = "" if is_here else f"{proposal.path.name}, {proposal.kernel.split('(')[0]}: "
                kernel = kernel_meant(self._parsed, proposal.kernel) if is_here else None
                is_outdated = kernel is not None and self._is_outdated(proposal, kernel)
                message = whose + (outdated_title if is_outdated else offer_title)(proposal)
                yield Note("proposal", line, 0, Severity.INFORMATION, message, "kernelopt", proposal=proposal.id)

    def _judgement_notes(self, analysis: Analysis, comparison: events.ComparisonMade) -> Iterator[Note]:
        """The verdict on a change that a person made of a proposal, at each kernel that is still as it was judged."""
        key = None if comparison.kernel is None else self._kernel_key(comparison.kernel)
        for kernel in self._parsed.kernels:
            if kernel.key == key and self._since.is_untouched(kernel, analysis.text):
                message = f"judged on the current text: {comparison_sentence(comparison)}"
                yield Note("judge", kernel.line, 0, Severity.INFORMATION, message, "kernelopt")

    def code(self, analysis: Analysis | None) -> Iterator[CodeView]:
        """Machine code of lines that stand as they were compiled."""
        if analysis is None:
            return
        for event in analysis.all(events.MachineCode):
            for item in event.lines:
                line = self._line(analysis, item.line) if self._is_mine(item.file) else None
                if line:
                    yield CodeView(line, event.instance, event.architecture, item.instructions)

    def lines(self, kernel: KernelView, analysis: Analysis | None) -> Iterator[LineView]:
        profile = next((launch.profile for launch in kernel.launches if launch.profile is not None), None)
        if profile is None or analysis is None:
            return
        for counters in profile.lines:
            line = self._line(analysis, counters.line)
            if line and self._is_mine(counters.file):
                yield LineView(line, kernel.key, counters, profile.device, profile.method)

    def stalls(self, kernel: KernelView, analysis: Analysis | None) -> Iterator[StallView]:
        """As ``lines``."""
        profile = next((launch.profile for launch in kernel.launches if launch.profile is not None), None)
        if profile is None or analysis is None:
            return
        for counters in profile.stalls:
            line = self._line(analysis, counters.line)
            if line and self._is_mine(counters.file):
                yield StallView(line, kernel.key, counters, profile.device, profile.method)

    def _placed(self, analysis: Analysis, notes: Iterable[Note]) -> Iterator[Note]:
        for note in notes:
            line = self._line(analysis, note.line)
            if line is not None:
                related = tuple(self._moved(analysis, r) for r in note.related)
                yield replace(note, line=max(1, line), related=related)

    def _of_kernel(self, analysis: Analysis, key: str, notes: Iterable[Note]) -> Iterator[Note]:
        """Notes on a kernel that is still there: a deleted one has none, a renamed one those in its body.

        Kernels are alike: after an edit, a line of one may be aligned with the same words in another, which the note says nothing of.
        """
        kernel = next((kernel for kernel in self._parsed.kernels if kernel.key == key), None)
        if analysis.text == self._parsed.source.text:
            yield from notes
            return
        others = {self._since.ranges[k.span] for k in self._parsed.kernels if k is not kernel and self._is_known(k, analysis)}
        for note in notes:
            around = self._since.around(note.line, note.line)
            if around not in others and (around is not None or kernel is not None):
                yield note

    def _is_outdated(self, proposal: Proposal, kernel: Kernel) -> bool:
        """Whether its kernel was edited since it was judged."""
        change = proposal.change_of(self._path)
        return change is not None and self._since.is_touched(kernel, change.before_text)

    def _is_known(self, kernel: Kernel, analysis: Analysis) -> bool:
        """Whether the analysis has an answer of this very kernel, or its text: it is no renamed one."""
        answered = any(isinstance(e, events.CheckEnded | events.Profile) and e.kernel == kernel.key for e in analysis.events)
        return answered or self._since.is_untouched(kernel, analysis.text)

    def _moved(self, analysis: Analysis, related: RelatedPlace) -> RelatedPlace:
        return replace(related, line=self._line(analysis, related.line) or related.line) if self._is_mine(related.file) else related

    def _elsewhere(self, note: Note, file: str, line: int) -> Note:
        """A note on a line of an included file, shown where this source uses it."""
        place = RelatedPlace(file, note.line, "the line that is meant")
        return replace(note, line=line, column=0, message=f"{Path(file).name}:{note.line}: {note.message}", related=(place, *note.related))

    def _other_file(self, profile: events.Profile, line: int) -> str | None:
        """The included file that a finding is about; None where its line is this source's."""
        files = [counted.file for counted in profile.lines if counted.line == line]
        return None if not files or any(map(self._is_mine, files)) else files[0]

    def _hunk_line(self, proposal: Proposal) -> int | None:
        """Line of the first place that it changes here; None where that is not to be found any more."""
        change = proposal.change_of(self._path)
        return None if change is None else self._since.lines(change.before_text).line(change.hunks[0].before_line)

    def _kernel_line(self, key: str | None) -> int | None:
        """None where the kernel is gone, or called otherwise."""
        return next((kernel.line for kernel in self._parsed.kernels if kernel.key == key), None)

    def _line(self, analysis: Analysis, line: int) -> int | None:
        return self._since.lines(analysis.text).line(line)

    def _is_mine(self, file: str) -> bool:
        return not file or Path(file) == self._path

    def _kernel_key(self, name: str) -> str | None:
        kernel = kernel_meant(self._parsed, name)
        return None if kernel is None else kernel.key

    def _compiler_note(self, diagnostic: Diagnostic, text: str) -> Note | None:
        """A compiler's message on this text; of an included file only errors, at the ``#include``."""
        source = diagnostic.compiler or "compiler"
        severity = _SEVERITY_OF[diagnostic.severity]
        note = Note("compile", diagnostic.line, diagnostic.column, severity, diagnostic.message, source, diagnostic.code)
        if self._is_mine(diagnostic.file):
            return note
        name = Path(diagnostic.file).name
        line = include_line(text, self._routes.get(name, name)) or 1
        return self._elsewhere(note, diagnostic.file, line) if severity is Severity.ERROR else None

    def _problem_note(self, problem: Problem, stage: str) -> Note:
        other = (
            () if not problem.other_line else (RelatedPlace(problem.other_file or problem.file, problem.other_line, "the other access"),)
        )
        severity = Severity.ERROR if errors_among((problem,)) else Severity.WARNING
        code = CODE_BY_KIND.get(problem.kind, _OTHER_DEFECT)
        return Note(stage, problem.line, 0, severity, problem_in_words(problem), "kernelopt", code, other, defect=defect_in_words(problem))

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
                kernel=profile.kernel,
            )


def comparison_sentence(comparison: events.ComparisonMade) -> str:
    """``right at n=1000; n=511 (10 of 10 cases), ≈1.57x predicted (model)``, with the first reason where it is not a plain pass."""
    verification, speed = comparison.verification, comparison.speed
    labels = [Label(name) for name in verification.labels]
    parts = [sized_verdict(verification.outcome, verification.cases, labels), *verification.caveats]
    if speed is not None:
        parts += [f"{gain_in_words(speed.outcome, speed.ratio)} ({speed.method})", *speed.caveats]
    if verification.findings:
        parts.append(verification.findings[0].message)
    return ", ".join(parts)


def proposal_title(proposal: Proposal) -> str:
    """``shared memory padding, ≈1.33x predicted, right in 10 of 10 cases``: what a proposal claims, in few words.

    ``… in 2 files, …`` where it changes several, ``…, by model NAME`` where one wrote it.
    """
    author = "" if proposal.model is None else f", by model {proposal.model}"
    what = techniques_in_words(proposal.techniques) + (f" in {len(proposal.files)} files" if len(proposal.files) > 1 else "")
    return f"{what}, {gain(proposal)}, {verdict(proposal)}{author}"


def alternative_lines(proposal: Proposal) -> list[str]:
    """``P01M7~1: shared tile + fast math, ≈2.10x predicted, needs your decision: fast math``, one for each."""
    lines: list[str] = []
    for number in range(1, len(proposal.alternatives) + 1):
        other = proposal.taking(number)
        if other is not None:
            lines.append(f"{proposal.id}{ALTERNATIVE_MARK}{number}: {proposal_title(other)}")
    return lines


def _all(analyses: Mapping[str, Analysis], command: str, kind: type[_E]) -> Iterator[_E]:
    analysis = analyses.get(command)
    return iter(()) if analysis is None else analysis.all(kind)


def _failures(text: str, analyses: Mapping[str, Analysis]) -> tuple[Failure, ...]:
    """Of jobs on this very text that could not answer."""
    found: dict[str, Failure] = {}
    for command, analysis in analyses.items():
        ended = next(analysis.all(events.JobEnded), None)
        if command not in _SHOWN or analysis.text != text or ended is None or ended.exit_code < CANNOT_ANSWER:
            continue
        errors = [said for said in analysis.all(events.Message) if said.severity is Severity.ERROR and not said.line]
        for message, remedy in [(said.message, said.remedy) for said in errors] or [(ended.reason, None)]:
            found.setdefault(message, Failure(message, remedy or ""))
    return tuple(found.values())


def _launches(analysis: Analysis | None, kernel: str) -> tuple[LaunchView, ...]:
    """Launch shapes of a kernel, costliest first."""
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


def _place(note: Note) -> tuple[int, int, str]:
    return note.line, note.column, note.stage


def evidence_value(evidence: Sequence[Evidence], metric: str) -> Evidence | None:
    """The first evidence of a metric."""
    return next((item for item in evidence if item.metric == metric), None)
