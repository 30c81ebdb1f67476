"""What nvcc books on another line than g++, and shared atomics as its instruction does them: the same counts, placed anew.

Three kinds of move, each only where one access can be meant: out of a line that has more accesses than machine code, to the line
that gained it; all accesses of the line that lost its machine code, to the one line of the same loops that gained some; and
those of two branches that nvcc does as one, to the line that has it. Example::

    moved(profile, emulated, machine, KnownPlaces(condition, chain, everyone), corrections)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

from assistant.build.corrections import MOVABLE, Chain, EmulatedSites, Everyone, Machine, Place, is_lost, is_same_kind, place_of
from assistant.build.sites import WAITING_ATOMICS, AccessKey, MachineSite, Region
from assistant.model.profile import AccessSite, Correction, Grade, LaunchProfile, LineAccess
from assistant.record import Record

__all__ = ["KnownPlaces", "moved", "with_waiting_atomics"]


class KnownPlaces(Record):
    """What is known about where accesses stand."""

    condition: Callable[[Region], object | None]
    """What decides whether code runs, equal for code that runs equally often; None in loops."""
    chain: Chain
    everyone: Everyone


class _Move(Record):
    site: AccessSite
    target: AccessKey


def moved(
    profile: LaunchProfile, emulated: EmulatedSites, machine: Machine, around: KnownPlaces, corrections: tuple[Correction, ...]
) -> LaunchProfile:
    """The profile with each access on the line where nvcc has it, wherever only one access can be meant."""
    unseen = [key for key in machine if not _is_seen(key, emulated) and key.op in MOVABLE]
    moves = [
        *(m for key in unseen for m in _moves(key, emulated, machine, around) or _whole_moves(key, emulated, machine, around)),
        *(m for c in corrections if not c.fused_bytes and not c.pieces for m in _branch_moves(c, emulated, machine, around)),
    ]
    targets = {m.site.address: m.target for m in moves}
    if len(targets) != len(moves) or 0 in targets:
        return profile
    sites = tuple(replace(s, line=targets[s.address].line) if s.address in targets else s for s in profile.sites)
    changed = {(m.site.file, m.site.line, m.site.op) for m in moves} | {place_of(m.target) for m in moves}
    return replace(profile, sites=sites, accesses=_rebooked(profile.accesses, sites, changed))


def _is_seen(key: AccessKey, emulated: EmulatedSites) -> bool:
    return any(place_of(k) == place_of(key) for k in emulated)


def _moves(target: AccessKey, emulated: EmulatedSites, machine: Machine, around: KnownPlaces) -> list[_Move]:
    """Sites of another line that outnumber its machine code under the target's condition by just what the target has."""
    count = machine[target].total()
    conditions = {around.condition(region) for region in machine[target]}
    if len(conditions) != 1 or None in conditions:
        return []
    found: list[list[AccessSite]] = []
    for key in (k for k in emulated if is_same_kind(k, target)):
        of_key = machine.get(key, Counter[Region]())
        own = sum(n for region, n in of_key.items() if around.condition(region) in conditions)
        groups: dict[tuple[int, ...], list[AccessSite]] = defaultdict(list)
        for site in emulated[key]:
            if _may_leave(site, key, emulated, of_key, around):
                groups[_counts(site)].append(site)
        found.extend(group for group in groups.values() if len(group) == own + count)
    return [_Move(site, target) for site in found[0][:count]] if len(found) == 1 else []


def _may_leave(site: AccessSite, key: AccessKey, emulated: EmulatedSites, of_key: Counter[Region], around: KnownPlaces) -> bool:
    """Out of straight code: what has no machine code there. Out of a loop: what ran once a thread, as hoisted code does."""
    if not around.chain(key):
        return len(emulated[key]) > of_key.total()
    return site.active_threads == around.everyone(())


def _whole_moves(target: AccessKey, emulated: EmulatedSites, machine: Machine, around: KnownPlaces) -> list[_Move]:
    """All sites of the lines that lost their accesses to the target, the one line that gained any of this kind in these loops."""

    def is_like(key: AccessKey) -> bool:
        return is_same_kind(key, target) and around.chain(key) == around.chain(target)

    lost = [key for key in emulated if is_like(key) and is_lost(key, machine)]
    gained = [key for key in machine if is_like(key) and not _is_seen(key, emulated)]
    sites = [site for key in lost for site in emulated[key]]
    is_clear = bool(around.chain(target)) and not gained and (len(lost) == 1 or len(sites) == machine[target].total())
    return [_Move(site, target) for site in sites] if is_clear else []


def _branch_moves(correction: Correction, emulated: EmulatedSites, machine: Machine, around: KnownPlaces) -> list[_Move]:
    """Sites of two branches that together ran for all threads, to the one line that has their machine code."""
    own = [(site, key) for key, sites in emulated.items() for site in sites if site.address in correction.addresses]
    chains = {around.chain(key) for _, key in own}
    if len(chains) != 1 or sum(site.active_threads for site, _ in own) != around.everyone(chains.pop()):
        return []
    targets = {key for _, key in own if key in machine} or _gaining(own[0][1], emulated, machine, around)
    if len(targets) != 1:
        return []
    target = targets.pop()
    return [_Move(site, target) for site, key in own if is_lost(key, machine)]


def _gaining(lost: AccessKey, emulated: EmulatedSites, machine: Machine, around: KnownPlaces) -> set[AccessKey]:
    """Lines of the same kind outside loops with one access more in the machine code."""
    return {
        key
        for key in machine
        if is_same_kind(key, lost) and not around.chain(key) and machine[key].total() == len(emulated.get(key, ())) + 1
    }


def _counts(site: AccessSite) -> tuple[int, ...]:
    return (site.active_threads, site.requests, site.units, site.ideal_units, site.tags, site.passes)


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
        passes=sum(s.passes for s in sites) if place[2] == "global load" else None,
    )


def with_waiting_atomics(profile: LaunchProfile, sites: tuple[MachineSite, ...]) -> LaunchProfile:
    """Wavefronts of shared atomics as the machine code's instruction takes them."""
    opcodes: dict[Place, set[str]] = defaultdict(set)
    for site in sites:
        opcodes[place_of(site.key)].add(site.instruction.opcode)
    waiting = {p for p, names in opcodes.items() if p[2] == "shared atomic" and all(n.startswith(WAITING_ATOMICS) for n in names)}

    def corrected(access: LineAccess) -> LineAccess:
        place = (access.file, access.line, access.op)
        own = [s for s in profile.sites if (s.file, s.line, s.op) == place]
        return replace(access, wavefronts=sum(s.serial_wavefronts for s in own)) if place in waiting else access

    return replace(profile, accesses=tuple(corrected(a) for a in profile.accesses))
