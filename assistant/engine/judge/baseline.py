"""The original on its cases, which every candidate is held against, and what a judge is shown of a case. Values only.

Example::

    baseline = await prepare(job, evaluation, kernels, effort, second_run)
    [case_evidence(item, (), text).original for item in baseline.cases]      # what the original left on each
"""

from __future__ import annotations

from dataclasses import field, replace

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import CountedRun, Effort, JudgedCase
from assistant.engine.judge.replaying import FloatReference
from assistant.engine.source_version import SourceVersion
from assistant.model.profile import Problem
from assistant.model.recording import RecordedBuffer
from assistant.model.workload import Tolerance
from assistant.record import Record
from assistant.verify.evidence import BufferFacts, CaseEvidence, SideRun, SizeCoverage
from assistant.verify.known_rules import KnownRules
from assistant.verify.labels import VersionFacts
from assistant.verify.numbers import element_of
from assistant.workload.derive import contents_of
from assistant.workload.offsets import longest_row

__all__ = ["Baseline", "PerturbedCases", "PreparedCase", "ShownProblems", "buffer_facts", "case_evidence"]


class PreparedCase(Record):
    """A case with everything the original left behind on it."""

    case: JudgedCase
    original: tuple[SideRun, ...]
    reference: FloatReference
    perturbed: tuple[SideRun, ...]
    can_be_perturbed: bool = False
    """It would be run on moved inputs if a verdict rested on roundoff there."""


class PerturbedCases:
    """Cases of one original with its runs on perturbed inputs, made when a verdict first rests on roundoff: they make bounds wider, so that
    a version that is right without them is right."""

    def __init__(self) -> None:
        self._made: dict[int, PreparedCase] = {}

    def known(self, item: PreparedCase) -> PreparedCase:
        return self._made.get(id(item.case), item)

    def keep(self, item: PreparedCase, runs: tuple[SideRun, ...]) -> None:
        """``runs``: of the original on the case's perturbed inputs."""
        self._made[id(item.case)] = replace(item, perturbed=runs, can_be_perturbed=False)


class ShownProblems:
    """What the original's program shows with every check on, once it was asked."""

    def __init__(self) -> None:
        self.problems: tuple[Problem, ...] | None = None


class Baseline(Record):
    """The original, run on every case."""

    version: SourceVersion
    kernels: frozenset[str]
    """Keys of the kernels that are judged."""
    counted: CountedRun
    recorded: CountedRun
    """The run whose recording the cases were made from."""
    facts: VersionFacts
    effort: Effort
    cases: tuple[PreparedCase, ...]
    second_run: CountedRun | None
    """Another run of the original's program: what differs between its own runs is masked."""
    tolerance: Tolerance
    outputs: tuple[str, ...]
    missing_checks: tuple[str, ...]
    case_notes: tuple[str, ...]
    """What was left out of the cases or made smaller; says nothing of a candidate that is held against none of them."""
    dropped_cases: tuple[str, ...]
    """Cases of our own making on which the original is not clean."""
    sizes: SizeCoverage | None
    """None for declared workloads, whose sizes are the user's to choose."""
    caveats: tuple[str, ...] = ()
    """What a verdict line says of every candidate that is held against it."""
    perturbed: PerturbedCases = field(default_factory=PerturbedCases, compare=False)
    rules: KnownRules = field(default_factory=KnownRules, compare=False)
    shown: ShownProblems = field(default_factory=ShownProblems, compare=False)

    @property
    def is_declared(self) -> bool:
        return bool(self.version.declared) and self.counted.run is None


def case_evidence(item: PreparedCase, candidate: tuple[SideRun, ...], text: str) -> CaseEvidence:
    """What the judge is shown of the case; ``text`` is the original's, which defines the structs."""
    config = item.case.new.recording.launches[0].config
    return CaseEvidence(
        origin=item.case.new.origin,
        kernel=item.case.kernel,
        buffers=buffer_facts(item.case, text),
        original=item.original,
        candidate=candidate,
        reference=item.reference.values,
        reference_kind=item.reference.kind,
        perturbed=item.perturbed,
        can_be_perturbed=item.can_be_perturbed,
        further_kernels=item.case.further_kernels,
        thread_count=config.grid.count * config.block.count,
        longest_row=longest_row(item.case.new),
        iterations=item.case.iterations,
        passed=tuple(
            argument.data_hex for launch in item.case.new.recording.launches for argument in launch.arguments if not argument.pointers
        ),
    )


def buffer_facts(case: JudgedCase, text: str) -> tuple[BufferFacts, ...]:
    """What the judge knows of the case's buffers; ``text`` is the original's, which defines the structs."""
    names = dict(case.buffer_names)
    contents = contents_of(case.new)
    return tuple(
        BufferFacts(
            id=buffer.id,
            name=names[buffer.id],
            element_type=buffer.element_type,
            before=contents.get(buffer.id, bytes(buffer.size_bytes)),
            is_poisoned=buffer.is_poisoned,
            is_scratch=names[buffer.id] in case.scratch,
            is_unread=buffer.id in case.unread,
            is_only_stored=buffer.id in case.only_stored,
            layout=layout_named(text, buffer.element_type),
            starts=_starts(case, buffer),
        )
        for buffer in case.new.recording.buffers
    )


def _starts(case: JudgedCase, buffer: RecordedBuffer) -> tuple[tuple[int, str], ...]:
    """Where parameters point to in a buffer, if one of them does elsewhere than to its start and none to several places."""
    scalar_bytes = element_of(buffer.element_type, buffer.size_bytes).scalar_bytes
    found: dict[str, set[int]] = {}
    for launch, declared in zip(case.new.recording.launches, case.parameters, strict=True):
        for argument, parameter in zip(launch.arguments, declared, strict=False):
            for pointer in argument.pointers:
                if pointer.buffer == buffer.id and parameter.is_pointer:
                    found.setdefault(parameter.name, set()).add(pointer.buffer_offset_bytes // scalar_bytes)
    if any(len(places) > 1 for places in found.values()) or not any(place for places in found.values() for place in places):
        return ()
    names: dict[int, str] = {}
    for name, (place,) in found.items():
        names.setdefault(place, name)
    return tuple(sorted(names.items()))
