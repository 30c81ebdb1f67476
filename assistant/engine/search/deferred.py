"""Decisions of a person that a search may put off: it builds on edits that ask for them, and they are decided on at its end.

Example::

    labels = deferred_labels({"alignment", "precision"})
    is_deferred(verification, labels)       # whether nothing but these is to be decided
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.model.verification import Label, Outcome, Verification

__all__ = ["decisions_of", "deferred_labels", "is_deferred"]

_LABELS = {
    "alignment": Label.ALIGNMENT,
    "arch": Label.ARCH_LOCK_IN,
    "assumption": Label.ASSUMPTION,
    "fast-math": Label.FAST_MATH,
    "library": Label.LIBRARY_CALL,
    "nan": Label.NAN_BEHAVIOUR,
    "order": Label.NON_DETERMINISM,
    "precision": Label.PRECISION,
}
"""What a person names (``search.allow``), and what the judge calls it."""
_SAME = {
    "other_order": Label.NON_DETERMINISM.value,
    "moved_work": Label.ASSUMPTION.value,
    "other_transfer": Label.ASSUMPTION.value,
    "other_layout": Label.ASSUMPTION.value,
    "amplified_rounding": Label.PRECISION.value,
}
"""Findings that ask for the same decision as a label: that values stand in the order in which threads came; that kernels are right together
alone, and copies to the host as the program reads them; that a program makes roundings larger."""


def deferred_labels(allowed: Iterable[str]) -> frozenset[Label]:
    """Labels for the names that settings and ``--allow`` take; host code, which is allowed before it is built, has none."""
    return frozenset(_LABELS[name] for name in allowed if name in _LABELS)


def is_deferred(verification: Verification, labels: frozenset[Label]) -> bool:
    """Whether a person has nothing to decide on it but ``labels``."""
    return verification.outcome is Outcome.NEEDS_DECISION and decisions_of(verification) <= {label.value for label in labels}


def decisions_of(verification: Verification) -> frozenset[str]:
    """What a person has to decide on: codes of findings."""
    asked = (finding.code for finding in verification.findings if finding.outcome is Outcome.NEEDS_DECISION)
    return frozenset(_SAME.get(code, code) for code in asked)
