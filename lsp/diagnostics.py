"""Diagnostics: sent to the client whenever a document's view changes; it never has to ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.culprit import culprit, small_memories
from assistant.editor.hover_words import short_message
from assistant.editor.pages import finding_page
from assistant.editor.shown_notes import ShownNote, shown_notes
from assistant.editor.view import Note, RelatedPlace
from assistant.editor.words import ignored_text_message
from assistant.model.profile import Severity
from lsp.backend import Backend
from lsp.late import LateReads
from lsp.operators import task_notes
from lsp.questions import Questions
from lsp.settings import EditorConfiguration
from lsp.texts import open_document
from lsp.units import IgnoredText, Unit, Units, file_of

__all__ = ["Diagnostics", "note_range"]

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
}


class Diagnostics:
    """Publishes the diagnostics of a client's documents."""

    def __init__(
        self,
        server: LanguageServer,
        units: Units,
        backend: Backend,
        late: LateReads,
        configuration: EditorConfiguration,
        questions: Questions,
    ) -> None:
        self._server = server
        self._units = units
        self._backend = backend
        self._late = late
        self._configuration = configuration
        self._questions = questions
        questions.on_change = self.publish_all
        self._elsewhere: dict[str, dict[Path, list[types.Diagnostic]]] = {}
        """By document: what its jobs reported of files that are not open."""

    def publish(self, uri: str) -> None:
        """Send the notes on a document's sources; if the document still has to be read, once it is."""
        if self._late.is_late(uri):
            self._late.publish_when_read(uri)
            return
        found = [_diagnostic(unit, shown) for unit in self._units.of(uri) for shown in self._notes(unit)]
        found += [_diagnostic(unit, ShownNote(note, is_hint=False)) for unit, note in task_notes(self._units, self._backend, uri)]
        found += [_ignored(item) for item in self._units.ignored(uri)]
        found += [waiting for unit in self._units.of(uri) if (waiting := self._waiting(unit)) is not None]
        found += [asked for unit in self._units.of(uri) for asked in self._asked(unit)]
        document = open_document(self._server.workspace, uri)
        self._send(uri, found, None if document is None else document.version)
        self._publish_unopened(uri, {path: notes for unit in self._units.of(uri) for path, notes in self._unopened(unit)})

    def publish_all(self) -> None:
        """Send those of every open document."""
        for uri in self._units.uris():
            self.publish(uri)

    def clear(self, uri: str) -> None:
        """The document was closed."""
        self._send(uri, self._reported_of(file_of(uri, None)))
        self._publish_unopened(uri, {})

    def _waiting(self, unit: Unit) -> types.Diagnostic | None:
        """That nothing is known of the first kernel because its folder is not trusted; None where it is, or says so by other means."""
        remedy = self._backend.missing_trust(unit.path)
        line = next((number for number, text in enumerate(unit.text.splitlines(), 1) if "__global__" in text), None)
        if remedy is None or line is None:
            return None
        message = f"only parsed, as its folder is not trusted: run {remedy} in a terminal, then save here"
        return types.Diagnostic(unit.line_range(line), message, types.DiagnosticSeverity.Information, source="kernelopt")

    def _asked(self, unit: Unit) -> Iterator[types.Diagnostic]:
        """What the client cannot ask by a message, at the first kernel."""
        if not self._questions.open or not (kernels := self._backend.editor.view(unit.key).kernels):
            return
        place = unit.line_range(kernels[0].line)
        for question in self._questions.open:
            message = f"{question.message} (answer by a code action: {', '.join(question.answers)})"
            yield types.Diagnostic(place, message, types.DiagnosticSeverity.Information, source="kernelopt")

    def _unopened(self, unit: Unit) -> Iterator[tuple[Path, list[types.Diagnostic]]]:
        """(path, what jobs on the unit reported) of files that are not open."""
        for path, file in self._backend.editor.unopened(unit.key).items():
            place = Unit("", path.as_uri(), path, file.text, file.text, unit.encoding)
            yield path, [_diagnostic(place, shown) for shown in file.notes]

    def _publish_unopened(self, uri: str, reported: dict[Path, list[types.Diagnostic]]) -> None:
        """Show what a document's jobs report of other files now, and take back what they reported before."""
        before = self._elsewhere.pop(uri, {})
        if reported:
            self._elsewhere[uri] = reported
        for path in dict.fromkeys((*before, *reported)):
            if self._backend.editor.key_of(path) is None:
                self._send(path.as_uri(), self._reported_of(path))

    def _reported_of(self, path: Path) -> list[types.Diagnostic]:
        """What the jobs on all documents report of a file that is not open; each once."""
        found: list[types.Diagnostic] = []
        for reported in self._elsewhere.values():
            found += [diagnostic for diagnostic in reported.get(path, []) if diagnostic not in found]
        return found

    def _notes(self, unit: Unit) -> list[ShownNote]:
        is_compiler_shown = self._configuration.settings_of(unit.path).diagnostics.compiler == "on"
        return [each for each in shown_notes(self._backend.editor.view(unit.key)) if is_compiler_shown or each.note.stage != "compile"]

    def _send(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def _ignored(item: IgnoredText) -> types.Diagnostic:
    return types.Diagnostic(item.place, ignored_text_message(item.declined), types.DiagnosticSeverity.Information, source="kernelopt")


def _diagnostic(unit: Unit, shown: ShownNote) -> types.Diagnostic:
    note = shown.note
    page = None if note.code is None else finding_page(note.code)
    return types.Diagnostic(
        range=note_range(unit, note),
        message=unit.said(short_message(note)),
        severity=types.DiagnosticSeverity.Hint if shown.is_hint else _SEVERITIES[note.severity],
        code=note.code,
        code_description=None if page is None else types.CodeDescription(page),
        source=note.source,
        related_information=[
            types.DiagnosticRelatedInformation(_location(unit, related), unit.said(related.message))
            for related in note.related
            if not (_is_in(unit, related) and related.line == note.line)  # it stands there already
        ]
        or None,
        data=None if note.proposal is None else {"proposal_id": note.proposal},
    )


def note_range(unit: Unit, note: Note) -> types.Range:
    """The few characters that a note is about."""
    if note.column:
        return unit.token_range(note.line, note.column)
    start = unit.start_of_line(note.line)
    found = culprit(note, unit.text[start:].partition("\n")[0], small_memories(unit.text))
    return unit.line_range(note.line) if found is None else unit.span(start + found[0], start + found[1])


def _location(unit: Unit, related: RelatedPlace) -> types.Location:
    """In this document, or the whole line of another file."""
    file = Path(related.file)
    if _is_in(unit, related):
        return types.Location(unit.uri, unit.line_range(related.line))
    start = types.Position(max(0, related.line - 1), 0)
    return types.Location(file.as_uri(), types.Range(start, types.Position(start.line + 1, 0)))


def _is_in(unit: Unit, related: RelatedPlace) -> bool:
    file = Path(related.file)
    return file == unit.path or not file.is_absolute()
