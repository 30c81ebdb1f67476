"""``%%kernelopt``: compile a CUDA cell, bind it as a callable, have it verified, profiled and improved behind the notebook's back.

The cell returns when the kernel is compiled and its arrays are copied; what goes on then is `workshop`'s, what it shows `panel`'s.
With ``--capture`` the cell is Python, and what it launches is recorded (`capturing`); with ``--op`` it holds a PyTorch task or a
candidate for one (`operator_cells`).
``%kernelopt`` is the line magic that goes with it (`commands`), ``%%cu`` and ``%%cuda`` are the same for cells that other extensions began.
"""

# pyright: reportUntypedFunctionDecorator=false
# IPython's decorators carry no types; what they decorate is called by IPython alone.

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from IPython.core.error import UsageError as MisusedMagic
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import MagicArgumentParser, argument, magic_arguments

from assistant.engine import OperatorOptions
from assistant.errors import KernelOptError, UsageError
from assistant.live.callables import KernelOfCell
from assistant.live.workload import ReferenceLimits
from assistant.ports.lab import LabFailure
from jupyter_ext.capturing import CellRecorder, captured_option
from jupyter_ext.cells import cell_of, notebook_path
from jupyter_ext.commands import VERBS, Answer, CommandOptions, Commands, raise_for, wait_for
from jupyter_ext.editor import EditorCells
from jupyter_ext.foreign import foreign_options
from jupyter_ext.front import NotebookFront
from jupyter_ext.lineage import Lineages
from jupyter_ext.opening import CellOpener, MagicLine, OpenedCell
from jupyter_ext.operator_cells import OperatorCell, OperatorCells
from jupyter_ext.operator_panel import show_operator
from jupyter_ext.options import unquoted, without_accept
from jupyter_ext.panel import show_panel
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.runs import Run
from jupyter_ext.workshop import Workshop

__all__ = ["CellError", "KernelOptMagics"]

T = TypeVar("T")
_UNKNOWN_WORDS = "unrecognized arguments: "
"""How argparse begins what it says of them."""
_LAST = "propose"
"""How far a cell goes that does not say it."""
_QUOTED = 'put a value with blanks in quotes (--grid "(n + 255) // 256"), and a comment on a line below'


class CellError(Exception):
    """What went wrong, for a person: shown without a traceback, as none of it is about Python."""

    def __init__(self, error: KernelOptError, for_people: Callable[[str], str] = str) -> None:
        """``for_people``: a text with short ids of proposals in place of long ones."""
        self._message, self._remedy = for_people(error.message), for_people(error.remedy or "")
        super().__init__(self._message)

    def _render_traceback_(self) -> list[str]:
        """As IPython shows it."""
        return [f"kernelopt: {self._message}", *([f"→ {self._remedy}"] if self._remedy else [])]


@magics_class
class KernelOptMagics(Magics):
    """The magics of a shell; what they work with is made when the first of them needs it."""

    def __init__(self, shell: InteractiveShell, kernel_of: KernelOfCell | None = None) -> None:
        """``kernel_of``: makes the kernels of cells (`callables_of`)."""
        super().__init__(shell)
        self._kernel_of = kernel_of
        self._front = NotebookFront(shell)
        self._parts: _Parts | None = None

    @magic_arguments("%kernelopt")
    @argument("kernel", nargs="?", help="which kernel of the cell the arrays are for: k, ns::k or an instance such as k<32>")
    @argument("--args", help="arguments by parameter, name=expression,…; variables of the same name need not be given")
    @argument("--grid", help="blocks: a number or a tuple, an expression of the arguments such as (n+255)//256")
    @argument("--block", help="threads of a block: a number or a tuple")
    @argument("--shared", help="bytes of dynamic shared memory (default: 0)")
    @argument("--shapes", help="sets of variables that --args and --grid are worked out for: 'n=1000;n=4096'")
    @argument("--ref", help="a function that computes the right result; called with the arguments that it has parameters for")
    @argument("--ref-time", type=float, default=ReferenceLimits().total_s, help="seconds that calls of --ref may take (default: 10)")
    @argument("--planner", choices=("auto", "expert", "llm", "agent"), help="who proposes edits (default: as configured)")
    @argument("--allow-host-code", action="store_true", help="proposals may edit host code, such as the launches of a main()")
    @argument("--allow", default="none", help="decisions that are put off to the end of a search: precision,alignment,… (default: none)")
    @argument("--device", help="auto, cpu or gpu:N (default: as configured)")
    @argument("--target", help="the GPU that predictions are for (default: as configured)")
    @argument("--region", help="of a cell with main(): speed of calls of this host function, or main: of all done on the GPU")
    @argument("--cflags", help="compiler flags, in quotes")
    @argument("--file", help="keep the text in this .cu file too, for the terminal and editors to go on with")
    @argument(
        "--until", choices=("bind", "check", "profile", "propose"), help="how far to go (default: propose; of a PyTorch task profile)"
    )
    @argument("--wait", action="store_true", help="block until all of it is done; an interrupt cancels it")
    @argument("--raise", dest="raises", action="store_true", help="as --wait, and raise unless every question was answered with yes")
    @argument("--timeout", type=float, help="seconds that --wait and --raise wait at most")
    @argument("--capture", action="store_true", help="the cell is Python: run it, and record the launches that it makes on a GPU")
    @argument("--op", metavar="CLASS", help="the cell holds a PyTorch task with this reference class, or a candidate for it")
    @argument("--backward", action="store_true", help="with --op: gradients are compared, too")
    @argument("--only-custom", action="store_true", help="with --op: FAIL where PyTorch computes for the candidate")
    @argument("--accept", metavar="ID", help="put an accepted proposal into this very cell, instead of running it")
    @cell_magic("kernelopt")
    def cell(self, line: str, cell: str) -> None:
        """Compile a CUDA cell and bind its kernels as callables; verify, profile and improve them in the background."""
        given, code = _parsed(KernelOptMagics.cell, line), f"%%kernelopt {line}\n{cell}"
        if given.op is not None:
            self._guarded(lambda: self._run_operator(given, cell))
        elif given.capture:
            self._guarded(lambda: self._run_captured(given, code, cell))
        else:
            self._guarded(lambda: self._run_cell(given, code))

    @magic_arguments("kernelopt")
    @argument("verb", nargs="?", default="status", help=f"one of {', '.join(VERBS)}")
    @argument("words", nargs="*", help="a run's number, a proposal's id and a reason, or a message to a pair session")
    @argument("--timeout", type=float, help="of wait: seconds")
    @argument("--hunk", action="append", default=[], help="of accept: only this hunk, by its id; may be repeated")
    @argument("--reason", help="of reject: a reason code")
    @line_magic("kernelopt")
    def line(self, line: str) -> Answer:
        """What goes on behind the cells, what is proposed, and decisions on it; shown, and returned as a value."""
        given = _parsed(KernelOptMagics.line, line)
        options = CommandOptions(given.timeout, tuple(given.hunk), given.reason, self._front.is_watched)
        words = tuple(unquoted(word) or "" for word in given.words)
        return self._guarded(lambda: self._ready().commands.run(given.verb, words, options))

    def foreign_cell(self, line: str, cell: str) -> None:
        """A ``%%cu`` or ``%%cuda`` cell, as nvcc4jupyter has them: its program runs, its kernels become callables."""

        def run() -> None:
            options = foreign_options(line)
            given = _parsed(KernelOptMagics.cell, "")
            given.cflags = options.cflags
            for note in options.notes:
                sys.stdout.write(f"{note}\n")
            self._run_cell(given, f"%%cu {line}\n{cell}", runs_program=True)

        self._guarded(run)

    @staticmethod
    def completions(line: str) -> list[str]:
        """What may follow on a line that begins with one of the magics."""
        is_cell = line.lstrip().startswith("%%")
        magic = KernelOptMagics.cell if is_cell else KernelOptMagics.line
        options = [word for word in _parser_of(magic).format_usage().replace("[", " ").replace("]", " ").split() if word.startswith("--")]
        return options if is_cell else [*VERBS, *options]

    def close(self) -> None:
        """End everything that goes on."""
        parts, self._parts = self._parts, None
        if parts is not None:
            parts.workshop.close()

    def _run_cell(self, given: Namespace, fallback: str, runs_program: bool = False) -> None:
        parts = self._ready()
        code = self._front.running_code(fallback)
        file = None if given.file is None else Path(unquoted(given.file) or "").absolute()
        notebook, cell_id = notebook_path(self._front.namespace), self._front.running_cell_id()
        cell = cell_of(code, notebook, cell_id, file)
        if file is None:
            cell = parts.lineages.placed(cell, notebook)
        if given.accept:
            self._front.replace_running(without_accept(parts.reviewing.accepted_here(cell, given.accept)))
            return
        opened = parts.opening.open(cell, _asked(given))
        self._front.define(opened.callables)
        if runs_program and opened.has_main:
            self._run_program(opened)
        self._go_on(opened, given)

    def _run_captured(self, given: Namespace, fallback: str, body: str) -> None:
        parts, asked = self._ready(), _asked(given)
        unfit = captured_option(asked, given.accept)
        if unfit is not None:
            raise UsageError(f"{unfit} and --capture do not go together", "a recorded launch has its own arguments, grid and block")
        code = self._front.running_code(fallback)
        recorded = parts.capturing.record(code, lambda: self._front.run_python(body))
        parts.opening.recorded(recorded.captured)
        for line in recorded.messages:
            sys.stdout.write(f"{line}\n")
        if asked.until == "bind":
            return
        notebook = notebook_path(self._front.namespace)
        subject = parts.capturing.subject(recorded, asked.kernel, code, notebook, self._front.running_cell_id())
        if isinstance(subject, str):
            sys.stdout.write(f"{subject}\n")
        elif subject is not None:
            cell = parts.lineages.placed(subject.cell, notebook)
            self._go_on(parts.opening.open(cell, replace(asked, kernel=subject.selector)), given)

    def _run_operator(self, given: Namespace, body: str) -> None:
        """A cell with a PyTorch task or a candidate."""
        unfit = "--capture" if given.capture else captured_option(_asked(given), given.accept)
        if unfit is not None:
            raise UsageError(f"{unfit} and --op do not go together", "an operator is judged on what get_inputs() draws")
        options = OperatorOptions(unquoted(given.op), given.only_custom, given.backward)
        notebook, cell_id = notebook_path(self._front.namespace), self._front.running_cell_id()
        parts = self._ready()
        run = parts.operators.open(OperatorCell(body, notebook, options, cell_id, is_optimized=given.until == "propose"))
        if run is not None:
            show_operator(run, parts.workshop, self._front.insert_below)
            self._wait_as_asked(run, given)

    def _go_on(self, opened: OpenedCell, given: Namespace) -> None:
        """Show what goes on behind the cell."""
        parts = self._ready()
        for note in opened.notes:
            sys.stdout.write(f"{note}\n")
        if opened.run.verbs:
            show_panel(opened.run, parts.workshop, parts.reviewing)
        self._wait_as_asked(opened.run, given)

    def _wait_as_asked(self, run: Run, given: Namespace) -> None:
        """Returns at once unless the line says otherwise, or nobody is there to look on."""
        workshop, is_watched = self._ready().workshop, self._front.is_watched
        if given.wait or given.raises or not is_watched:
            wait_for(workshop, run, given.timeout, is_watched)
        if given.raises:
            raise_for(workshop, run)

    def _run_program(self, opened: OpenedCell) -> None:
        """What the cell's ``main()`` prints."""
        workshop, compiled = self._ready().workshop, opened.compiled
        ran = workshop.loop.wait(workshop.lab.run(compiled.program, "plain", compiled.limits, record=False))
        if isinstance(ran, LabFailure):
            sys.stdout.write(f"{ran.message}\n")
            return
        sys.stdout.write(ran.stdout.decode("utf-8", "replace"))
        sys.stderr.write(ran.stderr.decode("utf-8", "replace"))

    def _ready(self) -> _Parts:
        if self._parts is None:
            self._parts = _Parts(self._front, self._kernel_of)
        return self._parts

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except KernelOptError as error:
            raise CellError(error, str if self._parts is None else self._parts.workshop.for_people) from None


class _Parts:
    """What the magics of a shell work with."""

    def __init__(self, front: NotebookFront, kernel_of: KernelOfCell | None) -> None:
        self.workshop = Workshop()
        self.lineages = Lineages(self.workshop.remembered)
        self.reviewing = ProposalReviewer(self.workshop, front, EditorCells(self.workshop, front.namespace))
        self.opening = CellOpener(self.workshop, front.namespace, kernel_of)
        self.commands = Commands(self.workshop, self.reviewing, front.insert)
        self.capturing = CellRecorder(self.workshop, front)
        self.operators = OperatorCells(self.workshop.open_operator, front)


def _parser_of(magic: object) -> MagicArgumentParser:
    """What ``magic_arguments`` leaves at a magic, of which its annotations say nothing."""
    return cast("MagicArgumentParser", getattr(magic, "parser"))  # noqa: B009


def _parsed(magic: object, line: str) -> Namespace:
    """Raises CellError for a quotation that is not closed and for words that mean nothing, and IPython's own error for the rest."""
    try:
        return cast("Namespace", cast("Any", _parser_of(magic)).parse_argstring(line))
    except ValueError as error:
        raise CellError(UsageError(f"the magic's line cannot be read: {error}", "close the quotation")) from None
    except MisusedMagic as error:
        if not str(error).startswith(_UNKNOWN_WORDS) or str(error).startswith(f"{_UNKNOWN_WORDS}--"):
            raise
        raise CellError(UsageError(f"the magic's line cannot be read: {error}", _QUOTED)) from None


def _asked(given: Namespace) -> MagicLine:
    """Raises UsageError for a time in which no reference can be called."""
    if given.ref_time <= 0:
        raise UsageError(f"--ref-time {given.ref_time:g}: expected seconds above 0", "leave it out for 10")
    return MagicLine(
        kernel=unquoted(given.kernel),
        args=unquoted(given.args),
        grid=unquoted(given.grid),
        block=unquoted(given.block),
        shared=unquoted(given.shared),
        shapes=unquoted(given.shapes),
        ref=unquoted(given.ref),
        ref_time_s=given.ref_time,
        planner=given.planner,
        may_edit_host_code=given.allow_host_code,
        allow=unquoted(given.allow) or "none",
        device=given.device,
        target=given.target,
        region=given.region,
        cflags=unquoted(given.cflags),
        file=given.file,
        until=given.until or _LAST,
    )
