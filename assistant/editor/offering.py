"""What memory has open on a source: proposals that can be decided on, and pair sessions.

Example::

    offer(store, document)      # True: something else is open now
"""

from __future__ import annotations

from assistant.editor.open_document import OpenDocument
from assistant.editor.view import PairView
from assistant.editor.words import pair_headline
from assistant.model.proposal import DECIDABLE_STATES
from assistant.ports.store import Store

__all__ = ["offer"]


def offer(store: Store, document: OpenDocument) -> bool:
    """Offer it in the source; True when it changed."""
    sessions = store.pair_sessions(document.path)
    pairs = tuple(PairView(item.id, item.kernel, pair_headline(store.turns(item.id), store.short_id)) for item in sessions)
    return document.offer(store.proposals(states=DECIDABLE_STATES, path=document.path), pairs)
