"""What compound assignments make of a number that is known, for what follows a block's threads statement by statement. Pure.

Example::

    COMPOUND["<<="](3, 2)      # 12
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["COMPOUND"]

COMPOUND: Mapping[str, Callable[[int, int], int]] = {
    "+=": lambda a, b: a + b,
    "-=": lambda a, b: a - b,
    "*=": lambda a, b: a * b,
    "/=": lambda a, b: a // b if a >= 0 and b > 0 else 0,
    "<<=": lambda a, b: a << min(max(b, 0), 64),
    ">>=": lambda a, b: a >> max(b, 0),
    "^=": lambda a, b: a ^ b,
}
"""By sign: of the number and its operand. What C++ leaves undefined, or rounds otherwise below zero, comes to a number all the same."""
