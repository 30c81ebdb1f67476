"""A kernel as a Python object: compiled once, launched on the caller's arrays, checked, profiled and compared.

Example::

    scale = compile("__global__ void scale(float *out, const float *x, int n) { … }")
    scale[4, 256](out, x, n)                        # grid, block[, bytes of dynamic shared memory]
    scale[4, 256].check((out, x, n), ref=lambda x: 2 * x).ok
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.cuda.parse import parse
from assistant.cuda.type_aliases import spelled_out, type_aliases
from assistant.engine import Accept, JobRequest
from assistant.errors import UsageError
from assistant.live.binding import Bound, TextFacts, bind_positional
from assistant.live.callables import EmulatorRunner, Runner
from assistant.live.compiling import compile_text
from assistant.live.gpu_calls import OnGpu
from assistant.live.names import kernel_names
from assistant.live.text_facts import text_facts
from assistant.live.variables import lost_variables
from assistant.model.build import KernelResources, Occupancy
from assistant.model.launch import LaunchConfig
from assistant.model.program import STANDS_ALONE
from assistant.model.source import Source
from assistant.workload.signature import signature_of
from kernelopt.comparing import text_in_place, without_other_kernels
from kernelopt.machine_code import occupancy_of, resources_of, sass_of
from kernelopt.proposals import USUAL_SEARCH, Proposals, Search, proposals
from kernelopt.results import CheckResult, Comparison, ProfileResult, Timing, checked, compared, profiled
from kernelopt.sessions import Session, default_session
from kernelopt.shapes import SIZES, Shape, Size
from kernelopt.texts import chosen_kernel, read_text
from kernelopt.workloads import Arguments, Compiled, Workload

__all__ = ["Arguments", "CompileError", "Kernel", "Launch", "compare", "compile"]


class CompileError(UsageError):
    """The compiler refuses the text; the message holds its errors."""


def compile(  # noqa: A001 - what it does
    source: str | Path,
    kernel: str | None = None,
    *,
    grid: Size | None = None,
    block: Size | None = None,
    shared: Size = 0,
    flags: Sequence[str] | None = None,
    device: str | None = None,
    session: Session | None = None,
) -> Kernel:
    """The kernel of a CUDA text, or of a ``.cu`` file where ``source`` is a path, ready to be launched.

    ``kernel``: which one, where there are several (``blur``, ``ns::blur<float>``). ``grid``, ``block`` (numbers or functions of the
    arguments) and ``shared`` (bytes) are of launches that do not say otherwise; ``flags`` are the compiler's.
    ``device``: ``auto``, ``cpu`` (the emulator) or ``gpu:N``, in a session of the process; or ``session``, which has one.

    Raises CompileError where the compiler refuses it, UsageError where no kernel or several could be meant, or the file cannot be read.
    """
    if session is not None and device is not None:
        raise UsageError(f"device={device!r} is given, and a session with a device of its own", "give one of the two")
    if isinstance(flags, str):
        raise UsageError(f"flags: expected a list of the compiler's options, got {flags!r}", f"write flags={flags.split()}")
    session = session or default_session("auto" if device is None else device)
    path, text, is_file = read_text(source)
    parsed = parse(Source(path, text))
    found = chosen_kernel(parsed, kernel)
    path = path if is_file else path.with_name(f"kernelopt_{found.name}.cu")
    signature = signature_of(spelled_out(found, type_aliases(text)), kernel or found.qualified_name)
    request = JobRequest(
        path,
        path.parent,
        texts=((path, text),),
        kernel=found.key,
        device=session.device,
        target=session.target,
        cflags=None if flags is None else tuple(flags),
        programs=STANDS_ALONE,
    )
    session.tell_first_build()
    compiled = session.loop.wait(compile_text(session.lab, request, (signature.symbol,)))
    if compiled.is_refused:
        raise CompileError("the compiler refuses the text:\n" + "\n".join(compiled.messages()), "fix the lines above")
    return Kernel(Compiled(session, request, parsed, found, signature, compiled, is_file), Shape(grid, block, shared))


def compare(a: Kernel | Launch, b: Kernel | Launch, arguments: Arguments, ref: Callable[..., object] | None = None) -> Comparison:
    """Is ``b`` right in ``a``'s place on these arguments and fresh values, and is it faster? Launched as ``a`` is, whatever ``b``'s name.

    Raises UsageError where ``b`` takes other arguments, would be launched otherwise or was compiled with other flags, JobFailed where no
    verdict comes of it.
    """
    first, second = _launch_of(a), _launch_of(b)
    return first._compared(second, arguments, ref)  # pyright: ignore[reportPrivateUsage] - one part of it


def _launch_of(given: object) -> Launch:
    """Also of a function with ``@kernelopt.kernel``. Raises UsageError for what is no kernel."""
    kernel = given if isinstance(given, Kernel | Launch) else getattr(given, "kernel", None)
    if isinstance(kernel, Launch):
        return kernel
    if isinstance(kernel, Kernel):
        return Launch(kernel, kernel._shape)  # pyright: ignore[reportPrivateUsage] - one part of it
    raise UsageError(f"compare takes two kernels, got {type(given).__name__}", "kernelopt.compile(text, …) makes a kernel")


class Launch:
    """A kernel with its grid and block: ``kernel[grid, block]``."""

    def __init__(self, kernel: Kernel, shape: Shape) -> None:
        self._kernel = kernel
        self._shape = shape

    @property
    def name(self) -> str:
        return self._kernel.name

    @property
    def text(self) -> str:
        return self._kernel.text

    @property
    def path(self) -> Path:
        return self._kernel.path

    @property
    def is_file(self) -> bool:
        return self._kernel.is_file

    @property
    def flags(self) -> tuple[str, ...] | None:
        return self._kernel.flags

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._kernel.parameters

    def config(self, values: Mapping[str, object]) -> LaunchConfig:
        """Grid, block and shared memory of a launch with these arguments, by name. Raises UsageError."""
        return self._shape.config(values)

    @property
    def occupancy(self) -> Occupancy | None:
        """See `Kernel.occupancy`."""
        return self._kernel._occupancy(self._shape)  # pyright: ignore[reportPrivateUsage] - one part of it

    def __call__(self, /, *arguments: object, check: bool | None = None, **named: object) -> None:
        """Run it once on these arguments; arrays are changed in place. See `Kernel.__call__`."""
        self._kernel._launched(self._shape, arguments, named, check)  # pyright: ignore[reportPrivateUsage] - one part of it

    def check(self, arguments: Arguments, ref: Callable[..., object] | None = None) -> CheckResult:
        """See `Kernel.check`."""
        return self._kernel._checked(self._shape, arguments, ref)  # pyright: ignore[reportPrivateUsage] - one part of it

    def profile(self, arguments: Arguments) -> ProfileResult:
        """See `Kernel.profile`."""
        return self._kernel._profiled(self._shape, arguments)  # pyright: ignore[reportPrivateUsage] - one part of it

    def time(self, arguments: Arguments) -> Timing:
        """See `Kernel.time`."""
        return self._kernel._timed(self._shape, arguments)  # pyright: ignore[reportPrivateUsage] - one part of it

    def optimize(
        self, arguments: Arguments, ref: Callable[..., object] | None = None, *, options: Search = USUAL_SEARCH, **changed: Any
    ) -> Proposals:
        """See `Kernel.optimize`."""
        return self._kernel._optimized(self._shape, arguments, ref, options.changed(changed))  # pyright: ignore[reportPrivateUsage]

    def _compared(self, other: Launch, arguments: Arguments, ref: Callable[..., object] | None) -> Comparison:
        of, theirs = self._kernel._of, other._kernel._of  # pyright: ignore[reportPrivateUsage] - one part of it
        text = text_in_place(of.named, theirs.named)
        if of.request.cflags != theirs.request.cflags:
            message = f"{of.request.cflags or 'none'} and {theirs.request.cflags or 'none'}"
            raise UsageError(f"compare: compiled with other flags: {message}", "compile both alike, and write what differs into the texts")
        is_apart = other.path != self.path and text == other.text
        path = other.path if is_apart else self.path.with_name(f"{self.path.stem}_b{self.path.suffix}")
        with Workload(of, self._shape, arguments, ref) as live:
            live.demand_launched_as(other._shape)
            texts = tuple((file, without_other_kernels(each, of.kernel.qualified_name)) for file, each in (*of.request.texts, (path, text)))
            request = replace(of.request, kernel=of.only_name, live=live.made, texts=texts)
            return compared(of.session.events(lambda engine: engine.compare(request, path, False)), live.notes)


class Kernel:
    """One kernel instance; made by `compile`."""

    def __init__(self, of: Compiled, shape: Shape) -> None:
        self._compiled = of
        self._shape = shape
        self.__name__ = of.signature.instance

    @property
    def _of(self) -> Compiled:
        return self._compiled

    @cached_property
    def _lost(self) -> str:
        """Said at the first call."""
        return lost_variables(self._of.parsed, self._of.kernel)

    @cached_property
    def _facts(self) -> TextFacts:
        return text_facts(self._of.parsed, self._of.kernel)

    @cached_property
    def _on_gpu(self) -> OnGpu:
        of = self._of
        return OnGpu(of.session.loop, of.session.lab.compiler, of.compiled, of.session.modules)

    @property
    def name(self) -> str:
        """The instance: ``blur<float>``."""
        return self._of.signature.instance

    @property
    def text(self) -> str:
        """The source that it was compiled from."""
        return self._of.parsed.source.text

    @property
    def path(self) -> Path:
        """The file; of a text, the name that messages give it."""
        return self._of.request.file

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the kernel's parameters, in order."""
        return tuple(parameter.name for parameter in self._of.signature.parameters)

    @property
    def is_file(self) -> bool:
        """Whether its text is a file's."""
        return self._of.is_file

    @property
    def flags(self) -> tuple[str, ...] | None:
        """The compiler's, as they were given; None: the usual ones."""
        return self._of.request.cflags

    def config(self, values: Mapping[str, object]) -> LaunchConfig:
        """Grid, block and shared memory of a launch with these arguments, by name. Raises UsageError."""
        return self._shape.config(values)

    @property
    def resources(self) -> KernelResources | None:
        """Registers, spills, static shared memory, as ptxas reports them for this instance; None without a CUDA compiler, and where only
        a launch would have the compiler make the instance."""
        return resources_of(self._of.compiled.build, self._of.signature.symbol)

    @property
    def sass(self) -> str | None:
        """Machine code for the target, an instruction a line with its line of the text; None without a CUDA compiler and disassembler."""
        return sass_of(self._of.compiled.build, self._of.signature.symbol)

    @property
    def ptx(self) -> str | None:
        """PTX of the whole text, made when it is asked for; None without a CUDA compiler."""
        return self._of.ptx()

    @property
    def occupancy(self) -> Occupancy | None:
        """Theoretical, of its own block: ``.ratio``, ``.blocks_per_sm``, ``.limiter``; of another launch ``kernel[grid, block].occupancy``.

        None without a CUDA compiler. Raises UsageError where no block is given, or it depends on the arguments.
        """
        return self._occupancy(self._shape)

    @property
    def registers(self) -> int | None:
        """Registers of a thread; None without a CUDA compiler."""
        resources = self.resources
        return None if resources is None else resources.registers_per_thread

    def __getitem__(self, shape: object) -> Launch:
        """``kernel[grid, block]`` or ``kernel[grid, block, shared_bytes]``. Raises UsageError."""
        parts: tuple[Any, ...] = shape if isinstance(shape, tuple) else (shape,)  # pyright: ignore[reportUnknownVariableType]
        if len(parts) not in (2, 3):
            message = f"expected kernel[grid, block] or kernel[grid, block, shared], got {len(parts)} values"
            raise UsageError(message, "write kernel[4, 256](…)")
        return Launch(self, Shape(*parts))

    def __call__(self, /, *arguments: object, check: bool | None = None, **named: object) -> None:
        """Run it once; arrays are changed in place, and what the kernel prints is printed.

        ``grid``, ``block`` and ``shared`` may be given for this call. Arrays of the CPU: in the emulator, with every check on unless
        ``check`` is False; a defect raises a KernelFault and changes nothing. Arrays of a GPU: queued on the stream that their library
        works on; where ``check`` is True, copies are checked before, and a defect raises a KernelFault and launches nothing.
        Raises BindingError for arguments that do not fit, KernelFailed where it does not run to its end.
        """
        given: dict[str, Any] = {name: named.pop(name) for name in SIZES if name in named and name not in self.parameters}
        self._launched(replace(self._shape, **given), arguments, named, check)

    def check(
        self,
        arguments: Arguments,
        ref: Callable[..., object] | None = None,
        *,
        grid: Size | None = None,
        block: Size | None = None,
        shared: Size | None = None,
    ) -> CheckResult:
        """Run it with every check on, twice, on copies of these arguments; with ``ref``, also on fresh values, held against its results.

        ``ref`` is called with the kernel's arguments by name (those that it has parameters for) and returns the output array, a dict of
        outputs by name, or None where it changed the arrays that it was given. Raises JobFailed where it cannot be run.
        """
        return self._checked(self._shape.changed(grid, block, shared), arguments, ref)

    def profile(
        self, arguments: Arguments, *, grid: Size | None = None, block: Size | None = None, shared: Size | None = None
    ) -> ProfileResult:
        """Count what a launch on copies of these arguments does, line by line. Raises JobFailed where it cannot be run."""
        return self._profiled(self._shape.changed(grid, block, shared), arguments)

    def time(self, arguments: Arguments, *, grid: Size | None = None, block: Size | None = None, shared: Size | None = None) -> Timing:
        """What a launch on copies of these arguments takes on the GPU: caches cold, an empty kernel's share subtracted.

        Raises UsageError where there is no GPU: the emulator measures no time, and what `profile` predicts is no measurement.
        """
        return self._timed(self._shape.changed(grid, block, shared), arguments)

    def optimize(
        self, arguments: Arguments, ref: Callable[..., object] | None = None, *, options: Search = USUAL_SEARCH, **changed: Any
    ) -> Proposals:
        """Look for faster versions of the kernel, each proved right on these arguments, on fresh values and against ``ref``.

        Options of `Search` may be given by name: ``planner="expert"``, ``rounds=2``, ``allow="precision"``. Nothing is changed until a
        proposal is accepted. Raises JobFailed where the search cannot begin, UsageError for unknown options.
        """
        return self._optimized(self._shape, arguments, ref, options.changed(changed))

    def _occupancy(self, shape: Shape) -> Occupancy | None:
        of = self._of
        return occupancy_of(of.compiled.build, of.signature.symbol, replace(shape, grid=1).config({}))

    def _launched(self, shape: Shape, arguments: Sequence[object], named: Mapping[str, object], check: bool | None) -> None:
        of = self._of
        own = kernel_names(named, self.parameters)
        bound = bind_positional(of.signature, arguments, own, self._facts)
        values = dict(zip(self.parameters, arguments, strict=False)) | own
        config = shape.config(values)
        if self._lost:
            warnings.warn(f"{self.name}: {self._lost}", stacklevel=3)
            self._lost = ""
        runner = self._runner(bound)
        if check and not runner.checks_calls:
            self._checked(shape, values, None).raise_for_status()
        runner.run(bound, config, check is not False)

    def _runner(self, bound: Bound) -> Runner:
        of, session = self._of, self._of.session
        if bound.device == "cpu" or session.device == "cpu":
            return EmulatorRunner(session.loop, session.lab, of.compiled, str(of.request.file))
        return self._on_gpu

    def _checked(self, shape: Shape, arguments: Arguments, ref: Callable[..., object] | None) -> CheckResult:
        with Workload(self._of, shape, arguments, ref) as live:
            request = replace(self._of.request, live=live.made)
            return checked(self._of.session.events(lambda engine: engine.check(request)), self.parameters, live.notes)

    def _profiled(self, shape: Shape, arguments: Arguments) -> ProfileResult:
        with Workload(self._of, shape, arguments, None) as live:
            request = replace(self._of.request, live=live.made)
            return profiled(self._of.session.events(lambda engine: engine.profile(request)))

    def _timed(self, shape: Shape, arguments: Arguments) -> Timing:
        if not self._of.session.has_gpu:
            remedy = "kernel.profile(…).predicted_s is what the performance model expects of the target GPU"
            raise UsageError("there is no GPU here, and the emulator measures no time", remedy)
        return self._profiled(shape, arguments).timing

    def _optimized(self, shape: Shape, arguments: Arguments, ref: Callable[..., object] | None, options: Search) -> Proposals:
        with Workload(self._of, shape, arguments, ref) as live:
            request = replace(self._of.request, live=live.made)
            chosen = options.chosen()
            found = self._of.session.events(lambda engine: engine.optimize(request, chosen, Accept.NONE, None))
            return proposals(self._of.session, self._of.is_file, found, live.notes)

    def __repr__(self) -> str:
        return f"<kernel {self._of.signature.symbol}>"
