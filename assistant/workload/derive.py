"""One recorded launch as a case, and the same case on other values: shapes and structure stay, numbers change.

Pointers, poisoned buffers and those of unknown type stay as they are. Example::

    case = extract(reader.recording, reader.blob, 0, kernel.parameters, origin)
    fresh_values(case, Draw(seed=11, scale=8.0))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Parameter
from assistant.model.structs import ElementLayout
from assistant.model.workload import CaseOrigin
from assistant.workload.arrays import Array
from assistant.workload.draws import Draw
from assistant.workload.members import with_members
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.resample import resampled, resampled_together

__all__ = ["Change", "Layouts", "changed", "contents_of", "extract", "fresh_values", "typed_buffers", "with_contents"]

Change = Callable[[bytes, ElementType, np.random.Generator], bytes]
"""New contents of a buffer, or of a member's column in a buffer of structs; the bytes that were given where nothing changes."""
Layouts = Mapping[int, ElementLayout]
"""Layouts of buffers of structs, by buffer id."""


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
    launch = recording.launch(launch_index)
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
    return {buffer: case.blobs[name] for buffer, name in _blobs_of(case).items()}


def _blobs_of(case: NewCase) -> dict[int, str]:
    """The name of what each buffer holds before the first launch, by buffer id."""
    names: dict[int, str] = {}
    for launch in case.recording.launches:
        for state in launch.buffers:
            names.setdefault(state.buffer, state.before)
    return names


def with_contents(case: NewCase, contents: Mapping[int, bytes], origin: CaseOrigin) -> NewCase:
    """``case`` with the initial contents of some buffers replaced; buffers not named keep theirs."""
    before, known = contents_of(case), _blobs_of(case)
    whole = before | dict(contents)
    # comparing takes a tenth of hashing
    names = {buffer: known[buffer] if before.get(buffer) == data else blob_name(data) for buffer, data in whole.items()}
    seen: set[int] = set()
    launches = list[RecordedLaunch]()
    for launch in case.recording.launches:
        states = tuple(replace(s, before=names[s.buffer], after=None) for s in launch.buffers if s.buffer not in seen)
        seen.update(state.buffer for state in states)
        launches.append(replace(launch, buffers=states))
    recording = replace(case.recording, launches=tuple(launches))
    return NewCase(recording, {names[buffer]: data for buffer, data in whole.items()}, case.launches, origin)


def changed(
    case: NewCase,
    change: Change,
    origin: CaseOrigin,
    layouts: Layouts | None = None,
    chosen: frozenset[int] | None = None,
    together: Callable[[Sequence[Array], np.random.Generator], Sequence[Array]] | None = None,
) -> NewCase:
    """``case`` with every buffer of known type, or the ``chosen`` ones, changed; each has its own random numbers from the origin's seed.

    ``together``: what becomes of the integer members of structs, all at once; None: ``change`` makes each alone.
    """
    elements = typed_buffers(case)
    structs = {b.id: layout for b in case.recording.buffers if (layout := (layouts or {}).get(b.id)) and _is_free(b)}
    contents: dict[int, bytes] = {}
    for buffer, data in contents_of(case).items():
        if chosen is not None and buffer not in chosen:
            continue
        random = np.random.default_rng([origin.seed, buffer])
        if buffer in elements:
            contents[buffer] = change(data, elements[buffer], random)
        elif buffer in structs:
            rows = None if together is None else partial(_of_rows, together=together, random=random)
            contents[buffer] = with_members(data, structs[buffer], partial(_of_column, change=change, random=random), rows)
    return with_contents(case, contents, origin)


def fresh_values(case: NewCase, draw: Draw, layouts: Layouts | None = None, row_lengths: Sequence[int] = ()) -> NewCase:
    """``case`` on values resampled from its own; weight 0, as only recorded values are timed. ``row_lengths``: see ``resampled``."""
    origin = replace(case.origin, kind=draw.kind, seed=draw.seed, scale=draw.scale, weight=0.0)
    together = partial(resampled_together, draw=draw, row_lengths=row_lengths)
    return changed(case, partial(_drawn, draw=draw, row_lengths=row_lengths), origin, layouts, together=together)


def typed_buffers(case: NewCase) -> dict[int, ElementType]:
    """Element types of the buffers whose values may change: not poisoned, not fixed, no pointers inside, type known."""
    types: dict[int, ElementType] = {}
    for buffer in case.recording.buffers:
        element = None if buffer.element_type is None else parse_element_type(buffer.element_type)
        if element is not None and _is_free(buffer):
            types[buffer.id] = element
    return types


def _is_free(buffer: RecordedBuffer) -> bool:
    return not (buffer.is_poisoned or buffer.is_fixed or buffer.pointers)


def _of_column(data: bytes, element: ElementType, change: Change, random: np.random.Generator) -> bytes:
    return change(data, element, random)


def _of_rows(
    columns: Sequence[Array], together: Callable[[Sequence[Array], np.random.Generator], Sequence[Array]], random: np.random.Generator
) -> Sequence[Array]:
    return together(columns, random)


def _drawn(data: bytes, element: ElementType, random: np.random.Generator, draw: Draw, row_lengths: Sequence[int]) -> bytes:
    return resampled(data, element, random, draw, row_lengths)


def _element_types(launch: RecordedLaunch, parameters: tuple[Parameter, ...]) -> dict[int, str]:
    """Pointee types by buffer; a buffer that is passed as two types has none."""
    seen: dict[int, set[str]] = {}
    for argument, parameter in zip(launch.arguments, parameters, strict=False):
        element = parse_element_type(parameter.element_type or "")
        if parameter.is_pointer and element is not None and argument.pointers:
            seen.setdefault(argument.pointers[0].buffer, set()).add(element.name)
    return {buffer: names.pop() for buffer, names in seen.items() if len(names) == 1}
