# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""A model around a launcher in a ``.cu`` file: outputs are allocated as its table says, and the launcher is given plain pointers.

Example::

    launched_model({"launcher": "softmax", "inputs": {"x": ["n", "m"]}, "outputs": {"y": ["n", "m"]}, "weights": {},
                    "args": ["y", "x", "n", "m"], "types": {"y": "float32"}}, "/p/softmax.cu")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from assistant.torch_worker.side.failures import SideError

__all__ = ["launched_model"]


def launched_model(table: dict[str, Any], path: str) -> type[torch.nn.Module]:
    """It is given all of the reference's weights (``reference_weights``); the launcher gets those that the table names."""
    module = cpp_extension.load_inline(table["launcher"], "", cuda_sources=Path(path).read_text("utf-8"), functions=[table["launcher"]])

    class Launched(torch.nn.Module):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.reference_weights: dict[str, torch.Tensor] = {}
            """All of them, by the reference's names."""

        def forward(self, *inputs: Any) -> Any:
            named = _named(table, inputs, self.reference_weights)
            sizes = _sizes(table, named)
            outputs = {name: torch.empty([_number(size, sizes) for size in shape], dtype=getattr(torch, table["types"][name]))
                       for name, shape in table["outputs"].items()}  # fmt: skip
            known = {**named, **outputs}
            values = [known[word] if word in known else _number(word, sizes) for word in table["args"]]
            getattr(module, table["launcher"])(*values)
            made = tuple(outputs.values())
            return made[0] if len(made) == 1 else made

    return Launched


def _named(table: dict[str, Any], inputs: tuple[Any, ...], weights: dict[str, torch.Tensor]) -> dict[str, Any]:
    if len(inputs) != len(table["inputs"]):
        raise RuntimeError(f"forward has {len(inputs)} arguments, the table of {table['launcher']} names {len(table['inputs'])} inputs")
    found = dict(zip(table["inputs"], inputs, strict=True))
    for name, weight in table["weights"].items():
        if weight not in weights:
            raise SideError("state_differs", f"the table names the weight {weight}; the reference's are {', '.join(weights) or 'none'}")
        found[name] = weights[weight]
    return {name: value.contiguous() if isinstance(value, torch.Tensor) else value for name, value in found.items()}


def _sizes(table: dict[str, Any], named: dict[str, Any]) -> dict[str, int]:
    """What the names in the inputs' shapes stand for. Raises RuntimeError where they do not fit."""
    sizes: dict[str, int] = {}
    for name, shape in table["inputs"].items():
        value = named[name]
        if not isinstance(value, torch.Tensor):
            if isinstance(value, int):
                sizes[name] = value
            continue
        if value.dim() != len(shape):
            raise RuntimeError(f"{name} has {value.dim()} dimensions, the table says {len(shape)}")
        for word, size in zip(shape, value.shape, strict=True):
            if isinstance(word, str) and sizes.setdefault(word, size) != size:
                raise RuntimeError(f"{word} is {sizes[word]} and {size} in the inputs' shapes")
    return sizes


def _number(word: Any, sizes: dict[str, int]) -> int:
    """A number, a name, or names and numbers with ``*`` and ``+`` between them."""
    if isinstance(word, int):
        return word
    total = 0
    for part in str(word).split("+"):
        product = 1
        for factor in part.split("*"):
            product *= int(factor) if factor.strip().isdigit() else sizes[factor.strip()]
        total += product
    return total
