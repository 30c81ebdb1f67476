"""How long tests wait before they call something a hang: long, since a machine may be busy, and nobody waits where nothing hangs."""

from __future__ import annotations

__all__ = ["GONE_WITHIN_S", "HANG_S"]

HANG_S = 400.0
"""A command, a page or an answer of a server, on a loaded machine with a cold cache."""
GONE_WITHIN_S = 60.0
"""What must end soon: a worker gets two seconds to end its own children; the rest is for a loaded machine."""
