"""The whole profile of one source, as parts of a page that front ends only lay out. Pure.

Every number is written out with its unit, every missing part has a reason. Lines are those of the text that was profiled, with
where each is now. Example::

    report = build_report(parsed, view, Analysis(text, events), judged=None, proposals=())
    report.kernels[0].launches[0].facts[0].value   # '4.16 µs'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.cuda.linemap import LineMap
from assistant.cuda.match import kernel_meant
from assistant.cuda.parse import parse
from assistant.editor.analysis import Analysis
from assistant.editor.lens_row import headline
from assistant.editor.report_comparison import ComparisonPart, comparison_part, judgement_part
from assistant.editor.report_roofline import RooflinePart, roofline_part
from assistant.editor.view import KernelView, LaunchView, Note, View
from assistant.editor.words import program_sentence
from assistant.engine.report import (
    Share,
    SourceLine,
    estimate_reasons,
    evidence_of,
    instruction_shares,
    limit_in_words,
    peak_in_words,
    share_in_words,
    source_rows,
    stall_shares,
    term_shares,
)
from assistant.model import event_parts, events
from assistant.model.profile import InstructionMix
from assistant.model.proposal import Proposal
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.profile.evidence import made_by
from assistant.profile.fact_words import metric_in_words, quantity_in_words
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.profile.rules import title
from assistant.record import Record

__all__ = ["Bar", "Fact", "FindingPart", "KernelPart", "LaunchPart", "Report", "RooflinePart", "Row", "build_report", "comparisons"]

_SHOWN_LAUNCHES = 8
"""Launch shapes of a kernel that are shown with all their parts; the costliest come first."""
_NO_STALLS = "Stalls of warps were not sampled: that needs a GPU. This profile was made on {method}."
_EXCESS_HEAT = "the line's share of the traffic of this launch beyond the ideal, in 32-byte sectors and shared-memory wavefronts"
_STALL_HEAT = "the line's share of this launch's stall samples; next to it the line's share of the traffic beyond the ideal"
_NO_ROOFLINE = "This launch only moves data: with 0 floating-point operations it has no place on a roofline."
_NO_MACHINE_CODE = "Operations are counted in machine code, which was not read here (`kernelopt doctor` says why): there is no roofline."
_NOT_PROFILED = "Not profiled yet: run Profile on this file."


class Fact(Record):
    """One important number, and how it was obtained."""

    name: str
    value: str
    note: str


class Bar(Record):
    """One share of something."""

    name: str
    value: str
    share: str
    ratio: float


class FindingPart(Record):
    code: str
    title: str
    severity: str
    line: int
    """Where it is now; of the profiled text where that line was changed."""
    message: str
    cost: str | None
    """What fixing it alone is predicted to save; null where that is not modelled."""
    evidence: tuple[tuple[str, str, str, str, str, str], ...]
    """(id, metric, value, line, method and device, grade) of each fact."""


class Row(Record):
    """One source line; a gap between two ranges has no number."""

    number: int | None
    now: int | None
    """Where the line is now; null where it was changed."""
    text: str
    heat_step: int
    heat: tuple[str, ...]
    """``98 % sectors``: the line's share of the launch's excess."""
    counters: tuple[str, ...]
    codes: tuple[str, ...]
    instructions: tuple[str, ...]
    """SASS of the launch's instance."""


class LaunchPart(Record):
    """One launch shape."""

    title: str
    method: str
    heat: str
    """What the lines' heat is a share of."""
    facts: tuple[Fact, ...]
    findings: tuple[FindingPart, ...]
    rows: tuple[Row, ...]
    terms: tuple[Bar, ...]
    mix: tuple[Bar, ...]
    roofline: RooflinePart | None
    no_roofline: str
    stalls: tuple[Bar, ...]
    no_stalls: str
    """Why there are none; empty where there are."""
    estimates: tuple[str, ...]
    """What is only estimated, and why."""


class KernelPart(Record):
    key: str
    name: str
    line: int
    """Where it begins now."""
    headline: str
    is_stale: bool
    launches: tuple[LaunchPart, ...]
    not_shown: str
    """How many launch shapes are not shown; empty for none."""
    comparisons: tuple[ComparisonPart, ...]
    """Newest first."""


class Report(Record):
    """One source."""

    name: str
    device: str | None
    rung: str | None
    """How far this machine can measure; null before a profile."""
    program: str
    """What the program as a whole spends its time on the GPU with, in one sentence; empty where that is not known."""
    kernels: tuple[KernelPart, ...]
    """The costliest first."""
    nothing: str
    """Why there is nothing to show, in one sentence; empty where there is something."""


def build_report(
    parsed: ParsedSource, view: View, profile: Analysis | None, judged: Analysis | None = None, proposals: Sequence[Proposal] = ()
) -> Report:
    """The report of ``parsed`` and its ``view``; ``proposals`` of the file in any state, newest first."""
    started = None if profile is None else next(profile.all(events.JobStarted), None)
    build = _Builder(parsed, profile, view.notes)
    timeline = None if profile is None else next(profile.all(events.TimelineFound), None)
    found = [build.kernel(kernel, comparisons(parsed, kernel, judged, proposals)) for kernel in view.kernels]
    kernels = [part for part in found if part.launches or part.comparisons]
    order = {kernel.key: -sum(launch.cost_s for launch in kernel.launches) for kernel in view.kernels}
    return Report(
        name=Path(parsed.source.path).name,
        device=None if started is None else started.device,
        rung=None if started is None else started.rung,
        program="" if timeline is None else program_sentence(timeline),
        kernels=tuple(sorted(kernels, key=lambda part: order[part.key])),
        nothing="" if kernels else _nothing(view, profile),
    )


def _nothing(view: View, profile: Analysis | None) -> str:
    if not view.kernels:
        return "This file holds no kernel."
    if profile is None:
        return _NOT_PROFILED
    ended = next(profile.all(events.JobEnded), None)
    return "The profile counted no launch." if ended is None else f"The profile counted no launch: {ended.reason}."


def comparisons(
    parsed: ParsedSource, kernel: KernelView, judged: Analysis | None, proposals: Sequence[Proposal]
) -> Iterator[ComparisonPart]:
    """Comparisons of edits of a kernel: first of the person's own, then of proposals in their order."""
    for event in () if judged is None else judged.all(events.ComparisonMade):
        if event.kernel is not None and _key(parsed, event.kernel) == kernel.key:
            yield judgement_part(event)
    for proposal in proposals:
        if _key(parsed, proposal.kernel) == kernel.key:
            yield comparison_part(proposal)


def _key(parsed: ParsedSource, name: str) -> str | None:
    kernel = kernel_meant(parsed, name)
    return None if kernel is None else kernel.key


class _Builder:
    """Knows the profiled text and the current one."""

    def __init__(self, parsed: ParsedSource, profile: Analysis | None, notes: Sequence[Note]) -> None:
        self._parsed = parsed
        self._notes = notes
        path, text = parsed.source.path, parsed.source.text if profile is None else profile.text
        self._profiled = parsed if text == parsed.source.text else parse(Source(path, text))
        self._file = str(path)
        self._lines = LineMap(text, parsed.source.text)
        self._code = () if profile is None else tuple(profile.all(events.MachineCode))

    def kernel(self, kernel: KernelView, compared: Iterator[ComparisonPart]) -> KernelPart:
        counted = [launch for launch in kernel.launches if launch.profile is not None]
        not_shown = len(kernel.launches) - min(len(counted), _SHOWN_LAUNCHES)
        return KernelPart(
            key=kernel.key,
            name=kernel.name,
            line=kernel.line,
            headline=headline(kernel, self._notes),
            is_stale=kernel.is_stale,
            launches=tuple(self._launch(kernel, launch, launch.profile) for launch in counted[:_SHOWN_LAUNCHES] if launch.profile),
            not_shown=f"{counted_noun(not_shown, 'further launch shape')} not shown" if not_shown and kernel.launches else "",
            comparisons=tuple(compared),
        )

    def _launch(self, kernel: KernelView, launch: LaunchView, profile: events.Profile) -> LaunchPart:
        roofline = None if profile.roofline is None else roofline_part(profile.roofline)
        return LaunchPart(
            title=_launch_title(launch.summary),
            method=made_by(profile.method, profile.device.name),
            heat=_STALL_HEAT if profile.stalls else _EXCESS_HEAT,
            facts=tuple(_facts(kernel, launch, profile)),
            findings=tuple(self._finding(profile, finding) for finding in profile.findings),
            rows=tuple(self._rows(kernel, profile)),
            terms=() if profile.predicted is None else tuple(_bar(share, "s") for share in term_shares(profile.predicted)),
            mix=tuple(_bar(share, "") for share in instruction_shares(profile.instructions)),
            roofline=roofline,
            no_roofline="" if roofline is not None else _NO_ROOFLINE if profile.instructions != InstructionMix() else _NO_MACHINE_CODE,
            stalls=tuple(_bar(share, "samples") for share in stall_shares(profile.stalls)),
            no_stalls="" if profile.stalls else _NO_STALLS.format(method=profile.device.name),
            estimates=tuple(_estimates(profile)),
        )

    def _finding(self, profile: events.Profile, finding: event_parts.ProfileFinding) -> FindingPart:
        ratio = finding.estimated_cost_ratio
        facts = evidence_of(profile, finding)
        return FindingPart(
            code=finding.code,
            title=title(finding.code),
            severity=finding.severity,
            line=self._lines.line(finding.line) or finding.line,
            message=finding.message,
            cost=None if ratio is None else _saved(ratio),
            evidence=tuple(
                (
                    f.id,
                    metric_in_words(f.metric),
                    quantity_in_words(f.value, f.unit),
                    str(f.line or ""),
                    made_by(f.method.value, f.device),
                    f.grade.value,
                )
                for f in facts
            ),
        )

    def _rows(self, kernel: KernelView, profile: events.Profile) -> Iterator[Row]:
        own = next((item for item in self._profiled.kernels if item.key == kernel.key), None)
        ranges = () if own is None else self._ranges(own)
        code = next((item for item in self._code if item.instance == profile.instance), None)
        made = {line.line: line.instructions for line in (() if code is None else code.lines) if line.file in ("", self._file)}
        for row in source_rows(self._profiled.source.text, self._file, ranges, profile.lines, profile.findings, profile.stalls):
            yield Row(
                number=row.number,
                now=None if row.number is None else self._lines.line(row.number),
                text=row.text,
                heat_step=row.heat_step,
                heat=tuple(_heat(row)),
                counters=tuple(_counters(item) for item in row.accesses),
                codes=row.codes,
                instructions=made.get(row.number or 0, ()),
            )

    def _ranges(self, kernel: Kernel) -> tuple[tuple[int, int], ...]:
        """Lines of the kernel and of the device functions that it calls."""
        source = self._profiled.source
        called = (f.span for f in self._profiled.device_functions if f.name in kernel.device_functions)
        return tuple(sorted((source.line_of(span.start), source.line_of(span.end)) for span in (kernel.span, *called)))


def _launch_title(summary: events.ProfileSummary) -> str:
    shape = f"{summary.shape}: " if summary.shape else ""
    shared = f", {summary.shared_bytes:,} bytes of dynamic shared memory" if summary.shared_bytes else ""
    count = counted_noun(summary.launch_count, "launch", "launches")
    return f"{shape}grid {_triple(summary.grid)}, block {_triple(summary.block)}{shared}, {count}"


def _facts(kernel: KernelView, launch: LaunchView, profile: events.Profile) -> Iterator[Fact]:
    summary, target = launch.summary, profile.device.target
    if summary.predicted_time_s is not None:
        time = format_quantity(summary.predicted_time_s, "s")
        yield Fact("Predicted time of one launch", time, f"performance model for {target}; nothing was timed")
    yield Fact("Limited by", limit_in_words(summary.bottleneck), "the longest term of the model that the kernel can change")
    light = summary.speed_of_light_ratio
    if light is not None:
        share = peak_in_words(light, summary.speed_of_light_limit or summary.bottleneck)
        yield Fact("Share of peak", f"at least {share}", f"distinct bytes or arithmetic over time, of the nominal peak of {target}")
    occupancy = profile.occupancy
    if occupancy is None:
        yield Fact("Theoretical occupancy", "unknown", "needs a CUDA compiler")
    else:
        by = "nothing limits it" if occupancy.limiter == "none" else f"limited by {occupancy.limiter}"
        warps = f"{occupancy.active_warps_per_sm} of {occupancy.max_warps_per_sm} warps per SM; {by}"
        yield Fact("Theoretical occupancy", share_in_words(occupancy.ratio), warps)
    resources = next((item for item in kernel.resources if item.instance == profile.instance), None)
    if resources is not None:
        spilled = f"{resources.spill_bytes:,} bytes spilled, {resources.static_shared_bytes:,} bytes static shared"
        yield Fact("Registers", f"{resources.registers_per_thread} per thread", f"{spilled} (ptxas, {resources.architecture})")


def _bar(share: Share, unit: str) -> Bar:
    return Bar(share.name, format_quantity(share.value, unit), share_in_words(share.ratio), share.ratio)


def _heat(row: SourceLine) -> Iterator[str]:
    if row.stalls_ratio is not None:
        yield f"{share_in_words(row.stalls_ratio)} stalls"
    if row.sectors_ratio is not None:
        yield f"{share_in_words(row.sectors_ratio)} sectors"
    if row.wavefronts_ratio is not None:
        yield f"{share_in_words(row.wavefronts_ratio)} wavefronts"


def _counters(line: event_parts.ProfileLine) -> str:
    parts = [f"{line.op}: {line.requests:,} requests", f"{line.active_threads:,} threads"]
    if line.sectors is not None:
        parts.append(f"{line.sectors:,} sectors ({line.ideal_sectors:,} ideal)")
    if line.wavefronts is not None:
        parts.append(f"{line.wavefronts:,} wavefronts ({line.ideal_wavefronts:,} ideal)")
    return ", ".join([*parts, line.grade])


def _estimates(profile: events.Profile) -> Iterator[str]:
    for reason, places in estimate_reasons(profile.lines).items():
        yield f"Line {', '.join(places)}: {reason}"
    for note in () if profile.predicted is None else profile.predicted.notes:
        yield f"Predicted time: {note}"


def _triple(value: tuple[int, int, int]) -> str:
    return " × ".join(str(part) for part in value)


def _saved(ratio: float) -> str:
    return f"Fixing it alone is predicted to save {f'{share_in_words(ratio)} of the time' if ratio > 0 else 'no time'}"
