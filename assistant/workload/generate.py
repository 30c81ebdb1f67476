"""A declared workload at one shape and seed → a recording whose buffers hold the generated values.

Argument bytes follow the kernel's parameter types. The launches of a block with ``steps`` share the buffers that the block names;
initial contents stand with the first launch, later launches find what the earlier ones left.

Example::

    generate(workload, workload.shapes[0], {"k": signature_of(kernel, "k")}, Draw(seed=7))
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import (
    BufferState,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
)
from assistant.model.source import Parameter
from assistant.model.workload import (
    CaseOrigin,
    DeclaredArgument,
    DeclaredStep,
    DeclaredWorkload,
    Generator,
    Shape,
    WorkloadProblem,
    WorkloadProblemCode,
)
from assistant.record import Record
from assistant.workload.arrays import Array, encode
from assistant.workload.draws import Draw
from assistant.workload.expressions import ExpressionProblem, evaluate, evaluate_count
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.signature import Signature
from assistant.workload.structs import StructLayout, encode_scalar, encode_struct

__all__ = ["POISON", "GenerateOptions", "Signature", "generate"]

POISON = 0xAB
"""Byte that ``empty(…)`` buffers hold in the recording; a replay refills them (``ReplayOptions.fill``)."""
FIRST_ADDRESS = 0x7000_0000_0000
"""Nominal device address of the first buffer; replay never uses it, as declared buffers hold no pointers."""
ADDRESS_STEP = 1 << 32


class GenerateOptions(Record):
    layouts: Mapping[str, StructLayout] = field(default_factory=dict[str, StructLayout])
    """Field layouts of by-value structs, by type name."""
    symbol_types: Mapping[str, str] = field(default_factory=dict[str, str])
    """Element types of ``__device__``/``__constant__`` variables, by name."""
    max_bytes: int = 256 << 20
    """Bound on all buffers of a case (256 MiB a launch)."""


def generate(
    workload: DeclaredWorkload,
    shape: Shape,
    signatures: Mapping[str, Signature],
    draw: Draw,
    options: GenerateOptions | None = None,
) -> NewCase | WorkloadProblem:
    """The workload's launches on fresh values; ``signatures`` is keyed by the kernel as the block spells it."""
    try:
        return _Maker(workload, shape, signatures, draw, options or GenerateOptions()).make()
    except _UnusableError as problem:
        return WorkloadProblem(problem.code, workload.path, workload.line, f"[workload.{workload.name}]: {problem}")


class _UnusableError(Exception):
    """Leaves the maker with the reason; never escapes this module."""

    def __init__(self, code: WorkloadProblemCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Maker:
    """Collects buffers and blobs while the steps are turned into launches."""

    def __init__(
        self,
        workload: DeclaredWorkload,
        shape: Shape,
        signatures: Mapping[str, Signature],
        draw: Draw,
        options: GenerateOptions,
    ) -> None:
        self._workload = workload
        self._shape = shape
        self._sizes = dict(shape.sizes)
        self._signatures = signatures
        self._draw = draw
        self._options = options
        self._buffers: dict[str, RecordedBuffer] = {}
        self._before: dict[str, str] = {}
        self._blobs: dict[str, bytes] = {}
        self._total_bytes = 0

    def make(self) -> NewCase:
        for argument in self._workload.globals:
            spelled = self._options.symbol_types.get(argument.name)
            if spelled is None:
                raise _UnusableError(WorkloadProblemCode.UNKNOWN_VARIABLE, f"globals: the source has no device variable '{argument.name}'")
            self._buffer(argument, _element(argument.name, spelled), argument.name)
        launches = [self._launch(index, step) for index, step in enumerate(self._workload.steps)]
        states = tuple(BufferState(b.id, self._before[key], None) for key, b in self._buffers.items())
        launches[0] = replace(launches[0], buffers=states)
        kind = "boundary" if self._shape.is_boundary else "declared"
        weight = self._shape.weight if self._draw.is_timed else 0.0
        return NewCase(
            recording=Recording(tuple(self._buffers.values()), tuple(launches), (), ()),
            blobs=self._blobs,
            launches=tuple(range(len(launches))),
            origin=CaseOrigin(kind, str(self._shape), self._draw.seed, self._draw.scale, weight),
            buffer_names=tuple((buffer.id, key) for key, buffer in self._buffers.items()),
        )

    def _launch(self, index: int, step: DeclaredStep) -> RecordedLaunch:
        signature = self._signatures.get(step.kernel)
        if signature is None:
            raise _UnusableError(WorkloadProblemCode.UNKNOWN_KERNEL, f"the source has no kernel '{step.kernel}'")
        declared = {a.name: a for a in step.arguments}
        names = [p.name for p in signature.parameters]
        missing = [name for name in names if name not in declared]
        strangers = [name for name in declared if name not in names]
        if missing or strangers:
            raise _UnusableError(WorkloadProblemCode.PARAMETERS, _parameter_mismatch(step.kernel, missing, strangers, names))
        return RecordedLaunch(
            index=index,
            kernel=signature.symbol,
            config=LaunchConfig(self._dim3(step.grid, "grid"), self._dim3(step.block, "block"), self._count(step.shared, "shared")),
            arguments=tuple(self._argument(declared[p.name], p) for p in signature.parameters),
            buffers=(),
            file=str(self._workload.path),
            line=0,
        )

    def _argument(self, argument: DeclaredArgument, parameter: Parameter) -> RecordedArgument:
        if parameter.is_pointer:
            if argument.generator in (Generator.SCALAR, Generator.STRUCT):
                raise _UnusableError(WorkloadProblemCode.WRONG_TYPE, f"{argument.name} is a pointer, expected a generator such as randn(n)")
            element = _element(argument.name, parameter.element_type or parameter.type)
            buffer = self._buffer(argument, element, None)
            data = buffer.address.to_bytes(8, "little")
            return RecordedArgument(8, data.hex(), (PointerField(0, buffer.id, 0),))
        if argument.generator is Generator.STRUCT:
            layout = self._options.layouts.get(parameter.type.removeprefix("const ").strip())
            if layout is None:
                raise _UnusableError(WorkloadProblemCode.UNKNOWN_TYPE, f"{argument.name}: the layout of {parameter.type} is not known")
            values = {name: self._value(text, f"{argument.name}.{name}") for name, text in argument.fields}
            data = encode_struct(layout, values)
        elif argument.generator is Generator.SCALAR:
            element = _element(argument.name, parameter.type)
            data = encode_scalar(element, self._value(argument.parameters[0], argument.name))
        else:
            raise _UnusableError(
                WorkloadProblemCode.WRONG_TYPE, f"{argument.name} is a {parameter.type}, expected a number or an expression"
            )
        if isinstance(data, str):
            raise _UnusableError(WorkloadProblemCode.WRONG_TYPE, f"{argument.name}: {data}")
        return RecordedArgument(len(data), data.hex(), ())

    def _buffer(self, argument: DeclaredArgument, element: ElementType, symbol: str | None) -> RecordedBuffer:
        key = argument.buffer or argument.name
        known = self._buffers.get(key)
        if known is not None:
            if known.element_type != element.name:
                raise _UnusableError(WorkloadProblemCode.WRONG_TYPE, f"{key} is used as {known.element_type} and as {element.name}")
            return known
        count = self._count(argument.count, argument.name)
        size_bytes = count * element.size_bytes
        self._total_bytes += size_bytes
        if self._total_bytes > self._options.max_bytes:
            raise _UnusableError(WorkloadProblemCode.TOO_LARGE, f"needs more than {self._options.max_bytes} bytes at {self._shape}")
        is_poisoned = argument.generator is Generator.EMPTY
        data = bytes([POISON]) * size_bytes if is_poisoned else self._contents(argument, element, count)
        self._before[key] = blob_name(data)
        self._blobs[self._before[key]] = data
        identity = len(self._buffers)
        buffer = RecordedBuffer(
            id=identity,
            size_bytes=size_bytes,
            address=FIRST_ADDRESS + identity * ADDRESS_STEP,
            symbol=symbol,
            space="device",
            element_type=element.name,
            is_poisoned=is_poisoned,
        )
        self._buffers[key] = buffer
        return buffer

    def _contents(self, argument: DeclaredArgument, element: ElementType, count: int) -> bytes:
        name, generator = argument.name, argument.generator
        if generator in (Generator.RANDN, Generator.RAND) and not element.is_floating:
            raise _UnusableError(
                WorkloadProblemCode.WRONG_TYPE, f"{name}: {generator} needs floats, {name} holds {element.name} (use randint)"
            )
        total = count * element.components
        if generator is Generator.FULL:
            return encode(np.full(total, float(self._value(argument.parameters[0], name))), element)
        random = np.random.default_rng([self._draw.seed, zlib.crc32((argument.buffer or name).encode())])
        if generator is Generator.RANDINT:
            low, high = (self._value(text, name) for text in argument.parameters)
            if low.denominator != 1 or high.denominator != 1 or low >= high:
                raise _UnusableError(
                    WorkloadProblemCode.RANDOM_RANGE, f"{name}: randint needs whole numbers low < high, not {low} and {high}"
                )
            return encode(random.integers(int(low), int(high), total), element)
        return encode(_plain_values(generator, total, random, self._draw.scale), element)

    def _value(self, text: str, what: str) -> Fraction:
        value = evaluate(text, self._sizes)
        if isinstance(value, ExpressionProblem):
            raise _UnusableError(WorkloadProblemCode.EXPRESSION, f"{what} = {value.message}")
        return value

    def _count(self, text: str, what: str) -> int:
        count = evaluate_count(text, self._sizes, what)
        if isinstance(count, ExpressionProblem):
            raise _UnusableError(WorkloadProblemCode.EXPRESSION, count.message)
        return count

    def _dim3(self, texts: tuple[str, ...], what: str) -> Dim3:
        counts = [self._count(text, what) for text in texts]
        if 0 in counts:
            raise _UnusableError(WorkloadProblemCode.EMPTY_LAUNCH, f"{what} is empty at {self._shape}: {' × '.join(map(str, counts))}")
        return Dim3(*counts)


def _plain_values(generator: Generator, total: int, random: np.random.Generator, scale: float) -> Array:
    match generator:
        case Generator.RANDN:
            return random.standard_normal(total) * scale
        case Generator.RAND:
            return random.random(total) * scale
        case Generator.ONES:
            return np.ones(total)
        case Generator.ARANGE:
            return np.arange(total)
        case _:
            return np.zeros(total)


def _element(name: str, spelled: str) -> ElementType:
    element = parse_element_type(spelled)
    if element is None:
        raise _UnusableError(WorkloadProblemCode.UNKNOWN_TYPE, f"{name}: type '{spelled}' is not supported here")
    return element


def _parameter_mismatch(kernel: str, missing: list[str], strangers: list[str], names: list[str]) -> str:
    parts = list[str]()
    if missing:
        parts.append(f"args lacks {', '.join(missing)}")
    if strangers:
        parts.append(f"args has {', '.join(strangers)}, which {kernel} does not take")
    return f"{'; '.join(parts)} (parameters: {', '.join(names) or 'none'})"
