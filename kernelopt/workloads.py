"""A kernel's arguments, copied for workers, with what a reference says of them.

Example::

    with Workload(compiled, shape, (out, x, 1000), reference) as live:
        live.made                   # what the engine judges on
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from assistant.engine import JobRequest
from assistant.errors import UsageError
from assistant.live.arrays import is_array
from assistant.live.binding import bind
from assistant.live.compiling import CompiledText
from assistant.live.names import kernel_names
from assistant.live.references import Reference
from assistant.live.snapshot import shared_folder
from assistant.live.text_facts import text_facts
from assistant.live.variables import uncompared_variables, variables_of
from assistant.live.workload import MadeWorkload, ReferenceLimits, ShapeBinding, live_workload
from assistant.live.zeros import zero_floats, zeros_note
from assistant.model.build import Build
from assistant.model.launch import LaunchConfig
from assistant.model.source import Kernel as SourceKernel
from assistant.model.source import ParsedSource
from assistant.model.workload import LiveWorkload
from assistant.record import Record
from assistant.workload.array_use import maybe_written
from assistant.workload.signature import Signature
from kernelopt.comparing import NamedKernel
from kernelopt.sessions import Session
from kernelopt.shapes import Shape

__all__ = ["Arguments", "Compiled", "Workload"]

Arguments = Sequence[object] | Mapping[str, object]
"""In the order of the kernel's parameters, or by their names."""
_LIMITS = ReferenceLimits(is_own_awaited=True, option="")
"""Who calls a check waits for the reference anyway; fresh values are further calls."""


class Compiled(Record):
    """What a kernel is made of."""

    session: Session
    request: JobRequest
    parsed: ParsedSource
    kernel: SourceKernel
    signature: Signature
    compiled: CompiledText
    is_file: bool
    """Its text is a file's, which accepting a proposal writes."""

    @property
    def named(self) -> NamedKernel:
        return NamedKernel(self.parsed, self.kernel, self.signature)

    @property
    def only_name(self) -> str:
        """Without the types of its parameters, as another version may say const of them; with them where it is one of several."""
        name = self.kernel.qualified_name
        return self.kernel.key if sum(other.qualified_name == name for other in self.parsed.kernels) > 1 else name

    def ptx(self) -> str | None:
        """Of the whole text; None without a CUDA compiler."""
        if not isinstance(self.compiled.build, Build):
            return None
        program = replace(self.compiled.program, kernels=(self.signature.symbol,))
        return self.session.loop.wait(self.session.lab.compiler.ptx(program, self.compiled.build.architecture))


class Workload:
    """The arguments, copied for workers, and what the reference says of them; removed at the end."""

    def __init__(self, of: Compiled, shape: Shape, arguments: Arguments, ref: Callable[..., object] | None) -> None:
        names = tuple(parameter.name for parameter in of.signature.parameters)
        by_name = kernel_names(arguments, names) if isinstance(arguments, Mapping) else _by_position(of.signature, arguments)
        text = of.parsed.source.text
        bound = bind(of.signature, by_name, text_facts(of.parsed, of.kernel))
        self._values = by_name
        variables = variables_of(text)
        self._binding = ShapeBinding(bound, shape.config(by_name), variables.known, zero_floats(bound, text, of.kernel))
        self._untold = uncompared_variables(variables, of.parsed, of.kernel)
        if ref is not None and not callable(ref):
            raise UsageError(f"ref: expected a function, got {type(ref).__name__}", "write ref=lambda x: …, which returns what is right")
        self._of = of
        written = maybe_written(text, of.kernel)
        self._reference = None if ref is None else Reference(getattr(ref, "__name__", "ref"), ref, written)
        self._folder = shared_folder(bound.size_bytes)
        self._made: MadeWorkload | None = None

    @property
    def made(self) -> LiveWorkload:
        """As the engine takes it; there once the workload was entered."""
        assert self._made is not None
        return self._made.workload

    @property
    def notes(self) -> tuple[str, ...]:
        """What speaks against the arguments, was not compared, or not held against the reference."""
        drawn = frozenset[str]() if self._made is None else self._made.drawn
        zeros = zeros_note((self._binding.bound,), self._of.parsed.source.text, self._of.kernel, drawn)
        return (*zeros, *self._untold, *(() if self._made is None else self._made.notes))

    def demand_launched_as(self, other: Shape) -> None:
        """Raises UsageError where ``other`` says another launch of these arguments."""
        if other.grid is None or other.block is None:
            return
        own, theirs = self._binding.config, other.config(self._values)
        if own != theirs:
            message = f"compare launches both as the first is, {_words(own)}; the second says {_words(theirs)}"
            raise UsageError(
                message, "give the second no grid and block, or the first's; another launch is a kernel of its own to check and profile"
            )

    def __enter__(self) -> Self:
        try:
            of = self._of
            file, shapes = str(of.request.file), (self._binding,)
            self._made = live_workload(self._folder, shapes, file, self._reference, _LIMITS, of.session.shared.names)
        except BaseException:  # the reference is the user's, and so is an interrupt
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _by_position(signature: Signature, arguments: Sequence[object]) -> dict[str, object]:
    """Raises UsageError for more arguments than there are parameters; too few are named by what binds them."""
    names = [parameter.name for parameter in signature.parameters]
    if is_array(arguments) or not isinstance(arguments, Sequence) or isinstance(arguments, str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"expected the arguments of {signature.instance} together, got one {type(arguments).__name__}"
        raise UsageError(message, f"give ({', '.join(names)}), or a dict by these names")
    if len(arguments) > len(names):
        raise UsageError(f"{signature.instance} takes {len(names)} arguments, got {len(arguments)}", f"it takes ({', '.join(names)})")
    return dict(zip(names, arguments, strict=False))


def _words(config: LaunchConfig) -> str:
    shared = f", {config.shared_bytes} bytes of shared memory" if config.shared_bytes else ""
    return f"grid {config.grid}, block {config.block}{shared}"
