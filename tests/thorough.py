"""Tests that repeat at length what others prove in short: ``make test-thorough`` runs them, ``make test`` does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["first_of", "only"]


def first_of(values: Iterable[Any], count: int = 1) -> list[Any]:
    """``values`` for `pytest.mark.parametrize`: the first ``count`` in every run, the others in thorough ones; tuples as there."""
    return [value if number < count else _thorough(value) for number, value in enumerate(values)]


def only(often: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """As `first_of`, with those in every run that are among ``often``."""
    kept = list(often)
    return [value if value in kept else _thorough(value) for value in values]


def _thorough(value: Any) -> Any:
    """A tuple stands for several arguments, as in `pytest.mark.parametrize`."""
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.thorough)
