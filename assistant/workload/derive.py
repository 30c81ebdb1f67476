"""Fresh values for a recorded launch: the same shapes and structure, other numbers.

Floats are resampled from what was observed; zeros and NaN/Inf stay where they are, so sparsity, padding and specials survive.
Integers are kept, permuted or drawn again from those observed, sorted buffers stay sorted, pointers and buffers of unknown type stay
as they are.

Example::

    case = extract(reader.recording, reader.blob, 0, kernel.parameters, origin)
    fresh_values(case, Draw(seed=11, scale=8.0))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.source import Parameter
from assistant.model.structs import ElementLayout
from assistant.model.workload import CaseOrigin
from assistant.workload.arrays import Array, decode, doubles, encode, largest_finite
from assistant.workload.draws import Draw
from assistant.workload.members import with_members
from assistant.workload.recordings import NewCase, blob_name

__all__ = ["contents_of", "extract", "fresh_values", "with_contents", "with_huge", "with_specials"]

_SPREAD = (0.5, 1.5)
"""Range that an all-equal buffer is spread over, as a multiple of its value: one value says nothing of a distribution."""
_CONTINUOUS_SHARE = 0.5
"""Above this share of distinct values a buffer counts as continuous and is interpolated, below it values are drawn again."""
_QUANTILE_COUNT = 1 << 16
"""Points of the empirical distribution that continuous values are interpolated between; fits into the L2 cache of a CPU core."""
_SPECIAL_SHARE = 0.01
"""Share of a buffer that ``with_specials`` replaces."""


def extract(
    recording: Recording,
    blob: Callable[[str], bytes],
    launch_index: int,
    parameters: tuple[Parameter, ...],
    origin: CaseOrigin,
) -> NewCase:
    """One recorded launch as a case of its own; buffers get their element types from the parameters.

    A buffer that nothing had written before this launch is poisoned in the case.
    """
    launch = recording.launches[launch_index]
    types = _element_types(launch, parameters)
    poisoned = {state.buffer: state.is_poisoned for state in launch.buffers}
    buffers = tuple(
        replace(
            buffer,
            element_type=buffer.element_type or types.get(buffer.id),
            is_poisoned=buffer.is_poisoned or poisoned[buffer.id],
        )
        for buffer in recording.buffers
        if buffer.id in poisoned
    )
    states = tuple(replace(state, after=None) for state in launch.buffers)
    alone = Recording(buffers, (replace(launch, index=0, buffers=states),), (), recording.not_captured)
    return NewCase(alone, {s.before: blob(s.before) for s in states}, (0,), origin)


def contents_of(case: NewCase) -> dict[int, bytes]:
    """What each buffer holds before the first launch, by buffer id."""
    contents: dict[int, bytes] = {}
    for launch in case.recording.launches:
        for state in launch.buffers:
            contents.setdefault(state.buffer, case.blobs[state.before])
    return contents


def with_contents(case: NewCase, contents: Mapping[int, bytes], origin: CaseOrigin) -> NewCase:
    """``case`` with the initial contents of some buffers replaced; buffers not named keep theirs."""
    whole = contents_of(case) | dict(contents)
    names = {buffer: blob_name(data) for buffer, data in whole.items()}
    seen: set[int] = set()
    launches = list[RecordedLaunch]()
    for launch in case.recording.launches:
        states = tuple(replace(s, before=names[s.buffer], after=None) for s in launch.buffers if s.buffer not in seen)
        seen.update(state.buffer for state in states)
        launches.append(replace(launch, buffers=states))
    recording = replace(case.recording, launches=tuple(launches))
    return NewCase(recording, {names[buffer]: data for buffer, data in whole.items()}, case.launches, origin)


def fresh_values(case: NewCase, draw: Draw, layouts: Mapping[int, ElementLayout] | None = None) -> NewCase:
    """``case`` on values resampled from its own; weight 0, as only recorded values are timed. ``layouts``: of buffers of structs."""
    elements = _typed_buffers(case)
    structs = {b.id: layout for b in case.recording.buffers if (layout := (layouts or {}).get(b.id)) and not (b.is_poisoned or b.pointers)}
    contents: dict[int, bytes] = {}
    for buffer, data in contents_of(case).items():
        random = np.random.default_rng([draw.seed, buffer])
        if buffer in elements:
            contents[buffer] = _resampled(data, elements[buffer], random, draw)
        elif buffer in structs:
            contents[buffer] = with_members(data, structs[buffer], partial(_resampled, random=random, draw=draw))
    origin = CaseOrigin("resampled", case.origin.shape, draw.seed, draw.scale, 0.0)
    return with_contents(case, contents, origin)


def with_specials(case: NewCase, seed: int) -> NewCase:
    """``case`` with NaN, infinities and denormal values put into its floats; differences here only add a label."""
    return _injected(case, seed, "injected", lambda element: (np.nan, np.inf, -np.inf, _denormal(element)))


def with_huge(case: NewCase, seed: int) -> NewCase:
    """``case`` with values put into its floats that overflow where three of them meet."""
    return _injected(case, seed, "huge", lambda element: (largest_finite(element) / 2,))


def _injected(case: NewCase, seed: int, kind: str, values_of: Callable[[ElementType], tuple[float, ...]]) -> NewCase:
    elements = _typed_buffers(case)
    contents: dict[int, bytes] = {}
    for buffer, data in contents_of(case).items():
        element = elements.get(buffer)
        if element is None or not element.is_floating or not data:
            continue
        random = np.random.default_rng([seed, buffer])
        values, specials = doubles(data, element), np.array(values_of(element))
        count = min(values.size, max(specials.size, int(values.size * _SPECIAL_SHARE)))
        places = random.choice(values.size, count, replace=False)
        values[places] = np.resize(specials, count)
        contents[buffer] = _with_tail(encode(values, element), data)
    return with_contents(case, contents, CaseOrigin(kind, case.origin.shape, seed, 1.0, 0.0))


def _typed_buffers(case: NewCase) -> dict[int, ElementType]:
    """Element types of the buffers whose values may change: not poisoned, no pointers inside, type known."""
    types: dict[int, ElementType] = {}
    for buffer in case.recording.buffers:
        element = None if buffer.element_type is None else parse_element_type(buffer.element_type)
        if element is not None and not buffer.is_poisoned and not buffer.pointers:
            types[buffer.id] = element
    return types


def _element_types(launch: RecordedLaunch, parameters: tuple[Parameter, ...]) -> dict[int, str]:
    """Pointee types by buffer; a buffer that is passed as two types has none."""
    seen: dict[int, set[str]] = {}
    for argument, parameter in zip(launch.arguments, parameters, strict=False):
        element = parse_element_type(parameter.element_type or "")
        if parameter.is_pointer and element is not None and argument.pointers:
            seen.setdefault(argument.pointers[0].buffer, set()).add(element.name)
    return {buffer: names.pop() for buffer, names in seen.items() if len(names) == 1}


def _resampled(data: bytes, element: ElementType, random: np.random.Generator, draw: Draw) -> bytes:
    values = decode(data, element)
    if values.size == 0:
        return data
    if element.is_floating:
        return _with_tail(encode(_fresh_floats(doubles(data, element), element, random, draw.scale), element), data)
    if draw.integers == "kept" or _is_sorted(values):
        return data
    rows = values[: values.size // element.components * element.components].reshape(-1, element.components)
    is_redrawn = draw.integers == "redrawn" and not _is_distinct(rows)
    fresh = random.choice(rows, len(rows)) if is_redrawn else random.permutation(rows)
    return _with_tail(encode(fresh.reshape(-1), element), data)


@np.errstate(over="ignore")  # what a scale takes beyond the range is clipped to it
def _fresh_floats(values: Array, element: ElementType, random: np.random.Generator, scale: float) -> Array:
    """float64 values drawn for every finite nonzero place; the range of the observed ones times ``scale``."""
    places = np.isfinite(values) & (values != 0)
    observed = np.sort(values[places])
    if observed.size == 0:
        return values
    drawn = _draw_like(observed, random)
    result = values.copy()
    result[places] = drawn
    if _is_sorted(values) and observed[0] != observed[-1]:
        result = np.sort(result) if values[0] <= values[-1] else np.sort(result)[::-1]
    limit = largest_finite(element)
    finite = np.isfinite(result)
    result[finite] = np.clip(result[finite] * scale, -limit, limit)
    return result


def _draw_like(observed: Array, random: np.random.Generator) -> Array:
    """As many values as ``observed`` (sorted), from its empirical distribution."""
    count = observed.size
    distinct_count = 1 + np.count_nonzero(observed[1:] != observed[:-1])
    if distinct_count == 1:
        return observed[0] * random.uniform(*_SPREAD, count)
    if distinct_count > _CONTINUOUS_SHARE * count:
        quantiles = observed[np.linspace(0, count - 1, min(count, _QUANTILE_COUNT)).astype(np.int64)]
        place = random.random(count) * (quantiles.size - 1)
        below = place.astype(np.int64)
        low, high = quantiles[below], quantiles[below + 1]
        return low * (1 - (place - below)) + high * (place - below)
    return random.choice(observed, count)


def _is_sorted(values: Array) -> bool:
    """Monotonic with at least two different values (row offsets, sorted keys); NaN is never sorted."""
    if values.size < 2 or values[0] == values[-1]:
        return False
    before, after = values[:-1], values[1:]
    return bool(np.all(before <= after)) or bool(np.all(before >= after))


def _is_distinct(rows: Array) -> bool:
    """No row occurs twice: perhaps the places that threads write to, where a repeated one would be a race."""
    return len(np.unique(rows, axis=0)) == len(rows)


def _denormal(element: ElementType) -> float:
    return {2: 2.0**-20, 4: 2.0**-140, 8: 2.0**-1060}[element.scalar_bytes] if element.kind == "float" else 2.0**-130


def _with_tail(encoded: bytes, data: bytes) -> bytes:
    """``encoded`` followed by the bytes of ``data`` that hold no whole component."""
    return encoded + data[len(encoded) :]
