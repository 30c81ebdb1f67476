"""A pair session: a person edits one kernel, and each saved edit is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.pair.session import Pair as Pair
    from assistant.engine.pair.sessions import PairSessions as PairSessions
    from assistant.engine.pair.sessions import turn_event as turn_event
    from assistant.engine.pair.state import PairState as PairState
    from assistant.engine.pair.state import version_name as version_name
    from assistant.engine.pair.text import other_files as other_files
    from assistant.engine.pair.words import constraint_answer as constraint_answer
    from assistant.engine.pair.words import report as report
    from assistant.engine.pair.words import version_line as version_line

__getattr__ = names_of(__name__, __file__)
