"""The types of vector accesses, and the check that addresses are aligned for them.

Example::

    types = VectorTypes(count=4, plain_types={"x": "float"}, sizes={"x": 4})
    types.vector("x")                          # 'float4'
    types.alignment((("x", "x + row * n"),))   # 'reinterpret_cast<size_t>(x + row * n) % 16 == 0'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.record import Record

__all__ = ["VectorTypes"]

_VECTORS = {"float": "float{}", "double": "double{}", "int": "int{}", "unsigned int": "uint{}", "unsigned": "uint{}"}
"""Built-in vector types by element; anything else travels as words of the same size."""
_WORDS = {2: "short", 4: "int", 8: "int2", 16: "int4"}


class VectorTypes(Record):
    """What several neighbouring elements behind each pointer travel as."""

    count: int
    """Elements of a vector."""
    plain_types: Mapping[str, str]
    """Of each pointer's elements, typedefs followed."""
    sizes: Mapping[str, int]
    """Bytes of an element, by pointer."""

    def vector(self, pointer: str) -> str:
        """The type of a vector access."""
        named = _VECTORS.get(self.plain_types[pointer])
        return named.format(self.count) if named is not None and self.count <= 4 else _WORDS[self.bytes(pointer)]

    def bytes(self, pointer: str) -> int:
        """Bytes of a vector."""
        return self.sizes[pointer] * self.count

    def alignment(self, starts: Iterable[tuple[str, str]]) -> str:
        """Whether every address of ``(pointer, address)`` is aligned to its vectors; vectors of the same width share a check."""
        widths: dict[int, list[str]] = {}
        for pointer, address in starts:
            texts = widths.setdefault(self.bytes(pointer), [])
            texts += [text for text in (f"reinterpret_cast<size_t>({address})",) if text not in texts]
        checks = [
            f"{texts[0]} % {width} == 0" if len(texts) == 1 else f"({' | '.join(texts)}) % {width} == 0" for width, texts in widths.items()
        ]
        return " && ".join(checks)
