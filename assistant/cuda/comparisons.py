"""Comparison operators of C: what says the same with the sides exchanged, and what says the contrary.

Example::

    MIRRORED["<="]      # '>=': `a <= b` is `b >= a`
    OPPOSITE["<"]       # '>=': `a < b` is not `a >= b`; not so of floats, of which one may be no number
"""

from __future__ import annotations

__all__ = ["MIRRORED", "MIRRORED_ORDER", "OPPOSITE", "OPPOSITE_ORDER"]

MIRRORED_ORDER = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
MIRRORED = {**MIRRORED_ORDER, "==": "==", "!=": "!="}
OPPOSITE_ORDER = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
OPPOSITE = {**OPPOSITE_ORDER, "==": "!=", "!=": "=="}
