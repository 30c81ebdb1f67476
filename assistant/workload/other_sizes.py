"""Which other sizes of a launch are tried: twice as large, larger and divided by nothing, and smaller for what is too large.

Sizes that are equal in a recording grow by different factors, so that a square is never the only shape, but first of all the same member
of several structs (``in.w`` and ``out.w``) stays the same; one that is the product of others (n = rows · cols) stays their product, and one
that counts the windows of another (`assistant.workload.windows`) still does, but in one trial; all others keep about their proportions.
Each size is also tried five times as large by itself, or with the pitch of its rows: what holds one block, one tile or one shared array
today may not tomorrow. What the same blocks loop over is tried at a size that no block holds. Example::

    larger({"w": 96, "h": 96}, fixed=frozenset(), leading=frozenset({"w", "h"}))
    # {"turned": [{"w": 191, "h": 137}, …], "odd": …, "doubled": [{"w": 192, "h": 192}], "far w": …}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from assistant.workload.relations import Sizes
from assistant.workload.windows import Window, windows_of

__all__ = ["larger", "smaller", "within", "work_ratio"]

_MORE_RATIO, _APART_RATIO = 1.4, 0.5
"""Growth to a size that nothing divides, and what is added for each further one of sizes that are equal."""
_FAR_RATIO = 5
_PITCH_RATIO = 1.25
"""How much longer than its width a row may be."""
_FARTHER_SIZE = 2_053
"""For what one block loops over: more than the largest block (1024 threads) takes in two steps."""
_LEAST_SIZE = 33
"""A smaller launch keeps sizes up to one warp and one."""
_LARGEST_ALIGNMENT = 64

_Change = Callable[[int, int], int]
"""A new size, from the old one and its place among sizes that are equal to it."""


def larger(
    sizes: Sizes, fixed: frozenset[str], leading: frozenset[str], looped: frozenset[str] = frozenset()
) -> dict[str, list[dict[str, int]]]:
    """By purpose, the sizes in the order in which they are tried until one is usable; purposes that show most come first.

    ``sizes``: those that buffers or grid depend on; ``fixed``: those that stay; ``leading``: those that also grow by
    themselves, which the width of rows does not where buffers follow from their pitch; ``looped``: those of them that the number of
    blocks does not depend on. No sizes where all stay.
    """
    kept = {name: value for name, value in sizes.items() if name in fixed}
    found = _larger({name: value for name, value in sizes.items() if name not in fixed}, leading, looped)
    return {purpose: [{**_with_whole_masks(sizes, one), **kept} for one in tried] for purpose, tried in found.items()}


def _larger(sizes: Sizes, leading: frozenset[str], looped: frozenset[str]) -> dict[str, list[dict[str, int]]]:
    groups = _groups(sizes)
    if not groups:
        return {}
    wanted: dict[str, list[dict[str, int]]] = {}
    if len(groups) < sum(len(group) for group in groups):
        turned = _changed(sizes, _odd_growth, is_turned=True)
        alike = _alike(sizes, _odd_growth, is_turned=True)  # what is read and what is written seldom differ in one member alone
        wanted["turned"] = [*alike, *_crossed(sizes, _odd_growth), turned, _changed(sizes, _aligned_growth, is_turned=True)]
    wanted["odd"] = _ways(sizes, _odd_growth, _aligned_growth)
    wanted["doubled"] = [_changed(sizes, lambda value, _: 2 * value)]
    if windows := _windows(sizes):  # an edit may take it for granted how one follows from the other
        grown = _changed(sizes, _odd_growth, is_alike=True)
        wanted["apart"] = [_with_products(sizes, grown | {name: sizes[name] for name in windows})]
    alone = [name for group in groups for name in group if name in leading]
    for name in alone:
        far = _prime(_FAR_RATIO * sizes[name])
        with_pitch = _with_pitch(sizes, name, far)
        wanted[f"far {name}"] = with_pitch if with_pitch and "." in name else [*with_pitch, *_alone_or_whole(sizes, name, far)]
    for name in (name for name in alone if name in looped and _FAR_RATIO * sizes[name] < _FARTHER_SIZE):
        wanted[f"farther {name}"] = _alone_or_whole(sizes, name, _FARTHER_SIZE)
    return wanted


def within(sizes: Sizes, others: Sizes, leading: frozenset[str]) -> dict[str, int]:
    """``others`` with the sizes that do not lead no larger than any leading one that they were no larger than in ``sizes``."""
    limits = {name: [others[one] for one in leading & sizes.keys() if sizes[name] <= sizes[one]] for name in sizes.keys() - leading}
    return {name: min(value, *limits.get(name, [value]), value) for name, value in others.items()}


def smaller(sizes: Sizes, ratio: float) -> list[dict[str, int]]:
    """Sizes of about ``ratio`` of the work, in the order in which they are tried."""
    places = [place for group in _groups(sizes) for place, name in enumerate(group) if sizes[name] > _LEAST_SIZE]
    factor = (ratio / prod(1 + _APART_RATIO * place for place in places)) ** (1 / max(1, min(3, len(places))))

    def wanted(value: int, place: int) -> int:
        return max(_LEAST_SIZE, int(factor * value * (1 + _APART_RATIO * place)))

    def odd(value: int, place: int) -> int:
        return value if value <= _LEAST_SIZE else min(value, _prime(wanted(value, place)))

    def aligned(value: int, place: int) -> int:
        return value if value <= _LEAST_SIZE else min(value, _aligned(value, wanted(value, place)))

    *first, last = _ways(sizes, odd, aligned)
    return [_with_whole_masks(sizes, one) for one in (*_crossed(sizes, odd), *first, _changed(sizes, odd, is_turned=True), last)]


def work_ratio(sizes: Sizes, others: Sizes) -> float:
    """How many times the work of ``sizes`` the ``others`` are, if each size counts once."""
    return prod(others[name] / sizes[name] for group in _groups(sizes) for name in group)


def _grown(value: int, place: int) -> int:
    return max(value + 1, int(value * (_MORE_RATIO + _APART_RATIO * place)))


def _odd_growth(value: int, place: int) -> int:
    return _prime(_grown(value, place))


def _aligned_growth(value: int, place: int) -> int:
    return _aligned(value, _grown(value, place))


def _ways(sizes: Sizes, odd: _Change, aligned: _Change) -> list[dict[str, int]]:
    return [*_alike(sizes, odd, aligned), _changed(sizes, odd), _changed(sizes, aligned)]


def _alike(sizes: Sizes, *changes: _Change, is_turned: bool = False) -> list[dict[str, int]]:
    """All sizes changed, the same members of several structs alike; none where no two are equal."""
    members = [[_member(name) for name in group] for group in _groups(sizes)]
    has_pair = any(len(set(group)) < len(group) for group in members)
    return [_changed(sizes, change, is_turned=is_turned, is_alike=True) for change in changes] if has_pair else []


def _crossed(sizes: Sizes, change: _Change) -> list[dict[str, int]]:
    """All sizes changed, the same members of several structs alike, but two that are equal the other way round in all structs but the
    first, as of what is transposed; none where there are no such members."""
    changed, is_crossed = dict(sizes), False
    for group in _groups(sizes):
        structs, members = (list(dict.fromkeys(name.rpartition(".")[end] for name in group)) for end in (0, 2))
        is_pair = len(members) == 2 and len(structs) > 1 and len(group) == len(structs) * len(members)
        is_crossed |= is_pair
        for name in group:
            place = members.index(_member(name)) if is_pair else 1  # a pitch stays no less than the larger of both
            changed[name] = change(sizes[name], 1 - place if is_pair and not name.startswith(f"{structs[0]}.") else place)
    return [_with_dependent(sizes, changed)] if is_crossed else []


def _member(name: str) -> str:
    return name.rpartition(".")[2]


def _changed(sizes: Sizes, change: _Change, is_turned: bool = False, is_alike: bool = False) -> dict[str, int]:
    """All sizes changed; ``is_turned``: of equal ones the last grows least; ``is_alike``: equal members of several structs stay equal."""
    changed = dict(sizes)
    for group in _groups(sizes):
        places = list(dict.fromkeys(_member(name) if is_alike else name for name in group))
        for name in group:
            place = places.index(_member(name) if is_alike else name)
            changed[name] = change(sizes[name], len(places) - 1 - place if is_turned else place)
    return _with_dependent(sizes, changed)


def _with_pitch(sizes: Sizes, name: str, value: int) -> list[dict[str, int]]:
    """One size changed together with the somewhat larger ones of the same struct, as rows with their pitch; none where there are none.

    The same member of other structs grows with them: an image is not read by a width that belongs to another's rows.
    """
    struct, old = name.rpartition(".")[0], sizes[name]
    neighbours = {one for one, size in sizes.items() if one.rpartition(".")[0] == struct and old < size <= _PITCH_RATIO * old}
    if not neighbours:
        return []
    grown = {name: value} | {one: value + sizes[one] - old for one in neighbours}
    alike = {one: grown[own] for own in grown for one in sizes if "." in one and _member(one) == _member(own) and sizes[one] == sizes[own]}
    return [_with_dependent(sizes, {**sizes, **grown, **alike})]


def _alone(sizes: Sizes, name: str, value: int) -> dict[str, int]:
    """One size changed, and those that depend on it."""
    return _with_dependent(sizes, {**sizes, name: value})


def _alone_or_whole(sizes: Sizes, name: str, value: int) -> list[dict[str, int]]:
    """As `_alone`, and with a size in which its windows fit without a remainder: an image that is enlarged has none."""
    strides = [window.stride for window in _windows(sizes).values() if window.of == name]
    values = dict.fromkeys((value, *(-(-value // stride) * stride for stride in strides)))
    return [_alone(sizes, name, one) for one in values]


def _with_dependent(sizes: Sizes, changed: dict[str, int]) -> dict[str, int]:
    for name, window in _windows(sizes).items():
        changed = {**changed, name: window.at(changed[window.of])}
    return _with_products(sizes, changed)


def _with_products(sizes: Sizes, changed: dict[str, int]) -> dict[str, int]:
    return changed | {name: prod(changed[part] for part in parts) for name, parts in _products(sizes).items()}


def _with_whole_masks(sizes: Sizes, changed: dict[str, int]) -> dict[str, int]:
    """A mask of low bits, such as the capacity of a hash table less one, stays one: the smallest that is no less than what it became."""
    masks = [name for name, value in sizes.items() if "mask" in _member(name).lower() and value > 0 and value & (value + 1) == 0]
    return changed | {name: (1 << changed[name].bit_length()) - 1 for name in masks}


def _groups(sizes: Sizes) -> list[list[str]]:
    """Names of equal sizes together; without those that depend on others and those that are 1 or less."""
    dependent = _products(sizes).keys() | _windows(sizes).keys()
    groups: dict[int, list[str]] = {}
    for name, value in sizes.items():
        if name not in dependent and value > 1:
            groups.setdefault(value, []).append(name)
    return list(groups.values())


def _windows(sizes: Sizes) -> dict[str, Window]:
    """Sizes that count the windows of another; none of a product, which follows from its parts."""
    products = _products(sizes)
    return {name: window for name, window in windows_of(sizes).items() if name not in products and window.of not in products}


def _products(sizes: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """Sizes that are the product of two others."""
    found: dict[str, tuple[str, str]] = {}
    for name, value in sizes.items():
        others = [other for other in sizes if other != name and sizes[other] > 1]
        pair = next(((a, b) for at, a in enumerate(others) for b in others[at + 1 :] if sizes[a] * sizes[b] == value), None)
        if pair is not None and not set(pair) & set(found):
            found[name] = pair
    return found


def _aligned(value: int, wanted: int) -> int:
    """An odd multiple, at or above ``wanted``, of the power of two that divides ``value``."""
    power = min(value & -value, _LARGEST_ALIGNMENT)
    times = -(-wanted // power)
    return power * (times + 1 - times % 2)


def _prime(wanted: int) -> int:
    """The first prime from ``wanted`` on."""
    candidate = max(2, wanted)
    while any(candidate % divisor == 0 for divisor in range(2, int(candidate**0.5) + 1)):
        candidate += 1
    return candidate
