"""The sources that are open, by their keys.

Example::

    documents["file:///a.cu"] = OpenDocument("file:///a.cu", Path("/a.cu"), text)
    documents.reparsed("file:///a.cu").view
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from assistant.editor.offer_words import is_to_be_made
from assistant.editor.open_document import OpenDocument
from assistant.engine import read_source
from assistant.errors import UsageError
from assistant.model.events import JobStarted
from assistant.model.proposal import Proposal
from assistant.model.source import Source

__all__ = ["OpenDocuments"]


class OpenDocuments(dict[str, OpenDocument]):
    """Open documents of an editor session, in the order they were opened."""

    def open(self, key: str) -> OpenDocument:
        """Raises UsageError for a source that is not open."""
        document = self.get(key)
        if document is None:
            raise UsageError(f"{key} is not open", "open the file first")
        return document

    def reparsed(self, key: str) -> OpenDocument:
        """As ``open``, with its text parsed."""
        document = self.open(key)
        document.reparse()
        return document

    def key_of(self, path: Path) -> str | None:
        """The open source at a path."""
        return next((document.key for document in self.values() if document.path == path), None)

    def texts_of(self, paths: Iterable[Path]) -> tuple[Source, ...]:
        """Files as they stand: as they are open, else on disk. Raises UsageError for one that cannot be read."""
        keys = ((path, self.key_of(path)) for path in paths)
        return tuple(read_source(path) if key is None else Source(path, self[key].text) for path, key in keys)

    def made_with(self, key: str) -> tuple[OpenDocument, ...]:
        """The document, and those whose program has its file. Raises UsageError where it is not open."""
        document = self.open(key)
        return (document, *(other for other in self.values() if other is not document and other.is_made_with((document.path,))))

    def hold_back(self, shown: Callable[[str], None]) -> None:
        """Offer a proposal over several files in none of them while one has no room for it; ``shown``: as for `decided`."""
        for document in self.values():
            if document.hold_back(frozenset(each.id for each in document.proposals if not self._is_to_be_made(each, document.path))):
                shown(document.key)

    def _is_to_be_made(self, proposal: Proposal, but_for: Path) -> bool:
        """In every file that is open, leaving out one that is asked itself."""
        others = (document for document in self.values() if document.path != but_for)
        return len(proposal.files) == 1 or all(is_to_be_made(proposal, other.path, other.text) for other in others)

    def last_started(self) -> JobStarted | None:
        """Where the jobs of this editor run, as the newest answer says; None before any."""
        return next((started for document in reversed(self.values()) if (started := document.started) is not None), None)

    def decided(self, proposal: Proposal, shown: Callable[[str], None]) -> None:
        """The texts show a decision on a proposal; ``shown`` is called with the keys of those that it is about."""
        for document in self.values():
            if document.path in {proposal.path, *proposal.paths}:
                document.decided(proposal)
                shown(document.key)
