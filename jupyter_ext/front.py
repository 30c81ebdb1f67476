"""The notebook in front of the kernel, as far as it can be asked: which cell runs, replacing one, a new one below, showing things."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

import IPython.core.getipython
import IPython.display
from IPython.core.interactiveshell import InteractiveShell

from jupyter_ext.cells import CellEdit, Comm, NewCell, Replacement, insert_cell, replace_cell
from jupyter_ext.comms import heard_at_once

__all__ = ["NotebookFront", "Output", "is_terminal", "show"]


class Output(Protocol):
    """Something shown below a cell, which can be brought up to date from any thread."""

    def update(self, bundle: Mapping[str, Any], *, raw: bool) -> None: ...


class Unshown:
    """An output of a process that has no front end, where nothing shown can be renewed."""

    def update(self, bundle: Mapping[str, Any], *, raw: bool) -> None:
        pass


def show(bundle: Mapping[str, Any]) -> Output:
    """Display one thing in several forms, by MIME type, below the cell that runs."""
    return cast("Any", IPython.display).display(dict(bundle), raw=True, display_id=True) or Unshown()


def is_terminal() -> bool:
    """Whether IPython runs in a terminal, not as the kernel of a notebook."""
    shell = cast("Any", IPython.core.getipython).get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is None


class NotebookFront:
    """Implements ``reviewing.CellFront`` for one IPython shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell: Any = shell
        """IPython's own annotations leave its members' types open."""

    @property
    def namespace(self) -> dict[str, object]:
        """The user's variables."""
        return self._shell.user_ns

    def define(self, names: Mapping[str, object]) -> None:
        """Put variables into the user's namespace."""
        self._shell.push(dict(names))

    def running_code(self, fallback: str) -> str:
        """The whole text of the cell that runs; ``fallback`` where that is not known."""
        code = self._parent().get("content", {}).get("code")
        return code if isinstance(code, str) and code.lstrip().startswith("%%") else fallback

    def running_cell_id(self) -> str | None:
        """As JupyterLab and VS Code give it; None elsewhere."""
        cell_id = self._parent().get("metadata", {}).get("cellId")
        return cell_id if isinstance(cell_id, str) and cell_id else None

    @property
    def is_watched(self) -> bool:
        """Whether somebody may be there to look on: what executes a notebook by itself, as nbclient does, lets no cell ask for input."""
        return self._parent().get("content", {}).get("allow_stdin") is not False

    def earlier_cells(self) -> list[str]:
        """The texts of cells that were run before this one, newest first."""
        return [str(text) for text in reversed(self._shell.history_manager.input_hist_raw[:-1])]

    def run_python(self, code: str) -> bool:
        """Run Python as a cell of its own; whether it came to its end. What it raises is shown as always."""
        return bool(self._shell.run_cell(code, store_history=False).success)

    def replace(self, edit: CellEdit, on_later: Callable[[bool], None]) -> Replacement:
        if _is_main_thread() and not self._hears_while_running:
            return Replacement(False, "", "this kernel hears no answer while a cell runs (ipykernel 7 does)")
        return replace_cell(edit, _open_comm, on_later)

    def insert_below(self, cell_id: str, code: str) -> Replacement:
        """A new cell below a certain one, from another thread than the main one; blocks as ``replace`` does."""
        return insert_cell(NewCell(cell_id, code), _open_comm)

    def insert(self, code: str) -> bool:
        if not _is_main_thread():
            return False
        self._shell.set_next_input(code, replace=False)
        return True

    def replace_running(self, code: str) -> None:
        """Replace the cell that runs, and no other."""
        self._shell.set_next_input(code, replace=True)

    @property
    def _hears_while_running(self) -> bool:
        """Whether messages of a page are read on a thread of their own (JEP 91, ``_supports_kernel_subshells`` of ipykernel 7)."""
        return bool(getattr(getattr(self._shell, "kernel", None), "_supports_kernel_subshells", False))

    def _parent(self) -> Mapping[str, Any]:
        """The message that started what runs; empty outside of Jupyter."""
        get = getattr(self._shell, "get_parent", None)
        return {} if get is None else cast("Mapping[str, Any]", get() or {})


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _open_comm(target: str, data: dict[str, Any]) -> Comm:
    from comm import create_comm  # comes with ipykernel

    comm = create_comm(target_name=target, data=data)
    heard_at_once(comm)
    return cast("Comm", comm)
