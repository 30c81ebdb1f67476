"""What a model receives about one kernel: the inputs that every prompt about it shares, one per signal, as lines.

A signal that is switched off leaves its inputs empty; templates leave empty ones out. Numbers come with unit, device and method.
Example::

    facts = facts_of(request, settings.signals)
    facts.evidence[0]    # "E1 predicted_time = 12.3 µs"
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.build.architectures import compiled_for
from assistant.config.settings import SignalSettings
from assistant.cuda.changes import shown_names
from assistant.model.build import Diagnostic, KernelResources
from assistant.model.device import Architecture, Target
from assistant.model.plan import TriedBefore
from assistant.model.profile import Evidence, Finding, LaunchProfile, Problem
from assistant.model.source import LaunchSite
from assistant.plan.expert.analysis.workload_block import DeclaredShape
from assistant.plan.llm.annotate import annotated
from assistant.plan.llm.launching import declared_launches, launches_elsewhere
from assistant.plan.llm.limits import limit_notes
from assistant.plan.llm.parts import Part, PartKind, Region, region_of
from assistant.plan.llm.static_notes import array_notes, loop_notes
from assistant.ports.planner import PlanRequest
from assistant.profile.catalogue import metric
from assistant.profile.evidence import made_by
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.record import Record
from assistant.workload.recorded_words import in_words

__all__ = [
    "EvidenceGroup",
    "Facts",
    "PartNamed",
    "PartShown",
    "diagnostic_lines",
    "evidence_groups",
    "facts_of",
    "limits_of",
    "problem_lines",
    "region_lines",
]

_SHOWN_AGAIN = (PartKind.KERNEL, PartKind.HELPER)
"""Kinds of parts that a prompt shows without the listing's numbers and remarks."""
_MOST_LAUNCHES = 12
_MOST_DIAGNOSTICS = 20
_MOST_PROBLEMS = 20
_MOST_CHARACTERS = 600
"""Upper bound for one message of a tool."""


class PartShown(Record):
    """One part of the region, verbatim."""

    id: str
    first_line: int
    code: str
    what: str
    file: str | None = None
    """The name of another file; None: it stands in the listing, too."""


class PartNamed(Record):
    """One part that the listing shows."""

    id: str
    first_line: int
    last_line: int
    what: str


class EvidenceGroup(Record):
    """Facts that share their source."""

    source: str
    """Method, device and grade, stated once."""
    lines: tuple[str, ...]


class Facts(Record):
    """Inputs of a prompt. Tuples hold lines, most useful first; empty means nothing to say, switched off, or cut."""

    kernel: str
    parts: tuple[PartShown, ...]
    named_parts: tuple[PartNamed, ...]
    """Further parts of the listing."""
    parts_elsewhere: tuple[PartShown, ...]
    """Parts in other files."""
    may_edit_host: bool
    is_emulated: bool
    """Nothing is run on a GPU."""
    compiled_for: str
    """The architecture; ``sm_90a`` where code that needs it is compiled for that."""
    listing: tuple[str, ...]
    """The file, numbered and annotated."""
    is_annotated: bool
    kept_lines: frozenset[int]
    """Lines of the region and of launches, which stay in the listing whatever is cut."""
    launches: tuple[str, ...]
    """Launch expressions in the text."""
    declared: tuple[str, ...]
    """Launches of a workload block, where the real ones are elsewhere."""
    elsewhere: tuple[str, ...]
    """Launch expressions in other files of the program, with the file's name."""
    files: tuple[str, ...]
    """Names of the program's other files."""
    workload: tuple[str, ...]
    """Launches that were counted."""
    recorded: tuple[str, ...]
    """What every recorded launch had in common: pointers that never overlap, alignments, values."""
    limits: tuple[str, ...]
    """What takes the time of the costliest launch."""
    hardware: tuple[str, ...]
    hardware_source: str
    findings: tuple[str, ...]
    evidence: tuple[EvidenceGroup, ...]
    meanings: tuple[str, ...]
    """Meanings of the metrics that evidence names."""
    resources: tuple[str, ...]
    diagnostics: tuple[str, ...]
    problems: tuple[str, ...]
    loops: tuple[str, ...]
    arrays: tuple[str, ...]
    recalled: tuple[str, ...]
    tried: tuple[str, ...]
    wishes: tuple[str, ...]
    hint: str | None
    least_ratio: str | None
    """Least time(before)/time(after) of an edit that is kept."""
    decided_ratio: str | None
    """The same where a person must decide on it."""
    summaries: tuple[tuple[str, str], ...] = ()
    """(signal, text) of the signals that another model summarised."""
    left_out: tuple[str, ...] = ()
    """What was cut to make the prompt fit, in words."""


def facts_of(request: PlanRequest, signals: SignalSettings) -> Facts:
    """Everything that is not switched off, raw; `summarised` is done to the result."""
    parsed, kernel, region = request.parsed, request.kernel, region_of(request)
    own, sites = region.parts_of(parsed), parsed.launch_sites_of(kernel)
    has_profile = signals.profile != "off"
    evidence = request.evidence if has_profile else ()
    has_compile, has_static = signals.compile != "off", signals.static != "off"
    return Facts(
        kernel=kernel.key,
        parts=tuple(_part(part, None) for part in own if part.kind in _SHOWN_AGAIN),
        named_parts=tuple(
            PartNamed(part.id, part.first_line, part.last_line, part.kind.value) for part in own if part.kind not in _SHOWN_AGAIN
        ),
        parts_elsewhere=_elsewhere(region),
        may_edit_host=request.may_edit_host,
        is_emulated=request.is_emulated,
        compiled_for=compiled_for(request.architecture.name, ("wgmma",)),
        listing=annotated(parsed.source.text, evidence),
        is_annotated=any(fact.line is not None for fact in evidence),
        kept_lines=region_lines(own) | {site.line for site in sites} | {line for line, _ in declared_launches(parsed, kernel)},
        launches=tuple(_launch(site) for site in sites),
        declared=tuple(_declared(line, shape) for line, shape in declared_launches(parsed, kernel)),
        elsewhere=tuple(
            f"{name}, {_launch(site)}"
            for name, file in launches_elsewhere(parsed, kernel, request.program).items()
            for site in file.launch_sites_of(kernel)
        ),
        files=tuple(dict.fromkeys(source.path.name for source in request.others)),
        workload=_workload(request.profiles),
        recorded=in_words(request.recorded) if has_profile and request.recorded is not None else (),
        limits=limits_of(request.profiles, request.resources, request) if has_profile else (),
        hardware=_hardware(request.target, request.architecture) if signals.hardware != "off" else (),
        hardware_source=request.target.source,
        findings=tuple(_finding(finding) for finding in request.findings) if has_profile else (),
        evidence=evidence_groups(evidence),
        meanings=_meanings(evidence),
        resources=_resources(request.resources) if has_compile else (),
        diagnostics=diagnostic_lines(request.diagnostics, parsed.source.path) if has_compile else (),
        problems=problem_lines(p for profile in request.profiles for p in profile.problems) if signals.sanitizer != "off" else (),
        loops=loop_notes(parsed, kernel) if has_static else (),
        arrays=array_notes(parsed, kernel) if has_static else (),
        recalled=tuple(s for known in request.recalled for s in known.sentences) if signals.memory != "off" else (),
        tried=tuple(_tried(item) for item in request.tried),
        wishes=request.wishes,
        hint=request.hint,
        least_ratio=_ratio(request.least_ratio),
        decided_ratio=_ratio(request.decided_ratio),
    )


def _part(part: Part, file: str | None) -> PartShown:
    return PartShown(part.id, part.first_line, part.text.replace("\r\n", "\n"), part.kind.value, file)


def _elsewhere(region: Region) -> tuple[PartShown, ...]:
    """Parts of other files; a launch stands in its function."""
    names = shown_names([file.source.path for file in region.files])
    own = region.parsed.source.path
    return tuple(_part(part, names(part.path)) for part in region.parts if part.path != own and part.kind is not PartKind.LAUNCH)


def limits_of(profiles: tuple[LaunchProfile, ...], resources: KernelResources | None, request: PlanRequest) -> tuple[str, ...]:
    """What takes the time of the first launch, on the request's target; nothing where none was counted."""
    return limit_notes(profiles[0], resources, request.architecture, request.target) if profiles else ()


def region_lines(parts: Iterable[Part]) -> frozenset[int]:
    """1-based lines that the parts stand on."""
    return frozenset(line for part in parts for line in range(part.first_line, part.first_line + part.text.count("\n") + 1))


def evidence_groups(evidence: Iterable[Evidence]) -> tuple[EvidenceGroup, ...]:
    """Facts under their source, in order."""
    groups: dict[str, list[str]] = {}
    for fact in evidence:
        groups.setdefault(f"{made_by(fact.method.value, fact.device)}, {fact.grade.value}", []).append(_fact(fact))
    return tuple(EvidenceGroup(source, tuple(lines)) for source, lines in groups.items())


def diagnostic_lines(diagnostics: Iterable[Diagnostic], path: Path) -> tuple[str, ...]:
    """``error, line 12: …`` of the file ``path``, ``error, util.h, line 3: …`` of others; folders stay on this machine."""
    return _bounded([_diagnostic(diagnostic, path) for diagnostic in diagnostics], _MOST_DIAGNOSTICS)


def problem_lines(problems: Iterable[Problem]) -> tuple[str, ...]:
    """``shared_race at line 14 (and line 12): …``, each once."""
    return _bounded(list(dict.fromkeys(_problem(problem) for problem in problems)), _MOST_PROBLEMS)


def _fact(fact: Evidence) -> str:
    place = "" if fact.line is None else f", line {fact.line}"
    unit = " (ratio)" if fact.unit == "ratio" else ""
    return f"{fact.id}{place}: {fact.metric} = {format_quantity(fact.value, fact.unit)}{unit}"


def _meanings(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    return tuple(f"{name}: {metric(name).meaning}" for name in dict.fromkeys(fact.metric for fact in evidence))


def _finding(finding: Finding) -> str:
    cited = "" if not finding.evidence else f" [{', '.join(finding.evidence)}]"
    share = finding.estimated_cost_ratio
    cost = "" if share is None else f" (fixing it would save {share:.0%} of the predicted time, by the performance model)"
    return f"{finding.code}, line {finding.line}: {finding.message}{cost}{cited}"


def _diagnostic(diagnostic: Diagnostic, path: Path) -> str:
    name = Path(diagnostic.file).name
    place = ("" if name in ("", path.name) else f", {name}") + (f", line {diagnostic.line}" if diagnostic.line else "")
    message = diagnostic.message if len(diagnostic.file) <= len(name) else diagnostic.message.replace(diagnostic.file, name)
    return f"{diagnostic.severity.value}{place}: {_short(message)}"


def _launch(site: LaunchSite) -> str:
    shared = "" if site.shared is None else f", shared = {site.shared.text}"
    arguments = ", ".join(argument.text for argument in site.arguments)
    loop = "; in a loop" if site.is_in_loop else ""
    return f"line {site.line}: grid = {site.grid.text}, block = {site.block.text}{shared}, arguments = ({arguments}){loop}"


def _declared(line: int, shape: DeclaredShape) -> str:
    grid, block = (", ".join(item.text for item in items) for items in (shape.grid, shape.block))
    return f"line {line}: workload {shape.name}: grid = [{grid}], block = [{block}]"


def _workload(profiles: tuple[LaunchProfile, ...]) -> tuple[str, ...]:
    shapes: dict[str, int] = {}
    for profile in profiles:
        config = profile.config
        shape = f"grid {config.grid}, block {config.block}, {config.shared_bytes:,} bytes of dynamic shared memory"
        shapes[shape] = shapes.get(shape, 0) + 1
    lines = [f"{counted_noun(count, 'launch', 'launches')} with {shape}" for shape, count in shapes.items()]
    return _bounded(lines, _MOST_LAUNCHES)


def _hardware(target: Target, architecture: Architecture) -> tuple[str, ...]:
    return (
        f"{target.name}, {architecture.name}: {target.sm_count} SMs at {target.clock_hz / 1e9:.3g} GHz",
        f"DRAM: {target.dram_bytes_per_s / 1e12:.3g} TB/s, latency {format_quantity(target.dram_latency_s, 's')}",
        f"L2: {target.l2_bytes / 2**20:.3g} MiB, {target.l2_bytes_per_s / 1e12:.3g} TB/s",
        f"shared memory: {target.shared_bytes_per_clock_per_sm} bytes per clock and SM; {architecture.shared_bytes_per_sm:,} bytes per SM, "
        f"{architecture.shared_bytes_per_block_default:,} per block, {architecture.shared_bytes_per_block_optin:,} where the host opts in "
        "(`cudaFuncSetAttribute`)",
        f"per SM: at most {architecture.max_threads_per_sm} threads, {architecture.max_blocks_per_sm} blocks, "
        f"{architecture.registers_per_sm:,} registers; per block: at most {architecture.max_threads_per_block} threads",
        f"results per clock and SM: {target.fp32_lanes_per_sm} fp32, {target.fp64_lanes_per_sm} fp64, "
        f"{target.integer_lanes_per_sm} integer, {target.special_lanes_per_sm} special functions",
    )


def _resources(resources: KernelResources | None) -> tuple[str, ...]:
    if resources is None:
        return ()
    return (
        f"{resources.registers_per_thread} registers per thread, {resources.static_shared_bytes:,} bytes of static shared memory per "
        f"block, {resources.spill_load_bytes + resources.spill_store_bytes:,} bytes spilled, {resources.stack_bytes:,} bytes of stack "
        f"(ptxas, {resources.architecture})",
    )


def _problem(problem: Problem) -> str:
    place = f" at line {problem.line}" if problem.line else ""
    other = f" (and line {problem.other_line})" if problem.other_line else ""
    return f"{problem.kind}{place}{other}: {_short(problem.message)}"


def _tried(item: TriedBefore) -> str:
    ratio = "" if item.ratio is None else f", time(before)/time(after) {item.ratio:.2f} (predicted or measured by the judge)"
    return f"{item.technique} at line {item.line}: {item.summary} -> {item.outcome}{ratio}: {item.reason}"


def _ratio(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.2f}"


def _bounded(lines: list[str], count: int) -> tuple[str, ...]:
    """The first ``count`` lines, and how many more there are."""
    return (*lines[:count], *([f"and {len(lines) - count:,} more"] if len(lines) > count else []))


def _short(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
