"""Where nvcc's accesses are others than g++'s: what the emulator should count as one, and what belongs to another line.

Two kinds of correction. *Proposals* need the addresses of single requests, so the program is run again with them: neighbouring
accesses that the machine code fuses into a wider one, and accesses of two branches that it does as one. *Moves* only book counts
of the same run elsewhere: an access that nvcc places on another line, and shared atomics whose threads wait for each other.

Pure; a proposal is no proof, `grading` decides what a corrected count is worth. Example::

    proposals(emulated, machine, chain_of)   # (Correction(addresses=(0x4011a0,), fused_bytes=16),)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from assistant.build.sites import WAITING_ATOMICS, AccessKey, MachineSite, Region
from assistant.model.profile import AccessSite, Correction, Grade, LaunchProfile, LineAccess
from assistant.model.source import SourceLoop

__all__ = ["Place", "moved", "proposals", "with_waiting_atomics"]

Emulated = Mapping[AccessKey, tuple[AccessSite, ...]]
Machine = Mapping[AccessKey, Counter[Region]]
Chain = Callable[[AccessKey], tuple[SourceLoop, ...]]
Condition = Callable[[Region], object | None]
"""What decides whether code runs, equal for code that runs equally often; None in loops."""
Place = tuple[str, int, str]
"""File, line, kind of access."""

_MOVABLE = ("global load", "global store", "shared load", "shared store")


def proposals(emulated: Emulated, machine: Machine, chain: Chain) -> tuple[Correction, ...]:
    """What to count as one in another run of the same program; empty where both agree or cannot be brought together."""
    return _apart([*_fusions(emulated, machine), *_splits(emulated, machine), *_merges(emulated, machine, chain)])


def _fusions(emulated: Emulated, machine: Machine) -> list[Correction]:
    """Lines that have a wider access in the machine code than in the source: whole in a row, or turn by turn in a loop."""
    found: list[Correction] = []
    for wide in machine:
        narrow = [k for k in emulated if _place(k) == _place(wide) and k.size_bytes < wide.size_bytes]
        if wide in emulated or len(narrow) != 1 or wide.op not in _MOVABLE:
            continue
        sites = _addresses(emulated[narrow[0]])
        lost = [k for k in emulated if _is_lost(k, machine) and _is_same_kind(k, narrow[0])]
        parts = wide.size_bytes // narrow[0].size_bytes
        if len(sites) < parts and lost and narrow[0] not in machine:
            sites = tuple(sorted((*sites, *(a for k in lost for a in _addresses(emulated[k])))))
        if len(sites) >= parts:
            found.append(Correction(sites, wide.size_bytes))
        else:
            found.extend(Correction((address,), wide.size_bytes) for address in sites)
    return found


def _splits(emulated: Emulated, machine: Machine) -> list[Correction]:
    """Lines where the machine code takes every access in narrower ones (a struct of two halves)."""
    found: list[Correction] = []
    for key, sites in emulated.items():
        narrow = [k for k in machine if _place(k) == _place(key)]
        if len(narrow) != 1 or narrow[0].size_bytes >= key.size_bytes or key.op not in _MOVABLE:
            continue
        if machine[narrow[0]].total() * narrow[0].size_bytes == len(sites) * key.size_bytes:
            found.extend(Correction((address,), narrow[0].size_bytes) for address in _addresses(sites))
    return found


def _merges(emulated: Emulated, machine: Machine, chain: Chain) -> list[Correction]:
    """An access without machine code and the nearest one of its kind, in the same loops, that ran for other threads."""
    found: list[Correction] = []
    for lost in emulated:
        if not _is_lost(lost, machine) or len(emulated[lost]) != 1 or lost.op not in _MOVABLE:
            continue
        partners = [
            k
            for k in emulated
            if _is_same_kind(k, lost) and k in machine and len(emulated[k]) == machine[k].total() == 1 and chain(k) == chain(lost)
        ]
        if partners:
            partner = min(partners, key=lambda k: abs(k.line - lost.line))
            found.append(Correction(tuple(sorted(_addresses((*emulated[lost], *emulated[partner])))), 0))
    return found


def _apart(corrections: list[Correction]) -> tuple[Correction, ...]:
    """One correction per site, the first."""
    taken: set[int] = set()
    kept: list[Correction] = []
    for correction in corrections:
        if not taken & set(correction.addresses):
            taken |= set(correction.addresses)
            kept.append(correction)
    return tuple(kept)


def _place(key: AccessKey) -> Place:
    return (key.file, key.line, key.op)


def _addresses(sites: tuple[AccessSite, ...]) -> tuple[int, ...]:
    return tuple(sorted(site.address for site in sites))


def _is_lost(key: AccessKey, machine: Machine) -> bool:
    return not any(_place(k) == _place(key) for k in machine)


def _is_same_kind(key: AccessKey, other: AccessKey) -> bool:
    is_other_place = _place(key) != _place(other)
    return is_other_place and (key.file, key.op, key.size_bytes) == (other.file, other.op, other.size_bytes)


@dataclass(frozen=True)
class _Move:
    site: AccessSite
    target: AccessKey


def moved(profile: LaunchProfile, emulated: Emulated, machine: Machine, condition: Condition) -> LaunchProfile:
    """The profile with each access on the line where nvcc has it, wherever only one access can be meant."""
    moves = [m for key in machine if not _is_seen(key, emulated) for m in _moves(key, emulated, machine, condition)]
    targets = {m.site.address: m.target for m in moves}
    if len(targets) != len(moves) or 0 in targets:
        return profile
    sites = tuple(replace(s, line=targets[s.address].line) if s.address in targets else s for s in profile.sites)
    changed = {(m.site.file, m.site.line, m.site.op) for m in moves} | {_place(m.target) for m in moves}
    return replace(profile, sites=sites, accesses=_rebooked(profile.accesses, sites, changed))


def _is_seen(key: AccessKey, emulated: Emulated) -> bool:
    return any(_place(k) == _place(key) for k in emulated)


def _moves(target: AccessKey, emulated: Emulated, machine: Machine, condition: Condition) -> list[_Move]:
    """Sites of one other line that outnumber its machine code under the target's condition by just what the target has."""
    count = machine[target].total()
    conditions = {condition(region) for region in machine[target]}
    if target.op not in _MOVABLE or len(conditions) != 1 or None in conditions:
        return []
    found: list[list[AccessSite]] = []
    for key in (k for k in emulated if _is_same_kind(k, target)):
        own = sum(n for region, n in machine.get(key, Counter[Region]()).items() if condition(region) in conditions)
        groups: dict[tuple[int, ...], list[AccessSite]] = defaultdict(list)
        for site in emulated[key]:
            groups[_counts(site)].append(site)
        found.extend(group for group in groups.values() if len(group) == own + count)
    return [_Move(site, target) for site in found[0][:count]] if len(found) == 1 else []


def _counts(site: AccessSite) -> tuple[int, ...]:
    return (site.active_threads, site.requests, site.units, site.ideal_units, site.tags)


def _rebooked(accesses: tuple[LineAccess, ...], sites: tuple[AccessSite, ...], changed: set[Place]) -> tuple[LineAccess, ...]:
    kept = [a for a in accesses if (a.file, a.line, a.op) not in changed]
    booked = {place: [s for s in sites if (s.file, s.line, s.op) == place and s.requests] for place in changed}
    new = [_line_access(place, own) for place, own in booked.items() if own]
    return tuple(sorted((*kept, *new), key=lambda a: (a.file, a.line, a.op)))


def _line_access(place: Place, sites: list[AccessSite]) -> LineAccess:
    is_shared = place[2].startswith("shared")
    units, ideal = sum(s.units for s in sites), sum(s.ideal_units for s in sites)
    return LineAccess(
        *place,
        size_bytes=max(s.size_bytes for s in sites),
        requests=sum(s.requests for s in sites),
        active_threads=sum(s.active_threads for s in sites),
        sectors=None if is_shared else units,
        ideal_sectors=None if is_shared else ideal,
        wavefronts=units if is_shared else None,
        ideal_wavefronts=ideal if is_shared else None,
        grade=Grade.ESTIMATED,
        tags=None if is_shared else sum(s.tags for s in sites),
    )


def with_waiting_atomics(profile: LaunchProfile, sites: tuple[MachineSite, ...]) -> LaunchProfile:
    """Wavefronts of shared atomics as the machine code's instruction takes them."""
    opcodes: dict[Place, set[str]] = defaultdict(set)
    for site in sites:
        opcodes[_place(site.key)].add(site.instruction.opcode)
    waiting = {p for p, names in opcodes.items() if p[2] == "shared atomic" and all(n.startswith(WAITING_ATOMICS) for n in names)}

    def corrected(access: LineAccess) -> LineAccess:
        place = (access.file, access.line, access.op)
        own = [s for s in profile.sites if (s.file, s.line, s.op) == place]
        return replace(access, wavefronts=sum(s.serial_wavefronts for s in own)) if place in waiting else access

    return replace(profile, accesses=tuple(corrected(a) for a in profile.accesses))
