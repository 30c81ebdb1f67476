"""A cell that is run, up to where it returns: compiled, its arrays bound and copied, its reference called, the questions begun.

Example::

    opened = CellOpener(workshop, namespace).open(cell, MagicLine(args="x=x,n=n", grid="(n+255)//256", block="256"))
    opened.callables["halve"], opened.run
"""

from __future__ import annotations

import builtins
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.config import DEFAULT_LAUNCH_BYTES, find_workspace, load_settings
from assistant.cuda.device_variables import device_variable_types
from assistant.cuda.embedded.cell_launch import launch_in
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.type_aliases import spelled_out, type_aliases
from assistant.editor.tasks import Verb
from assistant.engine import AllowOption, OptimizeOptions, check_region, flags_of
from assistant.errors import CannotAnswerError, UsageError
from assistant.live.binding import Bound, bind
from assistant.live.callables import BoundKernel, EmulatorRunner, KernelOfCell, Runner
from assistant.live.captured import CellCapture, workload_of
from assistant.live.compiling import CompiledText, compile_text
from assistant.live.gpu_calls import OnGpu
from assistant.live.names import python_name
from assistant.live.references import Reference
from assistant.live.snapshot import shared_folder
from assistant.live.text_facts import text_facts
from assistant.live.variables import lost_variables, variables_of
from assistant.live.workload import ReferenceLimits, ShapeBinding, live_workload
from assistant.live.zeros import zero_floats, zeros_note
from assistant.model.embedded import EmbeddingKind
from assistant.model.proposal import Proposal
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.model.workload import LiveWorkload
from assistant.record import Record
from assistant.workload.array_use import maybe_written
from assistant.workload.blocks import find_blocks, sidecar_path
from assistant.workload.signature import Signature, signature_of
from jupyter_ext.callables import BoundCell, callables_of
from jupyter_ext.cell_notes import advice_on, left_alone, uncompared
from jupyter_ext.cells import Cell
from jupyter_ext.first_build import reported
from jupyter_ext.judged_before import is_accepted, kind_of_arrays, waiting
from jupyter_ext.options import LaunchOptions, chosen_kernel, evaluated, only_kernel_for, pairs_of, shapes_of, values_of
from jupyter_ext.runs import CellRun
from jupyter_ext.workshop import CellQuestions, Workshop

__all__ = ["CellOpener", "CellRefused", "MagicLine", "OpenedCell"]

_MOST_CAPTURED = 4
"""Recordings of captured cells that are kept: each may take 1 GiB of the disk."""
_ALL = (Verb.CHECK, Verb.PROFILE, Verb.OPTIMIZE)
_STOPS = {"bind": (), "check": _ALL[:1], "profile": _ALL[:2], "propose": _ALL}
"""What ``--until`` names → the questions up to it."""


class CellRefused(UsageError):  # noqa: N818 - a fact, named as the code reads
    """The compiler refused the cell; the message holds its errors."""


class MagicLine(Record):
    """The magic's line, read."""

    kernel: str | None = None
    args: str | None = None
    grid: str | None = None
    block: str | None = None
    shared: str | None = None
    shapes: str | None = None
    ref: str | None = None
    ref_time_s: float = ReferenceLimits().total_s
    planner: str | None = None
    may_edit_host_code: bool = False
    """No question can be asked while a search goes on."""
    allow: str = "none"
    """Decisions that are put off to the end of the search, as ``--allow`` of the command line."""
    device: str | None = None
    target: str | None = None
    region: str | None = None
    """What speeds are of, in a cell with ``main()``: all that it does on the GPU (``main``), or the calls of a function of the host."""
    cflags: str | None = None
    file: str | None = None
    """The text is kept in this file too, which the terminal and editors can go on with."""
    until: str = "propose"
    """``bind``, ``check``, ``profile`` or ``propose``."""


class _Compiled(Record):
    """A source when it last compiled."""

    run: CellRun
    text: str
    arrays: tuple[object, ...]
    """What it was bound to (``kind_of_arrays``)."""
    before: _Compiled | None
    """The text before it that was not found wrong."""


class OpenedCell(Record):
    """What a cell left when it returned."""

    run: CellRun
    callables: Mapping[str, BoundKernel]
    notes: tuple[str, ...]
    """For people: what compilers remarked, what was left out."""
    has_main: bool
    compiled: CompiledText


class CellOpener:
    """Opens the cells of a notebook."""

    def __init__(self, workshop: Workshop, namespace: Mapping[str, object], kernel_of: KernelOfCell | None = None) -> None:
        """``kernel_of``: makes the kernels of cells (`callables_of`)."""
        self._workshop = workshop
        self._kernel_of = kernel_of
        self._namespace = namespace
        self._last: dict[tuple[str, str | None], _Compiled] = {}
        """By source and kernel that arrays are for: one kernel says nothing of another."""
        self._written: dict[Path, str] = {}
        self._captured: list[CellCapture] = []

    def recorded(self, captured: CellCapture) -> None:
        """Launches that cells of their kernels are bound to from now on, unless they bind arrays."""
        self._captured.append(captured)
        for old in self._captured[:-_MOST_CAPTURED]:
            shutil.rmtree(old.folder, ignore_errors=True)
        del self._captured[:-_MOST_CAPTURED]

    def open(self, cell: Cell, asked: MagicLine) -> OpenedCell:
        """Raises UsageError for whatever the person can fix, CellRefused for what the compiler refuses."""
        parsed = parse(Source(cell.path, cell.text))
        if not parsed.kernels and parsed.has_main and cell.embedded.kind is EmbeddingKind.KERNELOPT_MAGIC:
            raise UsageError(
                "the cell has main() and no kernel (__global__ function)", "put its kernels into the cell, or run it with %%cu"
            )
        is_named = asked.kernel is not None
        if not is_named and asked.args is not None and len(parsed.kernels) > 1:
            only = only_kernel_for(parsed.kernels, pairs_of(asked.args, "--args"))
            asked = asked if only is None else replace(asked, kernel=only.qualified_name)
        selected = select_kernels(parsed, asked.kernel) if asked.kernel else ()
        kernel = chosen_kernel(parsed.kernels, selected, asked.kernel)
        signatures = _signatures(parsed, kernel, asked.kernel)
        wanted = _wanted(asked, kernel)
        if asked.region is not None:
            self._check_region(cell, wanted, asked.region, parsed.has_main)
        compiled = self._compiled(cell, wanted, signatures)
        if asked.file is not None:
            self._write(cell)
        launching = LaunchOptions(asked.grid, asked.block, asked.shared, self._namespace)
        runner_of = self._runners(cell, compiled, asked)
        bound = self._bound(parsed, kernel, signatures, launching, asked)
        live, notes = self._live(cell, kernel, bound, asked)
        if not bound:
            live, notes = self._recorded_launches(parsed, kernel, asked)
        wanted = replace(wanted, folder=_folder_of(live), is_recorded=live is not None and not bound)
        is_declared = bool(find_blocks(cell.text)) or sidecar_path(cell.path).is_file()
        can_run = live is not None or parsed.has_main or is_declared
        arrays = kind_of_arrays(bound, asked.ref)
        wanted = self._with_questions(cell, wanted, asked, can_run, arrays)
        open_one = self._waiting(cell, wanted, asked)
        if open_one is not None:
            wanted = replace(wanted, verbs=tuple(verb for verb in wanted.verbs if verb is not Verb.OPTIMIZE))
            notes = (
                *notes,
                f"{self._workshop.for_people(open_one.id)} waits for your decision on this very text: no other is looked for until then",
            )
        untold = uncompared(kernel, signatures, cell.text) if bound else ""
        if untold and Verb.OPTIMIZE in wanted.verbs:
            wanted = replace(wanted, verbs=tuple(verb for verb in wanted.verbs if verb not in (Verb.JUDGE, Verb.OPTIMIZE)))
            notes = (*notes, untold)
        run = self._workshop.open(cell, live, wanted)
        self._last[cell.key, wanted.kernel] = _Compiled(run, cell.text, arrays, self._last_right(cell, wanted.kernel))
        defaults = {kernel.name: bound[0].bound} if bound and kernel is not None else {}
        how = (wanted.cflags, asked.device, asked.target)
        callables = callables_of(BoundCell(cell, parsed, signatures, runner_of, launching.config, defaults, *how), self._kernel_of)
        same = (name for name in callables if hasattr(builtins, name))
        hidden = tuple(f"{name} is the kernel from now on; Python's own is builtins.{name}" for name in same)
        advice = advice_on(can_run or bool(bound), kernel, parsed, signatures)
        lost = dict.fromkeys(said for one in parsed.kernels if one.name in signatures and (said := lost_variables(parsed, one)))
        messages = (
            *compiled.messages(),
            *hidden,
            *notes,
            *advice,
            *lost,
            *left_alone(None if is_named or not bound else kernel, signatures),
        )
        return OpenedCell(run, callables, messages, parsed.has_main, compiled)

    def _waiting(self, cell: Cell, wanted: CellQuestions, asked: MagicLine) -> Proposal | None:
        """The newest open proposal on the cell's text as it stands; none where the line asks for a search of another kind."""
        if Verb.OPTIMIZE not in wanted.verbs or asked.planner is not None or asked.region is not None or asked.allow != MagicLine.allow:
            return None
        return self._workshop.loop.call(waiting, self._workshop.store, cell)

    def _runners(self, cell: Cell, compiled: CompiledText, asked: MagicLine) -> Callable[[Bound], Runner]:
        """Arrays of a GPU are worked on there, unless the line says otherwise; all others in the emulator."""
        emulated = EmulatorRunner(self._workshop.loop, self._workshop.lab, compiled, str(cell.path), cell.line_of)
        on_gpu = OnGpu(self._workshop.loop, self._workshop.lab.compiler, compiled, self._workshop.modules)
        return lambda bound: emulated if bound.device == "cpu" or asked.device == "cpu" else on_gpu

    def _check_region(self, cell: Cell, wanted: CellQuestions, region: str, has_main: bool) -> None:
        """Raises UsageError for a part of a program that the cell does not have."""
        if not has_main:
            raise UsageError("--region asks for a part of a program, and the cell has no main()", "leave it out")
        request = replace(self._workshop.request(cell, wanted), region=region)
        check_region(request, flags_of(request, load_settings(find_workspace(cell.path))))

    def _write(self, cell: Cell) -> None:
        """The cell's text into its file. Raises UsageError where somebody else changed that meanwhile, and where it cannot be written."""
        text = cell.text if cell.text.endswith("\n") else f"{cell.text}\n"
        try:
            if cell.path.exists() and cell.path.read_text("utf-8", "replace") not in (text, self._written.get(cell.path, text)):
                remedy = f"take its text into the cell (%load {cell.path.name}), or remove the file"
                raise UsageError(f"{cell.path.name} holds another text than this cell last wrote", remedy)
            cell.path.write_text(text, "utf-8")
        except OSError as error:
            raise UsageError(f"--file {cell.path}: {error.strerror}", "name a file in a folder that can be written to") from error
        self._written[cell.path] = text

    def _compiled(self, cell: Cell, wanted: CellQuestions, signatures: Mapping[str, Signature]) -> CompiledText:
        symbols = tuple(sorted(signature.symbol for signature in signatures.values()))
        work = compile_text(self._workshop.lab, self._workshop.request(cell, wanted), symbols)
        with reported(self._workshop.lab.cache):
            compiled = self._workshop.loop.wait(work)
        if compiled.is_refused:
            raise CellRefused("the compiler refuses the cell:\n" + "\n".join(compiled.messages()), "fix the lines above and run it again")
        return compiled

    def _bound(
        self, parsed: ParsedSource, kernel: Kernel | None, signatures: Mapping[str, Signature], launching: LaunchOptions, asked: MagicLine
    ) -> list[ShapeBinding]:
        """The arrays of every shape; none where the line binds none."""
        is_callable_alone = asked.args is None and asked.until == "bind" and asked.ref is None and asked.shapes is None
        if is_callable_alone and kernel is not None and not self._knows_arguments(signatures[kernel.name]):
            return []  # each call says its arguments
        if asked.args is None and not launching.is_given:
            if asked.ref is not None or asked.shapes is not None:
                raise UsageError("--ref and --shapes need arrays to work on", "add --args x=x,… --grid … --block …")
            return []
        if parsed.has_main:
            raise UsageError("the cell has main(): it runs as a program", "leave out --args, --grid and --block, or take main() out")
        given = {} if asked.args is None else pairs_of(asked.args, "--args")
        if kernel is None:
            names, meant = ", ".join(kernel.name for kernel in parsed.kernels), _meant(parsed.kernels, signatures, given)
            raise UsageError(f"arrays are bound to one kernel, and the cell has {names}", f"name it: %%kernelopt {meant} …")
        signature = signatures[kernel.name]
        shapes: Sequence[Mapping[str, object]] = ({},) if asked.shapes is None else shapes_of(asked.shapes)
        text = parsed.source.text
        variables = variables_of(text).known
        bindings: list[ShapeBinding] = []
        for shape in shapes:
            values = values_of(signature.parameters, given, self._namespace, shape)
            bound = bind(signature, values, text_facts(parsed, kernel))
            bindings.append(ShapeBinding(bound, launching.config({**shape, **values}, {}), variables, zero_floats(bound, text, kernel)))
        return bindings

    def _knows_arguments(self, signature: Signature) -> bool:
        return any(python_name(parameter.name) in self._namespace for parameter in signature.parameters)

    def _live(
        self, cell: Cell, kernel: Kernel | None, bound: Sequence[ShapeBinding], asked: MagicLine
    ) -> tuple[LiveWorkload | None, tuple[str, ...]]:
        """The arrays, copied for the workers, and what the reference says of them."""
        if not bound or kernel is None or asked.until == "bind":
            return None, ()
        largest = max(shape.bound.size_bytes for shape in bound)
        limit = load_settings(find_workspace(cell.path)).settings.limits.launch_bytes or DEFAULT_LAUNCH_BYTES
        if largest > limit:
            message = f"not verified: the arrays hold {largest >> 20} MiB, a launch may have {limit >> 20} MiB"
            return None, (f"{message}; give --shapes with smaller ones, or raise limits.launch_bytes in kernelopt.toml",)
        reference = None if asked.ref is None else self._reference(asked.ref, maybe_written(cell.text, kernel))
        folder = shared_folder(sum(shape.bound.size_bytes for shape in bound))
        try:
            made = live_workload(folder, bound, str(cell.path), reference, ReferenceLimits(asked.ref_time_s), self._workshop.shared.names)
        except BaseException:  # the reference is the user's, and so is an interrupt
            shutil.rmtree(folder, ignore_errors=True)
            raise
        reason = self._workshop.shared.note()
        copied = () if reason is None else (f"arrays on {bound[0].bound.device} were copied by this process for the checks: {reason}",)
        zeros = zeros_note([shape.bound for shape in bound], cell.text, kernel, made.drawn)
        return replace(made.workload, text=cell.text), (*zeros, *made.notes, *copied)

    def _recorded_launches(
        self, parsed: ParsedSource, kernel: Kernel | None, asked: MagicLine
    ) -> tuple[LiveWorkload | None, tuple[str, ...]]:
        """What a captured cell launched of the kernel, newest first. Raises UsageError where it does not fit the text."""
        if kernel is None or parsed.has_main or asked.until == "bind" or find_blocks(parsed.source.text):
            return None, ()
        captured = next((item for item in reversed(self._captured) if item.instances_of(parsed, kernel)), None)
        if captured is None:
            return None, ()
        folder = shared_folder(sum(path.stat().st_size for path in (captured.folder / "blobs").iterdir()))
        try:
            made = workload_of(folder, captured, parsed, kernel)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shapes = "; ".join(case.shape for case in made.workload.cases)
        return made.workload, (f"{kernel.name} is judged on the launches that were recorded on {captured.device}: {shapes}",)

    def _reference(self, text: str, written: frozenset[str]) -> Reference:
        function = evaluated(text, "--ref", self._namespace, {})
        if not callable(function):
            raise UsageError(f"--ref {text}: expected a function, got {type(function).__name__}", "name a function of the notebook")
        return Reference(text, function, written)

    def _last_right(self, cell: Cell, kernel: str | None) -> _Compiled | None:
        """The last text that was not found wrong: who repairs a kernel wants other results."""
        last = self._last.get((cell.key, kernel))
        return last.before if last is not None and last.run.state.is_found_wrong else last

    def _with_questions(
        self, cell: Cell, wanted: CellQuestions, asked: MagicLine, can_run: bool, arrays: tuple[object, ...]
    ) -> CellQuestions:
        """The questions that the cell's text can answer, the comparison with its earlier text among them."""
        if asked.until not in _STOPS:
            raise UsageError(f"--until {asked.until}: expected {', '.join(_STOPS)}")
        verbs = _STOPS[asked.until] if can_run else ()
        last = self._last_right(cell, wanted.kernel)
        before = None if last is None else last.text
        if before is not None and wanted.is_recorded and not _has_same_variables(before, cell.text):
            before = None  # the recording has the variables of this text alone
        if before is not None and (launch_in(before) is None) is not (launch_in(cell.text) is None):
            before = None  # how it would be launched on these arrays is not known
        is_paired = bool(verbs) and bool(self._workshop.loop.call(self._workshop.pairs.open_on, cell.path))
        if is_paired:
            verbs = (*verbs[:2], Verb.PAIR_EDIT)  # the session says what comes next
        elif last is not None and before is not None and before != cell.text and len(verbs) > 1:
            is_judged = arrays == last.arrays and self._workshop.loop.call(is_accepted, self._workshop.store, cell, before)
            if not is_judged:  # what was accepted was, on arrays of these kinds
                verbs = (*verbs[:2], Verb.JUDGE, *verbs[2:])
        return replace(wanted, verbs=verbs, before=before)


def _signatures(parsed: ParsedSource, kernel: Kernel | None, selector: str | None) -> dict[str, Signature]:
    """The instance of each kernel that can be called, by its name; templates only where the line says which instance."""
    found: dict[str, Signature] = {}
    aliases = type_aliases(parsed.source.text)
    for item in parsed.kernels:
        is_named = selector is not None and kernel is not None and item.key == kernel.key
        if item.template_parameters and not is_named and any(parameter.default is None for parameter in item.template_parameters):
            continue
        plain = spelled_out(item, aliases)
        found[item.name] = signature_of(plain, selector if is_named and selector is not None else item.qualified_name)
    if not parsed.kernels and not parsed.has_main:
        raise UsageError("the cell holds no __global__ function", "put the kernel below the magic's line")
    if kernel is not None and kernel.name not in found:
        names = ", ".join(parameter.name for parameter in kernel.template_parameters)
        raise CannotAnswerError(f"{kernel.name} is a template over {names}", f"name the instance: %%kernelopt {kernel.name}<…>")
    return found


def _has_same_variables(text: str, other: str) -> bool:
    return device_variable_types(text).keys() == device_variable_types(other).keys()


def _wanted(asked: MagicLine, kernel: Kernel | None) -> CellQuestions:
    allowed = AllowOption.read(asked.allow)
    may_edit_host_code = asked.may_edit_host_code or allowed.is_host_code
    return CellQuestions(
        kernel=None if asked.kernel is None or kernel is None else kernel.key,
        verbs=(),
        options=OptimizeOptions(planner=asked.planner, may_edit_host_code=may_edit_host_code, allowed=allowed.decisions),
        device=asked.device,
        target=asked.target,
        region=asked.region,
        cflags=None if asked.cflags is None else tuple(asked.cflags.split()),
    )


def _folder_of(live: LiveWorkload | None) -> Path | None:
    return None if live is None else live.cases[0].recording.parent


def _meant(kernels: Sequence[Kernel], signatures: Mapping[str, Signature], given: Mapping[str, str]) -> str:
    """The kernel that has most of the given arguments; of several the first."""

    def taken_count(kernel: Kernel) -> int:
        return sum(parameter.name in given for parameter in signatures[kernel.name].parameters) if kernel.name in signatures else -1

    return max(kernels, key=taken_count).name
