"""What a model receives about one kernel: the inputs that every prompt about it shares, one per signal, as lines.

A signal that is switched off leaves its inputs empty; templates leave empty ones out. Numbers come with unit, device and method.
Example::

    facts = facts_of(request, settings.signals)
    facts.evidence[0]    # "E1 predicted_time = 12.3 µs"
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from assistant.build.architectures import compiled_for
from assistant.config.settings import SignalSettings
from assistant.cuda.changes import shown_names
from assistant.model.build import Diagnostic, KernelResources, errors_first
from assistant.model.plan import AttemptSummary
from assistant.model.profile import Evidence, Finding, LaunchProfile, Problem
from assistant.model.source import LaunchSite
from assistant.model.trial import TrialOutcome
from assistant.plan.expert.analysis.workload_block import DeclaredShape
from assistant.plan.llm.annotate import annotated
from assistant.plan.llm.code.launching import declared_launches, launches_elsewhere
from assistant.plan.llm.code.parts import Part, PartKind, Region, region_of
from assistant.plan.llm.hardware import hardware_lines
from assistant.plan.llm.limits import RESIDENT, limit_notes
from assistant.plan.llm.recalled import recalled_lines
from assistant.plan.llm.shown_evidence import EvidenceGroup, evidence_groups, ids_of, meanings_of, stated_in
from assistant.plan.llm.static_notes import array_notes, loop_notes
from assistant.plan.tokens import estimated_tokens
from assistant.ports.planner import PlanRequest
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.workload.recorded_words import in_words, sizes_in_words, values_in_words

__all__ = [
    "DesignShown",
    "Facts",
    "PartNamed",
    "PartShown",
    "diagnostic_lines",
    "facts_of",
    "limits_of",
    "problem_lines",
    "region_lines",
]

_MOST_LAUNCHES = 12
_MOST_DIAGNOSTICS = 20
_MOST_PROBLEMS = 20
_DESIGN_TOKENS = 4_000
"""Of the code of earlier edits in one prompt (chosen: three or four kernels)."""
_MOST_CHARACTERS = 600
"""Upper bound for one message of a tool."""


class PartShown(Record):
    """One part of another file, verbatim."""

    id: str
    first_line: int
    code: str
    what: str
    file: str
    """Its name."""


class PartNamed(Record):
    """One part that the listing shows."""

    id: str
    first_line: int
    last_line: int
    what: str


class DesignShown(Record):
    """An edit that was judged."""

    line: str
    code: str


class Facts(Record):
    """Inputs of a prompt. Tuples hold lines, most useful first; empty means nothing to say, switched off, or cut."""

    kernel: str
    parts: tuple[PartNamed, ...]
    """Of the listing."""
    parts_elsewhere: tuple[PartShown, ...]
    """Parts in other files."""
    may_edit_host: bool
    is_emulated: bool
    """Nothing is run on a GPU."""
    is_run_in_part: bool
    """The program takes too long to be run whole."""
    compiled_for: str
    """The architecture; ``sm_90a`` where code that needs it is compiled for that."""
    listing: tuple[str, ...]
    """The file, numbered and annotated."""
    is_annotated: bool
    kept_lines: frozenset[int]
    """Lines of the region and of launches, which stay in the listing whatever is cut."""
    launches: tuple[int, ...]
    """Lines of the kernel's launches in the listing."""
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
    designs: tuple[DesignShown, ...]
    """Code that was tried, with what came of it: what is right and fastest first."""
    wishes: tuple[str, ...]
    hint: str | None
    least_ratio: str | None
    """Least time(before)/time(after) of an edit that is kept."""
    decided_ratio: str | None
    """The same where a person must decide on it."""
    summaries: tuple[tuple[str, str], ...] = ()
    """(signal, text) of the signals that another model summarised."""
    has_fences: bool = True
    """Whether code is answered in fences behind a header, else within it."""
    worked: tuple[str, ...] = ()
    """Texts of techniques, with code, for the findings at hand."""
    left_out: tuple[str, ...] = ()
    """What was cut to make the prompt fit, in words."""


def facts_of(request: PlanRequest, signals: SignalSettings) -> Facts:
    """Everything that is not switched off, raw; `summarised` is done to the result."""
    parsed, kernel, region = request.parsed, request.kernel, region_of(request)
    own, sites = region.parts_of(parsed), parsed.launch_sites_of(kernel)
    has_profile = signals.profile != "off"
    evidence = request.evidence if has_profile else ()
    limits = limits_of(request.profiles, request.resources, request, evidence) if has_profile else ()
    listing = annotated(parsed.source.text, evidence)
    has_compile, has_static = signals.compile != "off", signals.static != "off"
    return Facts(
        kernel=kernel.key,
        parts=tuple(PartNamed(part.id, part.first_line, part.last_line, part.kind.value) for part in own),
        parts_elsewhere=_elsewhere(region),
        may_edit_host=request.may_edit_host,
        is_emulated=request.is_emulated,
        is_run_in_part=request.is_run_in_part,
        compiled_for=compiled_for(request.architecture.name, ("wgmma",)),
        listing=listing,
        is_annotated=any(fact.line is not None for fact in evidence),
        kept_lines=region_lines(own) | {site.line for site in sites} | {line for line, _ in declared_launches(parsed, kernel)},
        launches=tuple(dict.fromkeys(site.line for site in sites)),
        declared=tuple(_declared(line, shape) for line, shape in declared_launches(parsed, kernel)),
        elsewhere=tuple(
            f"{name}, {_launch(site)}"
            for name, file in launches_elsewhere(parsed, kernel, request.program).items()
            for site in file.launch_sites_of(kernel)
        ),
        files=tuple(dict.fromkeys(source.path.name for source in request.others)),
        workload=_workload(request.profiles),
        recorded=_recorded(request) if has_profile else (),
        limits=limits,
        hardware=hardware_lines(request.target, request.architecture, request.build) if signals.hardware != "off" else (),
        hardware_source=request.target.source,
        findings=tuple(_finding(finding) for finding in request.findings) if has_profile else (),
        evidence=evidence_groups(evidence, stated_in(listing) | _stated(evidence, limits, has_compile)),
        meanings=meanings_of(evidence),
        resources=_resources(request.resources, evidence) if has_compile else (),
        diagnostics=diagnostic_lines(request.diagnostics, parsed.source.path) if has_compile else (),
        problems=problem_lines(p for profile in request.profiles for p in profile.problems) if signals.sanitizer != "off" else (),
        loops=loop_notes(parsed, kernel) if has_static else (),
        arrays=array_notes(parsed, kernel) if has_static else (),
        recalled=recalled_lines(request.recalled) if signals.memory != "off" else (),
        tried=tuple(_tried(item) for item in request.tried),
        designs=_designs(request.tried),
        wishes=request.wishes,
        hint=request.hint,
        least_ratio=_ratio(request.least_ratio),
        decided_ratio=_ratio(request.decided_ratio),
    )


def _part(part: Part, file: str) -> PartShown:
    return PartShown(part.id, part.first_line, part.text.replace("\r\n", "\n"), part.kind.value, file)


def _elsewhere(region: Region) -> tuple[PartShown, ...]:
    """Parts of other files; a launch stands in its function."""
    names = shown_names([file.source.path for file in region.files])
    own = region.parsed.source.path
    return tuple(_part(part, names(part.path)) for part in region.parts if part.path != own and part.kind is not PartKind.LAUNCH)


def limits_of(
    profiles: tuple[LaunchProfile, ...], resources: KernelResources | None, request: PlanRequest, evidence: Collection[Evidence]
) -> tuple[str, ...]:
    """What takes the time of the first launch, on the request's target, with the ids of ``evidence`` that says the same; nothing where
    none was counted."""
    if not profiles:
        return ()
    lines = limit_notes(profiles[0], resources, request.architecture, request.target, _array_bytes(request))
    marked = [_with_ids(lines[0], ids_of(evidence, "predicted_time")), *lines[1:]]
    return tuple(_with_ids(line, ids_of(evidence, "occupancy")) if line.startswith(RESIDENT) else line for line in marked)


def _array_bytes(request: PlanRequest) -> int:
    """Of the arrays that the kernel is passed, where every launch was passed the same; 0 where that is not known."""
    is_known = all(one.least_bytes == one.most_bytes for one in request.reaches)
    return sum(one.most_bytes for one in request.reaches) if is_known else 0


def region_lines(parts: Iterable[Part]) -> frozenset[int]:
    """1-based lines that the parts stand on."""
    return frozenset(line for part in parts for line in range(part.first_line, part.first_line + part.text.count("\n") + 1))


def diagnostic_lines(diagnostics: Iterable[Diagnostic], path: Path) -> tuple[str, ...]:
    """``error, line 12: …`` of the file ``path``, ``error, util.h, line 3: …`` of others; folders stay on this machine."""
    return _bounded([_diagnostic(diagnostic, path) for diagnostic in errors_first(diagnostics)], _MOST_DIAGNOSTICS)


def problem_lines(problems: Iterable[Problem]) -> tuple[str, ...]:
    """``shared_race at line 14 (and line 12): …``, each once."""
    return _bounded(list(dict.fromkeys(_problem(problem) for problem in problems)), _MOST_PROBLEMS)


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
    shared = f", shared = [{', '.join(item.text for item in shape.shared)}]" if shape.is_of_cell else ""
    return f"line {line}: workload {shape.name}: grid = [{grid}], block = [{block}]{shared}"


def _workload(profiles: tuple[LaunchProfile, ...]) -> tuple[str, ...]:
    shapes: dict[str, int] = {}
    for profile in profiles:
        config = profile.config
        shape = f"grid {config.grid}, block {config.block}, {config.shared_bytes:,} bytes of dynamic shared memory"
        shapes[shape] = shapes.get(shape, 0) + 1
    lines = [f"{counted_noun(count, 'launch', 'launches')} with {shape}" for shape, count in shapes.items()]
    return _bounded(lines, _MOST_LAUNCHES)


def _recorded(request: PlanRequest) -> tuple[str, ...]:
    """What the recorded launches had in common; of their shapes only what the counted launches do not show."""
    if request.recorded is None:
        return ()
    counted = {profile.config for profile in request.profiles}
    are_shown = all(shape.config in counted for shape in request.recorded.shapes)
    sizes = sizes_in_words(request.reaches)
    return (*(values_in_words if are_shown else in_words)(request.recorded), *((sizes,) if sizes else ()))


def _stated(evidence: Collection[Evidence], limits: tuple[str, ...], has_compile: bool) -> frozenset[str]:
    """Ids of facts that stand in the sentences on time and resources."""
    named = {"predicted_time": bool(limits), "occupancy": any(line.startswith(RESIDENT) for line in limits)}
    named["registers_per_thread"] = has_compile
    return frozenset(id_ for name, is_there in named.items() if is_there for id_ in ids_of(evidence, name))


def _resources(resources: KernelResources | None, evidence: Collection[Evidence]) -> tuple[str, ...]:
    if resources is None:
        return ()
    line = (
        f"{resources.registers_per_thread} registers per thread, {resources.static_shared_bytes:,} bytes of static shared memory per "
        f"block, {resources.spill_load_bytes + resources.spill_store_bytes:,} bytes spilled, {resources.stack_bytes:,} bytes of stack "
        f"(ptxas, {resources.architecture})"
    )
    return (_with_ids(line, ids_of(evidence, "registers_per_thread")),)


def _with_ids(line: str, ids: tuple[str, ...]) -> str:
    return f"{line} [{', '.join(ids)}]" if ids else line


def _problem(problem: Problem) -> str:
    place = f" at line {problem.line}" if problem.line else ""
    other = f" (and line {problem.other_line})" if problem.other_line else ""
    return f"{problem.kind}{place}{other}: {_short(problem.message)}"


def _tried(item: AttemptSummary) -> str:
    ratio = "" if item.ratio is None else f", time(before)/time(after) {item.ratio:.2f} (predicted or measured by the judge)"
    return f"{item.technique} at line {item.line}: {item.summary} -> {item.outcome}{ratio}: {item.reason}"


def _designs(tried: Iterable[AttemptSummary]) -> tuple[DesignShown, ...]:
    """As many as fit into `_DESIGN_TOKENS`, those alone that gave right results."""
    right = [item for item in tried if item.code and item.outcome in (TrialOutcome.KEPT, TrialOutcome.NOT_BETTER)]
    left, shown = _DESIGN_TOKENS, list[DesignShown]()
    for item in sorted(right, key=lambda item: -(item.ratio or 0.0)):
        left -= estimated_tokens(item.code)
        if left >= 0:
            shown.append(DesignShown(_tried(item), item.code))
    return tuple(shown)


def _ratio(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.2f}"


def _bounded(lines: list[str], count: int) -> tuple[str, ...]:
    """The first ``count`` lines, and how many more there are."""
    return (*lines[:count], *([f"and {len(lines) - count:,} more"] if len(lines) > count else []))


def _short(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
