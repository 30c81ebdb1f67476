"""Where nvcc's accesses are others than g++'s: what the emulator should count as one.

This needs the addresses of single requests, so the program is run again: neighbouring accesses that the machine code fuses into a
wider one, and accesses of two branches that it does as one. What only belongs to another line needs no run: `moves`.

Pure; a proposal is no proof, `grading` decides what a corrected count is worth. Example::

    proposals(emulated, machine, chain_of, everyone)   # (Correction(addresses=(0x4011a0,), fused_bytes=16),)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from assistant.build.sites import AccessKey, Region
from assistant.model.profile import AccessSite, Correction
from assistant.model.source import SourceLoop

__all__ = ["MOVABLE", "Chain", "EmulatedSites", "Everyone", "Machine", "Place", "apart", "is_lost", "is_same_kind", "place_of", "proposals"]

EmulatedSites = Mapping[AccessKey, tuple[AccessSite, ...]]
Machine = Mapping[AccessKey, Counter[Region]]
Chain = Callable[[AccessKey], tuple[SourceLoop, ...]]
Everyone = Callable[[tuple[SourceLoop, ...]], int | None]
"""How many threads run the innermost of some loops, summed over its iterations, or the kernel; None where that is not known."""
Place = tuple[str, int, str]
"""File, line, kind of access."""

MOVABLE = ("global load", "global store", "shared load", "shared store")


def proposals(emulated: EmulatedSites, machine: Machine, chain: Chain, everyone: Everyone) -> tuple[Correction, ...]:
    """What to count as one in another run of the same program; empty where both agree or cannot be brought together."""
    merges = (*_exclusive(emulated, machine, chain, everyone), *_merges(emulated, machine, chain))
    return apart([*_fusions(emulated, machine), *_splits(emulated, machine), *merges])


def _fusions(emulated: EmulatedSites, machine: Machine) -> list[Correction]:
    """Lines that have a wider access in the machine code than in the source: whole, in part, or turn by turn in a loop."""
    found: list[Correction] = []
    for wide in machine:
        narrow = [k for k in emulated if place_of(k) == place_of(wide) and k.size_bytes < wide.size_bytes]
        if wide in emulated or len(narrow) != 1 or wide.op not in MOVABLE:
            continue
        sites = _addresses(emulated[narrow[0]])
        lost = [k for k in emulated if is_lost(k, machine) and is_same_kind(k, narrow[0])]
        parts = wide.size_bytes // narrow[0].size_bytes
        if len(sites) < parts and lost and narrow[0] not in machine:
            sites = tuple(sorted((*sites, *(a for k in lost for a in _addresses(emulated[k])))))
        is_covering = 1 < len(sites) < parts and machine[wide].total() == 1 and narrow[0] not in machine
        if len(sites) >= parts or is_covering:
            found.append(Correction(sites, wide.size_bytes))
        else:
            found.extend(Correction((address,), wide.size_bytes) for address in sites)
    return found


def _splits(emulated: EmulatedSites, machine: Machine) -> list[Correction]:
    """Lines where the machine code takes every access in narrower ones (a struct of two halves)."""
    found: list[Correction] = []
    for key, sites in emulated.items():
        narrow = [k for k in machine if place_of(k) == place_of(key)]
        if len(narrow) != 1 or narrow[0].size_bytes >= key.size_bytes or key.op not in MOVABLE:
            continue
        if machine[narrow[0]].total() * narrow[0].size_bytes == len(sites) * key.size_bytes:
            found.extend(Correction((address,), narrow[0].size_bytes) for address in _addresses(sites))
    return found


def _exclusive(emulated: EmulatedSites, machine: Machine, chain: Chain, everyone: Everyone) -> list[Correction]:
    """Two accesses of the same kind, at least one without machine code, that together ran once for all threads: two branches."""
    found: list[Correction] = []
    for lost in emulated:
        of_kind = [k for k in emulated if (k == lost or is_same_kind(k, lost)) and chain(k) == chain(lost)]
        all_threads = everyone(chain(lost))
        for site in emulated[lost] if _is_short(lost, emulated, machine) and lost.op in MOVABLE else ():
            others = [(k, o) for k in of_kind for o in emulated[k] if o != site and o.active_threads + site.active_threads == all_threads]
            nearest = sorted(others, key=lambda pair: (not is_lost(pair[0], machine), abs(pair[0].line - site.line), pair[1].address))
            for _, other in nearest[:1]:
                alike = [s for k in of_kind for s in emulated[k] if s.active_threads in (site.active_threads, other.active_threads)]
                spare = tuple(s for s in alike if s not in (site, other))
                found.append(Correction(_addresses((site, other)), 0, _addresses(spare)))
    return found


def _is_short(key: AccessKey, emulated: EmulatedSites, machine: Machine) -> bool:
    """Whether the machine code has no, or fewer, accesses for the key."""
    return is_lost(key, machine) or (key in machine and machine[key].total() < len(emulated[key]))


def _merges(emulated: EmulatedSites, machine: Machine, chain: Chain) -> list[Correction]:
    """An access without machine code and the nearest one of its kind, in the same loops, that ran for other threads."""
    found: list[Correction] = []
    for lost in emulated:
        if not is_lost(lost, machine) or len(emulated[lost]) != 1 or lost.op not in MOVABLE:
            continue
        partners = [
            k
            for k in emulated
            if is_same_kind(k, lost) and k in machine and len(emulated[k]) == machine[k].total() == 1 and chain(k) == chain(lost)
        ]
        if partners:
            partner = min(partners, key=lambda k: abs(k.line - lost.line))
            found.append(Correction(_addresses((*emulated[lost], *emulated[partner])), 0))
    return found


def apart(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """One correction per site, the first."""
    taken: set[int] = set()
    kept: list[Correction] = []
    for correction in corrections:
        if not taken & set(correction.addresses):
            taken |= set(correction.addresses)
            kept.append(correction)
    return tuple(kept)


def place_of(key: AccessKey) -> Place:
    """Where, and which kind of access, whatever its width."""
    return (key.file, key.line, key.op)


def _addresses(sites: tuple[AccessSite, ...]) -> tuple[int, ...]:
    return tuple(sorted(site.address for site in sites))


def is_lost(key: AccessKey, machine: Machine) -> bool:
    """Whether the machine code has no such access on the line."""
    return not any(place_of(k) == place_of(key) for k in machine)


def is_same_kind(key: AccessKey, other: AccessKey) -> bool:
    """Whether the accesses stand on different lines of the same file and are alike in kind and width."""
    is_other_place = place_of(key) != place_of(other)
    return is_other_place and (key.file, key.op, key.size_bytes) == (other.file, other.op, other.size_bytes)
