"""A CUDA program whose kernel lacks techniques that its known solution has, drawn by a seed and a number. Pure.

Example::

    drawn = draw_kernel(seed=7, number=0)
    drawn.parts         # ("warp-per-row",)
"""

from __future__ import annotations

from random import Random

from assistant.agents.synthesis.drawn import Drawn, Kind
from assistant.agents.synthesis.families import EXPRESSIONS, FAMILIES, Family, Variant
from assistant.agents.synthesis.program_text import program_text

__all__ = ["draw_kernel"]

_LITERALS = "float-literals"
"""Constants that are doubles: without them fewer digits are computed, which somebody must allow."""
_BYTES = {"float": 4, "int": 4, "double": 8}


def draw_kernel(seed: int, number: int) -> Drawn:
    """The same for the same arguments, on every machine."""
    random = Random(f"kernel {seed} {number}")  # noqa: S311 - a draw that can be repeated
    family = random.choices(list(FAMILIES.values()), weights=[_weight(each) for each in FAMILIES.values()])[0]
    dtype = random.choice(family.dtypes)
    expressions = tuple(random.sample(list(EXPRESSIONS), random.randint(1, 2))) if family.has_expressions else ()
    missing = _missing(random, family, dtype, expressions)
    sizes = tuple((size, random.randint(*small)) for size, small, _ in family.sizes)
    real = tuple((size, random.choice(values)) for size, _, values in family.sizes)
    variant = Variant(dtype, expressions, sizes)
    origin = f"seed {seed}, number {number}"
    return Drawn(
        name=f"kernel_{number:04}_{family.name}" + "".join(f"_{each}" for each in expressions),
        kind=Kind.KERNEL,
        text=program_text(family.write(variant, frozenset(missing)), origin),
        solution=program_text(family.write(variant, frozenset()), origin),
        structure=" ".join(["kernel", family.name, *expressions, dtype, *missing]),
        parts=missing,
        allowed=("precision",) if _LITERALS in missing else (),
        dtype=dtype,
        sizes=sizes,
        real_sizes=real,
        moved_bytes=family.moved(dict(real)) * _BYTES[dtype],
        operation_count=family.operations(dict(real)),
        seed=seed,
        number=number,
    )


def _weight(family: Family) -> int:
    """Families with expressions have more to draw from."""
    return 4 if family.has_expressions else 1


def _missing(random: Random, family: Family, dtype: str, expressions: tuple[str, ...]) -> tuple[str, ...]:
    """At least one technique. Constants of a double are doubles already, and expressions without any have none."""
    has_literals = dtype == "float" and any("#" in EXPRESSIONS[each] for each in expressions)
    open_ones = [each for each in family.techniques if each != _LITERALS or has_literals]
    return tuple(sorted(random.sample(open_ones, random.randint(1, len(open_ones)))))
