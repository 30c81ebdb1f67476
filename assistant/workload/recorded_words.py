"""Facts of recorded launches in plain English: for people, for a model's prompt, for the assumption of an edit.

Example::

    in_words(facts)[:2]     # ('in all 12 recorded launches `y` and `x` never overlap', 'both are 256-byte aligned')
    apart_assumption(facts, ("y", "x"))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.model.launch import LaunchConfig
from assistant.model.recorded_facts import FactsOrigin, PointerReach, RecordedFacts, RecordedPointer, RecordedScalar, Separation

__all__ = [
    "apart_assumption",
    "in_words",
    "launches_in_words",
    "overlap_in_words",
    "room_assumption",
    "size_assumption",
    "sizes_in_words",
    "values_in_words",
]

_MOST_NAMES = 8
"""Pointers, pairs or numbers that one sentence names; what is left is counted."""
_LARGEST_DIVISOR = 1024
"""Beyond it a divisor says more of these launches than of the program."""
_ADJECTIVES = {FactsOrigin.RECORDED: "recorded", FactsOrigin.BOUND: "bound", FactsOrigin.DECLARED: "declared"}


def launches_in_words(facts: RecordedFacts) -> str:
    """``all 12 recorded launches``, ``both recorded launches``, ``the only recorded launch``."""
    word = _ADJECTIVES[facts.origin]
    if facts.launch_count < 3:
        return f"the only {word} launch" if facts.launch_count == 1 else f"both {word} launches"
    return f"all {facts.launch_count:,} {word} launches"


def in_words(facts: RecordedFacts) -> tuple[str, ...]:
    """A few sentences without a full stop: pointers, numbers, shapes, and how much of the program was kept."""
    return _sentences(facts, [*_pointers(facts), *_scalars(facts), _shapes(facts)])


def values_in_words(facts: RecordedFacts) -> tuple[str, ...]:
    """The same without the shapes, for where they are shown otherwise."""
    return _sentences(facts, [*_pointers(facts), *_scalars(facts)])


def sizes_in_words(pointers: Sequence[PointerReach]) -> str:
    """``bytes from each pointer to the end of its allocation: `y` 4,096, `x` 1,024 to 4,096``; empty where none is known."""
    reaches = ((one.name, one.least_bytes, one.most_bytes) for one in pointers[:_MOST_NAMES])
    shown = [f"`{name}` {least:,}{'' if least == most else f' to {most:,}'}" for name, least, most in reaches]
    return f"bytes from each pointer to the end of its allocation: {', '.join(shown)}" if shown else ""


def _sentences(facts: RecordedFacts, always: Sequence[str]) -> tuple[str, ...]:
    overlaps = [words for pair in facts.pairs if (words := overlap_in_words(facts, pair.first, pair.second)) is not None]
    sentences = [f"in {launches_in_words(facts)} {always[0]}", *always[1:]] if always else []
    if overlaps:
        sentences.insert(0, "; ".join(overlaps[:_MOST_NAMES]))
    if facts.program_count > facts.launch_count:
        sentences.append(f"what the program's other {facts.program_count - facts.launch_count:,} launches of it were passed was not kept")
    return tuple(sentences)


def apart_assumption(facts: RecordedFacts, *pairs: tuple[str, str]) -> str:
    """What an edit assumes that needs these pointers apart, and what speaks for it."""
    words = " and ".join(f"`{first}` never overlaps `{second}`" for first, second in pairs)
    return _assumed(facts, words, ", whose arrays lie apart")


def room_assumption(facts: RecordedFacts, *names: str) -> str:
    """What an edit assumes that reads elements on which the kernel sets conditions, and what speaks for it."""
    words = f"the elements of {_listed(names)} that the kernel leaves out can be read, too"
    return _assumed(facts, words)


def size_assumption(facts: RecordedFacts, name: str, count: int) -> str:
    """What an edit assumes that has room for so many elements of an array, and what speaks for it."""
    return _assumed(facts, f"`{name}` has no more than {count:,} {'element' if count == 1 else 'elements'}")


def _assumed(facts: RecordedFacts, words: str, as_declared: str = "") -> str:
    """``as_declared``: why that is so in launches that a workload declares."""
    if facts.origin is FactsOrigin.DECLARED:
        return f"{words}: true in {launches_in_words(facts)}{as_declared}; your callers decide, and nothing checks it"
    kept = "" if facts.program_count == facts.launch_count else f" of {facts.program_count:,}"
    return (
        f"{words}: true in {launches_in_words(facts)}{kept}, but the text does not show it for other inputs, "
        "and nothing checks it when the program runs"
    )


def overlap_in_words(facts: RecordedFacts, first: str, second: str) -> str | None:
    """What speaks against two pointers being apart; None where nothing recorded does."""
    pair = facts.pair(first, second)
    if pair is None:
        return None
    word = _ADJECTIVES[facts.origin]
    count = f"{pair.launch_count:,} of {facts.launch_count:,} {word} launches" if facts.launch_count > 1 else f"the only {word} launch"
    match pair.separation:
        case Separation.APART:
            return None
        case Separation.SAME_ADDRESS:
            return f"one address was passed for both `{first}` and `{second}` in {count}"
        case Separation.ONE_ALLOCATION:
            return f"`{first}` and `{second}` point into one allocation in {count}"
        case Separation.UNKNOWN:
            return f"where `{first}` or `{second}` points was not seen in {count}"


def _pointers(facts: RecordedFacts) -> Iterator[str]:
    apart = [pair for pair in facts.pairs if pair.separation is Separation.APART]
    names = [pointer.name for pointer in facts.pointers]
    if apart and len(apart) == len(facts.pairs):
        yield f"{_listed(names)} never overlap"
    elif apart:
        yield "; ".join(f"`{pair.first}` and `{pair.second}` never overlap" for pair in apart[:_MOST_NAMES])
    if facts.pointers:
        yield _alignments(facts.pointers)
    null = [pointer.name for pointer in facts.pointers if pointer.null_count]
    if null:
        yield f"{_listed(null)} {'is' if len(null) == 1 else 'are'} null in some"


def _alignments(pointers: Sequence[RecordedPointer]) -> str:
    """``both are 256-byte aligned``; ``a is 256-byte aligned, b 4-byte aligned``."""
    sizes = {pointer.alignment_bytes for pointer in pointers}
    if len(sizes) == 1:
        who = {1: f"`{pointers[0].name}` is", 2: "both are"}.get(len(pointers), f"all {len(pointers)} pointers are")
        return f"{who} {sizes.pop()}-byte aligned"
    return ", ".join(f"`{pointer.name}` is {pointer.alignment_bytes}-byte aligned" for pointer in pointers[:_MOST_NAMES])


def _scalars(facts: RecordedFacts) -> Iterator[str]:
    shown = facts.scalars[:_MOST_NAMES]
    if shown:
        more = len(facts.scalars) - len(shown)
        yield ", ".join(map(_scalar, shown)) + (f", and {more} more numbers are passed" if more else "")


def _scalar(scalar: RecordedScalar) -> str:
    """``n is 1048576``; ``n is from 1000 to 4096, always a multiple of 8``."""
    if scalar.is_constant:
        return f"`{scalar.name}` is {_number(scalar.lowest)}"
    multiple = f", always a multiple of {scalar.divisor}" if 1 < scalar.divisor <= _LARGEST_DIVISOR else ""
    return f"`{scalar.name}` is from {_number(scalar.lowest)} to {_number(scalar.highest)}{multiple}"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _shapes(facts: RecordedFacts) -> str:
    """``blocks of 256 x 1 x 1 threads, grids of 1 x 1 x 1 to 4096 x 1 x 1 blocks``."""
    configs = [shape.config for shape in facts.shapes]
    blocks = list(dict.fromkeys(_sides(config, "block") for config in configs))
    grids = sorted({config.grid for config in configs}, key=lambda grid: (grid.count, grid.x, grid.y))
    spelled = [f"{grid.x} x {grid.y} x {grid.z}" for grid in grids]
    grid = f"a grid of {spelled[0]} blocks" if len(spelled) == 1 else f"{len(spelled)} grids from {spelled[0]} to {spelled[-1]} blocks"
    shown = " or ".join(blocks[:_MOST_NAMES]) + (f" or {len(blocks) - _MOST_NAMES} other shapes" if len(blocks) > _MOST_NAMES else "")
    shared = {config.shared_bytes for config in configs} - {0}
    dynamic = f", up to {max(shared):,} bytes of dynamic shared memory" if shared else ""
    return f"blocks of {shown} threads, {grid}{dynamic}"


def _sides(config: LaunchConfig, which: str) -> str:
    size = config.block if which == "block" else config.grid
    return f"{size.x} x {size.y} x {size.z}"


def _listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``, each in code quotes."""
    quoted = [f"`{name}`" for name in names[:_MOST_NAMES]]
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    every = [*quoted, *more]
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"
