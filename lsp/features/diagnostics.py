"""Diagnostics: pushed, never also pulled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from assistant.editor.pages import finding_page
from assistant.editor.view import Note, Related
from assistant.editor.words import passed_over_text
from assistant.model.profile import Severity
from assistant.profile.wording import percent
from lsp.units import PassedOver, Unit, version_of

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["publish", "register"]

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
}


def register(server: KernelOptServer) -> None:
    """Nothing to answer: diagnostics are published when a view changes."""
    del server


def publish(server: KernelOptServer, uri: str) -> None:
    """Send what is known of a document's sources; of one that is still to be read, once it is."""
    if server.late.is_late(uri):
        server.late.owe(uri)
        return
    found: list[types.Diagnostic] = []
    for unit in server.units.of(uri):
        is_compiler_shown = server.configuration.settings_of(unit.path).diagnostics.compiler == "on"
        notes = server.editor.view(unit.key).notes
        found += [_diagnostic(server, unit, note) for note in notes if is_compiler_shown or note.stage != "compile"]
    found += [_passed_over(item) for item in server.units.passed_over(uri)]
    version = version_of(server.workspace, uri)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def _passed_over(item: PassedOver) -> types.Diagnostic:
    return types.Diagnostic(item.place, passed_over_text(item.declined), types.DiagnosticSeverity.Information, source="kernelopt")


def _diagnostic(server: KernelOptServer, unit: Unit, note: Note) -> types.Diagnostic:
    page = None if note.code is None else finding_page(note.code)
    return types.Diagnostic(
        range=unit.token_range(note.line, note.column) if note.column else unit.line_range(note.line),
        message=_message(note),
        severity=_SEVERITIES[note.severity],
        code=note.code,
        code_description=None if page is None else types.CodeDescription(page),
        source=note.source,
        related_information=[types.DiagnosticRelatedInformation(_location(unit, related), related.message) for related in note.related]
        or None,
        data=None if note.proposal is None else {"proposal_id": note.proposal},
    )


def _location(unit: Unit, related: Related) -> types.Location:
    """In this document, or the whole line of another file."""
    file = Path(related.file)
    if file == unit.path or not file.is_absolute():
        return types.Location(unit.uri, unit.line_range(related.line))
    start = types.Position(max(0, related.line - 1), 0)
    return types.Location(file.as_uri(), types.Range(start, types.Position(start.line + 1, 0)))


def _message(note: Note) -> str:
    if note.cost_ratio is None or note.cost_ratio < 0.005:
        return note.message
    return f"{note.message} (estimated cost: {percent(note.cost_ratio)} of the kernel's predicted time)"
