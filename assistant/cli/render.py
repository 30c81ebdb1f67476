"""Events as a person reads them. One method an event; colour and width are rich's business (off when piped).

Every number stands next to its unit and method. Verdict words are never abbreviated and never only a colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import assert_never

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assistant.cli.console import print_table
from assistant.cli.layout import Page
from assistant.cli.meter import Meter
from assistant.cli.operators_screen import OperatorsScreen
from assistant.cli.search_screen import SearchScreen, briefly, overlap_in_words, place_of, share
from assistant.cli.timeline_screen import TimelineScreen
from assistant.cuda.same_names import split_name
from assistant.engine.report import measured_in_words, stalls_in_words
from assistant.model import event_parts, events
from assistant.model.build import DiagnosticSeverity
from assistant.model.comparison import format_interval, format_ratio
from assistant.model.profile import Evidence, Severity
from assistant.model.verification import Outcome, verdict_in_words
from assistant.profile import is_negligible
from assistant.profile.bottleneck import NOT_COUNTED
from assistant.profile.evidence import made_by
from assistant.profile.fact_words import fact_in_words
from assistant.profile.problems import errors_among, listed, problems_in_words
from assistant.profile.quantity import counted_noun, format_quantity

__all__ = ["SEVERITY_STYLE", "TextRenderer"]

SEVERITY_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFORMATION: "cyan"}
_OUTCOME_STYLE = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.NEEDS_DECISION: "yellow"}


class TextRenderer:
    """Writes events to a rich console as they come."""

    def __init__(self, console: Console, is_verbose: bool = False) -> None:
        self._console = console
        self._is_verbose = is_verbose
        self._page = Page(console)
        self._search = SearchScreen(console, is_verbose)
        self._meter = Meter(console, is_verbose)
        self._timeline = TimelineScreen(console)
        self._operators = OperatorsScreen(console)
        self._evidence: dict[str, Evidence] = {}
        self._last_error: str | None = None
        self._file = ""
        """The job's own."""
        self._open: set[str] = set()
        """Proposals of this job that are not decided yet."""

    def render(self, event: events.Event) -> None:
        """Print one event."""
        if not isinstance(event, events.CandidateTried):
            self._search.flush()
        match event:
            case events.JobStarted():
                self._file = event.file
                files = event.file if event.other is None else f"{event.file} {event.other}"
                self._print(f"[bold]kernelopt {event.command}[/] {escape(files)}")
                self._print(f"[dim]on {escape(event.device)} · {escape(event.rung)} · job {event.job}[/]")
            case events.StageStarted():
                self._console.log(escape(f"{event.stage}: {event.detail}")) if self._is_verbose else None
            case events.StageEnded():
                detail = f" — {escape(event.detail)}" if event.detail else ""
                self._print(f"[dim]· {event.stage}{detail} ({event.duration_ms:.0f} ms)[/]")
            case events.Message():
                self._message(event)
            case events.Diagnostics():
                self._diagnostics(event)
            case events.KernelFound():
                self._kernel(event)
            case events.Profile():
                self._profile(event)
            case events.MachineCode():
                pass  # an editor lays it next to the source
            case events.TimelineFound():
                self._timeline.show(event)
            case events.ProfileSummary():
                self._summary(event)
            case events.LaunchFacts():
                self._launch_facts(event)
            case events.OperatorsFound():
                self._operators.show(event)
            case events.OperatorTimed():
                self._operators.show_times(event)
            case events.KernelDeclined():
                pass  # the last line says so
            case events.KernelWritten():
                self._operators.show_written(event)
            case events.CheckEnded():
                self._check(event)
            case events.FindingsFound():
                self._search.findings(event)
            case events.PlanMade():
                self._search.plan(event)
            case events.CandidateTried():
                self._search.candidate(event)
            case events.SettingTried():
                pass  # the curve has it when the tuning has ended
            case events.TuningEnded():
                self._search.tuning(event)
            case events.ModelCalled():
                self._meter.called(event)
            case events.BudgetSpent():
                self._meter.spent(event)
            case events.ComparisonMade():
                self._comparison(event)
            case events.ProposalMade():
                self._search.proposal(event)
                self._open.add(event.id)
            case events.DecisionMade():
                self._open.discard(event.proposal)
                reason = f" — {escape(event.reason or event.reason_code or '')}" if event.reason or event.reason_code else ""
                self._print(f"[bold]{event.kind.replace('_', ' ')}[/] {event.proposal} by {escape(event.decided_by)}{reason}")
            case events.PairTurn():
                self._print(f"[bold]{escape(event.answer)}[/]")
                self._last_error = event.answer
            case events.JobEnded():
                self._ended(event)
            case _:
                assert_never(event)

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)

    def _ended(self, event: events.JobEnded) -> None:
        """The last line, unless it was just shown as an error."""
        self._search.not_tried()
        self._meter.total()
        if event.reason != self._last_error:
            self._print(f"[bold]{escape(event.reason)}[/]" if event.exit_code == 0 else f"[bold yellow]{escape(event.reason)}[/]")
        if self._open:
            self._print("  [dim]kernelopt proposals lists the open ones[/]")

    def _message(self, event: events.Message) -> None:
        if event.severity is Severity.ERROR:
            self._last_error = event.message
        place = "" if event.file is None else f"{event.file}:{event.line or 0}: "
        style = SEVERITY_STYLE[event.severity]
        self._print(f"[{style}]{event.severity.value}:[/] {escape(place + event.message)}")
        if event.remedy:
            self.remedy(event.remedy)

    def remedy(self, words: str) -> None:
        """What to try, in one line however long it is."""
        self._print(f"  [dim]try:[/] {escape(words)}")

    def _diagnostics(self, event: events.Diagnostics) -> None:
        for diagnostic in event.diagnostics:
            style = "bold red" if diagnostic.severity is DiagnosticSeverity.ERROR else "yellow"
            place = f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: " if diagnostic.line else ""
            self._print(
                f"{escape(place)}[{style}]{diagnostic.severity.value}:[/] {escape(diagnostic.message)} [dim]({diagnostic.compiler})[/]"
            )

    def _kernel(self, event: events.KernelFound) -> None:
        self._print(f"\n[bold]{escape(event.kernel)}[/] line {event.line}{escape(_of_file(event.file, event.kernel))}")
        if event.template_parameters:
            self._print(f"  template: {escape(', '.join(event.template_parameters))}")
        for parameter in event.parameters:
            marks = [word for word, holds in (("read-only", parameter.is_const), ("restrict", parameter.is_restrict)) if holds]
            note = f" [dim]({', '.join(marks)})[/]" if marks else ""
            self._print(f"  parameter {escape(parameter.name)}: {escape(parameter.type)}{note}")
        for launch in event.launches:
            loop = ", in a loop" if launch.is_in_loop else ""
            shared = "" if launch.shared is None else f", shared {launch.shared}"
            where = f"line {launch.line}{_of_file(launch.file)} in {launch.function or 'file scope'}{loop}"
            self._print(f"  launched at {where}: grid {escape(launch.grid)}, block {escape(launch.block)}{escape(shared)}")
        for found in event.resources:
            self._print(
                f"  {escape(found.instance)}: {found.registers_per_thread} registers/thread, {found.spill_bytes} bytes spilled, "
                f"{found.stack_bytes} bytes stack, {found.static_shared_bytes} bytes static shared [dim](ptxas, {found.architecture})[/]"
            )
            shares = ", ".join(
                f"{o.active_warps_per_sm}/{o.max_warps_per_sm} warps at {o.block_threads} threads"
                + ("" if o.limiter == "none" else f" (limited by {o.limiter})")
                for o in found.occupancy
            )
            self._print(f"    occupancy: {shares}")

    def _profile(self, event: events.Profile) -> None:
        shape = "" if event.shape is None else f"  {event.shape}"
        title = (
            f"{event.instance}{_of_file(event.file, event.instance)}  launch {event.launch}{shape}  grid {event.grid}  block {event.block}"
        )
        self._print(f"\n[bold]{escape(title)}[/]  [dim]{escape(made_by(event.method, event.device.name))}[/]")
        print_table(self._console, _line_table(event.lines, event.file or self._file))
        for sentence in (measured_in_words(event), stalls_in_words(event)):
            self._page.put(escape(sentence), indent=2, hang=6) if sentence else None
        for reason, places in _grade_reasons(event.lines).items():
            self._print(f"  [dim]estimated because {escape(reason)}: line {', '.join(places)}[/]")
        self._remember(event.evidence)
        shown = [f for f in event.findings if self._is_verbose or not is_negligible(f.estimated_cost_ratio)]
        for finding in shown:
            self._finding(
                finding.code,
                place_of(event.file, finding.line),
                Severity(finding.severity),
                finding.message,
                finding.evidence,
                finding.estimated_cost_ratio,
            )
        overlap = overlap_in_words(f.estimated_cost_ratio for f in shown)
        if overlap is not None:
            self._page.put(f"[dim]{overlap}[/]", indent=2, hang=6)
        for brief in briefly(((f.code, f.line) for f in event.findings if f not in shown), event.file):
            self._page.put(f"[dim]{brief}[/]", indent=2, hang=6)
        for problem in event.problems:
            if any(finding.message.startswith(problem.message.rstrip(".")) for finding in event.findings):
                continue  # shown above, with its evidence
            self._print(f"  [bold red]{problem.kind}[/] line {problem.line}: {escape(problem.message)}")

    def _launch_facts(self, event: events.LaunchFacts) -> None:
        self._page.put(f"[bold]{escape(event.kernel)}[/]: {escape('; '.join(event.words))}", hang=2)

    def _summary(self, event: events.ProfileSummary) -> None:
        predicted_s = event.predicted_time_s
        time = "" if predicted_s is None else f", predicted {format_quantity(predicted_s, 's')} each, launch overhead included"
        limit = "nothing was counted" if event.bottleneck == NOT_COUNTED else f"bottleneck {event.bottleneck}"
        launches = counted_noun(event.launch_count, "launch", "launches")
        shape = "" if event.shape is None else f" {event.shape}"
        self._print(
            f"[bold]{escape(event.instance)}[/]{shape} grid {event.grid} block {event.block}: {launches}, "
            f"{limit}{time}{'' if predicted_s is None else ' [dim](model)[/]'}"
        )
        if event.measured is not None:
            method = f"[dim]({escape(event.measured.method)})[/]"
            self._print(f"  measured [bold]{format_quantity(event.measured.time_s, 's')}[/] each {method}")
            if event.measured.advice is not None:
                self._print(f"  {escape(event.measured.advice)}")

    def _check(self, event: events.CheckEnded) -> None:
        if not event.launch_count and not event.problems:
            self._print(f"[yellow]{escape(event.kernel)}: never launched by this workload, not checked[/]")
            return
        style = "bold red" if errors_among(event.problems) else "yellow" if event.problems else "green"
        listed_problems = listed(event.problems)
        places = f", at {len(event.problems)} places" if len(listed_problems) < len(event.problems) else ""
        verdict = f"[{style}]{problems_in_words(listed_problems)}[/]{places}"
        launches = counted_noun(event.launch_count, "launch", "launches")
        refused = f", {'all' if event.refused_count == event.launch_count else event.refused_count} refused" if event.refused_count else ""
        self._print(f"[bold]{escape(event.kernel)}[/]: {verdict}, {_repeatability(event)}, {launches}{refused}")
        for problem in event.problems:
            place = f"{problem.file}:{problem.line}" if problem.line else "place unknown"
            where = "" if problem.block is None else f" block {problem.block} thread {problem.thread}"
            other = "" if problem.other_line is None else f", against line {problem.other_line}"
            address = "" if problem.address is None else f" address {problem.address:#x}"
            self._print(
                f"  [bold red]{problem.kind}[/] {escape(place)}{where}{address}{other}: {escape(problem.message)} (x{problem.count})"
            )

    def _finding(self, code: str, place: str, severity: Severity, message: str, evidence: Iterable[str], cost_ratio: float | None) -> None:
        cost = "" if cost_ratio is None else f" [dim]({share(cost_ratio)} of the predicted time)[/]"
        self._page.put(f"[{SEVERITY_STYLE[severity]}]{code}[/] {escape(place)}: {escape(message)}{cost}", indent=2, hang=6)
        for identity in evidence:
            fact = self._evidence.get(identity)
            if fact is not None:
                words = escape(fact_in_words(fact.metric, fact.value, fact.unit, fact.line))
                self._print(f"      [dim]{fact.id} {words} ({fact.method.value}, {fact.grade.value})[/]")

    def _comparison(self, event: events.ComparisonMade) -> None:
        style = _OUTCOME_STYLE[event.verification.outcome]
        name = "overall" if event.kernel is None else event.kernel
        verdict = escape(verdict_in_words(event.verification.outcome, event.verification.caveats))
        self._print(f"\n[bold]{escape(name)}[/]: [{style}]{verdict}[/] [dim]({event.oracle} oracle)[/]")
        self._verification(event.verification)
        if event.speed is not None:
            self._speed(event.speed)

    def _verification(self, report: event_parts.VerificationReport) -> None:
        for finding in report.findings:
            place = "" if finding.line is None else f" line {finding.line}"
            is_in_message = finding.expected is None or f"expected {finding.expected}" in finding.message
            detail = "" if is_in_message else f" (expected {finding.expected}, got {finding.actual})"
            self._print(f"  [{_OUTCOME_STYLE[finding.outcome]}]{finding.code}[/]{place}: {escape(finding.message + detail)}")
        if report.cases:
            self._print(f"  [dim]{_cases_in_words(report)}[/]")
        if report.labels:
            self._print(f"  labels: {', '.join(report.labels)}")
        for dropped in report.dropped_cases:
            self._print(f"  [dim]not used: {escape(dropped)}[/]")
        for missing in report.missing_checks:
            self._print(f"  [dim]not checked: {escape(missing)}[/]")

    def _speed(self, speed: event_parts.SpeedReport) -> None:
        interval = format_interval(speed.low, speed.high)
        shift = ""
        if speed.bottleneck_before and speed.bottleneck_after:
            shift = f", bottleneck {speed.bottleneck_before} → {speed.bottleneck_after}"
        origin = f"[dim]({escape(speed.method)}; {escape(speed.quality)})[/]"
        caveats = f" ({'; '.join(speed.caveats)})" if speed.caveats else ""
        self._print(f"  speed: [bold]{speed.outcome} {format_ratio(speed.ratio)}x[/]{interval}{escape(caveats)}{shift} {origin}")
        if len(speed.cases) > 1:
            for case in speed.cases:
                self._print(f"    [dim]{escape(case.shape)} (weight {case.weight:g}): {case.outcome.value} {format_ratio(case.ratio)}x[/]")

    def _remember(self, evidence: Iterable[Evidence]) -> None:
        self._evidence.update({fact.id: fact for fact in evidence})


def _repeatability(event: events.CheckEnded) -> str:
    if event.is_deterministic is None:
        return f"repeatability {escape(event.repeatability or 'not tested')}"
    return "bitwise equal in two runs" if event.is_deterministic else "[yellow]results differ between runs on equal inputs[/]"


def _of_file(file: str | None, name: str = "") -> str:
    """Behind what lies in another file than the job's; nothing where the ``name`` before it says so."""
    return "" if file is None or split_name(name)[0] else f" of {PurePath(file).name}"


def _line_table(lines: Iterable[event_parts.ProfileLine], file: str) -> Table:
    """Lines of other files than the kernel's have its name before them."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("line", "access", "requests", "threads", "sectors", "ideal", "waves", "ideal", "grade"):
        is_text = name in ("access", "grade")
        table.add_column(name, justify="left" if is_text else "right", no_wrap=True)
    for line in lines:
        counters = (line.sectors, line.ideal_sectors, line.wavefronts, line.ideal_wavefronts)
        cells = ["" if value is None else f"{value:,}" for value in counters]
        name = PurePath(line.file).name
        place = str(line.line) if name in ("", PurePath(file).name) else f"{name}:{line.line}"
        table.add_row(place, line.op, f"{line.requests:,}", f"{line.active_threads:,}", *cells, f"[dim]{line.grade}[/]")
    return table


def _grade_reasons(lines: Iterable[event_parts.ProfileLine]) -> dict[str, list[str]]:
    """Why lines are not exact, each reason with its lines."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.grade_reason:
            places = found.setdefault(line.grade_reason, [])
            places.extend([str(line.line)] if str(line.line) not in places else [])
    return found


def _cases_in_words(report: event_parts.VerificationReport) -> str:
    passed = sum(case.outcome is Outcome.PASS for case in report.cases)
    kinds = dict.fromkeys(case.kind for case in report.cases)
    words = ", ".join(f"{sum(case.kind == kind for case in report.cases)} {kind}" for kind in kinds)
    return f"{passed} of {len(report.cases)} cases passed ({words})"
