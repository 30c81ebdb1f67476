"""Which random values a shape is judged on: fresh seeds and scales (DESIGN §5.6)."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.model.workload import Shape

__all__ = ["MINIMUM_SEED_COUNT", "SCALES", "Draw", "draws_for", "fresh_draws"]

SCALES = (1.0, 0.125, 8.0)
"""Multipliers of floating values; powers of two, so that scaling itself rounds nothing."""
MINIMUM_SEED_COUNT = 3
"""Seeds of one comparison, at least."""


@dataclass(frozen=True)
class Draw:
    """One set of random values."""

    seed: int
    scale: float = 1.0
    permutes_integers: bool = True
    """Captured integer buffers are permuted in place rather than kept."""
    is_timed: bool = True
    """The case carries its shape's weight; other draws of a shape only verify."""


def fresh_draws(seeds: tuple[int, ...]) -> tuple[Draw, ...]:
    """One draw per seed; the scales 1, 1/8 and 8 in turn, integers kept by the first."""
    return tuple(
        Draw(seed, SCALES[index % len(SCALES)], permutes_integers=index > 0, is_timed=index == 0) for index, seed in enumerate(seeds)
    )


def draws_for(shape: Shape, seeds: tuple[int, ...]) -> tuple[Draw, ...]:
    """The draws of one declared shape; a boundary shape gets a single one, of scale 1."""
    return (Draw(seeds[0], is_timed=False),) if shape.is_boundary else fresh_draws(seeds)
