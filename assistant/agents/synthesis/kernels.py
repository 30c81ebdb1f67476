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
    open_ones = _techniques(family, dtype, expressions)
    chosen = random.sample(open_ones, random.randint(1, len(open_ones)))
    sizes = tuple((size, random.randint(*small)) for size, small, _ in family.sizes)
    real = tuple((size, random.choice(values)) for size, _, values in family.sizes)
    variant = Variant(dtype, expressions, sizes)
    missing = _all_missing(family, variant, chosen, open_ones)
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


def _techniques(family: Family, dtype: str, expressions: tuple[str, ...]) -> list[str]:
    """That can be taken back: constants of a double are doubles already, and expressions without any have none."""
    has_literals = dtype == "float" and any("#" in EXPRESSIONS[each] for each in expressions)
    return [each for each in family.techniques if each != _LITERALS or has_literals]


def _all_missing(family: Family, variant: Variant, chosen: list[str], open_ones: list[str]) -> tuple[str, ...]:
    """The chosen ones and those that go with them: a product that adds up in global memory has no tile either."""
    kernel = family.write(variant, frozenset(chosen)).kernel
    return tuple(sorted(each for each in open_ones if each in chosen or family.write(variant, frozenset({*chosen, each})).kernel == kernel))
