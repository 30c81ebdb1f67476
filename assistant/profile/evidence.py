"""Numbered evidence: facts with unit, line, method and device, each once.

Example::

    collect(facts, device_of=lambda method: "CPU emulator (sm_90 rules)", first_number=1)[0].id   # "E1"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.profile import Evidence, Grade, LaunchProfile, LineAccess, Method
from assistant.profile.catalogue import metric
from assistant.profile.diagnosis import Fact

__all__ = ["collect", "ids_by_fact", "kernel_facts", "made_by"]

_LINES_SHOWN = 12
"""Busiest lines of a launch that are cited even without a finding."""
_STALLED_LINES_SHOWN = 3


def made_by(method: str, device: str) -> str:
    """``CPU emulator (sm_90 rules)``: the device, behind the method's name where it does not say that itself."""
    return device if method in device else f"{method}, {device}"


def collect(facts: Iterable[Fact], device_of: Callable[[Method], str], first_number: int = 1) -> tuple[Evidence, ...]:
    """Evidence in the order of ``facts``, equal facts once, ids ``E{first_number}`` onwards."""
    return tuple(
        Evidence(
            id=f"E{first_number + i}",
            metric=fact.metric,
            value=fact.value,
            unit=metric(fact.metric).unit,
            line=fact.line,
            method=fact.method,
            device=device_of(fact.method),
            grade=fact.grade,
        )
        for i, fact in enumerate(dict.fromkeys(facts))
    )


def ids_by_fact(facts: Iterable[Fact], evidence: tuple[Evidence, ...]) -> dict[Fact, str]:
    """Which id ``collect`` gave to each of the same facts."""
    return {fact: e.id for fact, e in zip(dict.fromkeys(facts), evidence, strict=True)}


def kernel_facts(
    profile: LaunchProfile, resources: KernelResources | None, occupancy: Occupancy | None, predicted: PredictedTime
) -> tuple[Fact, ...]:
    """What is worth knowing of any launch: time, resources, distinct sectors and the busiest lines' counters.

    No time is predicted from nothing.
    """
    facts = [Fact("predicted_time", predicted.time_s, None, Method.MODEL, Grade.ESTIMATED)] if profile.blocks_counted else []
    if resources is not None:
        facts.append(Fact("registers_per_thread", float(resources.registers_per_thread), None, Method.PTXAS))
    if occupancy is not None:
        facts.append(Fact("occupancy", occupancy.ratio, None, Method.OCCUPANCY))
    if profile.unique_sectors is not None:
        facts.append(Fact("unique_sectors", float(profile.unique_sectors), None, _distinct_by(profile), _sampled_grade(profile)))
    facts += [Fact(one.name, one.value, None, profile.method) for one in profile.measured]
    facts += _stall_facts(profile)
    busiest = sorted(profile.accesses, key=_traffic, reverse=True)[:_LINES_SHOWN]
    return (*facts, *(fact for access in busiest for fact in _line_facts(access, profile.method)))


def _stall_facts(profile: LaunchProfile) -> list[Fact]:
    """The lines on which warps wait most, with their shares of all samples; none where nothing sampled."""
    samples: Counter[int] = Counter()
    for stall in profile.stalls:
        samples[stall.line] += stall.samples
    return [
        Fact("stall_ratio", count / samples.total(), line, profile.method, Grade.ESTIMATED)
        for line, count in samples.most_common(_STALLED_LINES_SHOWN)
        if line
    ]


def _distinct_by(profile: LaunchProfile) -> Method:
    """Distinct sectors are the emulator's even where the other counters are a GPU's, which has no counter of them."""
    return Method.EMULATOR if profile.is_of_hardware else profile.method


def _sampled_grade(profile: LaunchProfile) -> Grade:
    return Grade.EXACT if profile.blocks_counted >= profile.config.grid.count else Grade.ESTIMATED


def _traffic(access: LineAccess) -> int:
    return (access.sectors or 0) + (access.wavefronts or 0)


def _line_facts(access: LineAccess, method: Method) -> tuple[Fact, ...]:
    if access.op.startswith("shared") and access.wavefronts is not None:
        counted = {"shared_wavefronts": access.wavefronts, "shared_ideal_wavefronts": access.ideal_wavefronts}
    elif access.op.startswith("global") and access.sectors is not None:
        counted = {"global_sectors": access.sectors, "global_ideal_sectors": access.ideal_sectors}
    else:
        counted = {}
    return tuple(Fact(name, float(v), access.line, method, access.grade) for name, v in counted.items() if v is not None)
