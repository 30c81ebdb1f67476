"""Numbers for people: what planners say to models in the same words (`assistant.profile.quantity`)."""

from __future__ import annotations

from assistant.profile.quantity import counted_noun, format_change, format_quantity

__all__ = ["counted_noun", "format_change", "format_quantity"]
