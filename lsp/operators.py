"""PyTorch tasks and candidates in Python documents: their lenses, actions, hovers and diagnostics.

A document is one where its text says so (`assistant.operators.outline`); nothing of it is imported. CUDA texts in it are sources of
their own beside that. Example::

    put_task(units, backend, document_unit, Trigger.OPENED)
    task_lenses(units, backend, uri)     # "Profile" and "Optimize" over class Model
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from assistant.editor.lens_row import LensAction
from assistant.editor.operator_view import OperatorView, notes_of, operator_hover, operator_page, operator_row
from assistant.editor.staging import Trigger
from assistant.editor.view import Note
from assistant.errors import UsageError
from assistant.operators.outline import NOTHING, OperatorClass, outline_of
from lsp.backend import Backend
from lsp.units import Unit, Units

__all__ = ["op_arguments", "put_task", "remove_task", "task_actions", "task_hover", "task_lenses", "task_notes", "task_page"]

COMMANDS = {
    LensAction.EXPLAIN: "kernelopt.kernel.explain",
    LensAction.CHECK: "kernelopt.check",
    LensAction.PROFILE: "kernelopt.profile",
    LensAction.OPTIMIZE: "kernelopt.optimize",
    LensAction.CONSENT: "kernelopt.consent.ask",
}
_TITLES = {LensAction.CHECK: "check", LensAction.PROFILE: "profile", LensAction.OPTIMIZE: "optimize"}


def put_task(units: Units, backend: Backend, unit: Unit, trigger: Trigger) -> None:
    """A Python document was opened, typed in or saved; ``unit``: the whole of it."""
    known = units.task(unit.uri)
    if known is None and outline_of(unit.path, unit.text) in (None, NOTHING):
        return
    backend.operators.put(unit.key, unit.path, unit.text, is_typed=trigger is Trigger.TYPED)
    units.replace_task(unit.uri, unit if backend.operators.is_open(unit.key) else None)


def remove_task(units: Units, backend: Backend, uri: str) -> None:
    """The document was closed."""
    if units.task(uri) is not None:
        units.replace_task(uri, None)
        backend.operators.remove(uri)


def task_lenses(units: Units, backend: Backend, uri: str) -> Iterator[types.CodeLens]:
    for unit, view, shown in _classes(units, backend, uri):
        for lens in operator_row(view, shown):
            command = types.Command(lens.title, COMMANDS[lens.action], lens.tooltip or None, [op_arguments(unit, shown)])
            yield types.CodeLens(unit.line_range(shown.line), command)


def task_actions(units: Units, backend: Backend, uri: str, place: types.Range) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(title, command, its arguments) of what can be done with the classes in a range."""
    for unit, view, shown in _classes(units, backend, uri):
        lines = unit.lines_in(place)
        if lines is None or shown.line > lines[1] or shown.last_line < lines[0]:
            continue
        for action in _offered(view, shown):
            yield f"kernelopt: {_TITLES[action]} {shown.name}", COMMANDS[action], op_arguments(unit, shown)
        if operator_hover(view, shown):
            yield f"kernelopt: everything known of {shown.name}", COMMANDS[LensAction.EXPLAIN], op_arguments(unit, shown)


def task_hover(units: Units, backend: Backend, uri: str, position: types.Position) -> tuple[Unit, OperatorClass, list[str]] | None:
    """Lines of Markdown on the class whose first line is at a position; None where nothing is known of one."""
    for unit, view, shown in _classes(units, backend, uri):
        lines = operator_hover(view, shown)
        if unit.line_at(position) == shown.line and lines:
            return unit, shown, lines
    return None


def task_page(units: Units, backend: Backend, uri: str, name: str) -> str:
    """Markdown: all that is known of a class. Raises UsageError for one that is not there."""
    for _, view, shown in _classes(units, backend, uri):
        if shown.name == name:
            return operator_page(view, shown)
    raise UsageError(f"no PyTorch task {name} is open in {uri}")


def task_notes(units: Units, backend: Backend, uri: str) -> Iterator[tuple[Unit, Note]]:
    unit = units.task(uri)
    if unit is not None:
        for note in notes_of(backend.operators.view(unit.key)):
            yield unit, note


def op_arguments(unit: Unit, shown: OperatorClass) -> dict[str, str]:
    """What commands on a class take."""
    return {"uri": unit.uri, "op": shown.name}


def _classes(units: Units, backend: Backend, uri: str) -> Iterator[tuple[Unit, OperatorView, OperatorClass]]:
    unit = units.task(uri)
    if unit is not None:
        view = backend.operators.view(unit.key)
        for shown in view.outline.classes:
            yield unit, view, shown


def _offered(view: OperatorView, shown: OperatorClass) -> tuple[LensAction, ...]:
    if shown == view.outline.reference:
        return (LensAction.PROFILE, LensAction.OPTIMIZE)
    return (LensAction.CHECK,) if view.has_task else ()
