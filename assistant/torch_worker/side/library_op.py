# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Launchers as an operator of ``torch.library``: PyTorch knows its shapes without running it, and its gradients where a launcher has them.

Example::

    op = library_op("row_softmax", {"x": x}, launchers)
    y = op(x)       # torch.ops.kernelopt.row_softmax_0; torch.compile and export go through it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Protocol

import torch

__all__ = ["MADE", "Launchers", "library_op"]

MADE: set[str] = set()
"""Names of the operators that were made here: they are the candidate's own kernels, and no functions of PyTorch."""
_NUMBERS = count()
_TYPES = {bool: "bool", int: "int", float: "float"}


class Launchers(Protocol):
    """What the operator is made of; ``named`` holds inputs and weights by name."""

    output_count: int
    has_backward: bool

    def empty(self, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
        """Outputs, with nothing in them."""
        ...

    def forward(self, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
        """Outputs."""
        ...

    def backward(
        self, named: dict[str, Any], outputs: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> dict[str, torch.Tensor]:
        """Gradients by name."""
        ...


def library_op(name: str, named: Mapping[str, Any], launchers: Launchers) -> Callable[..., Any]:
    """An operator for arguments of these types. It returns a tensor, or a tuple of several."""
    is_one = launchers.output_count == 1
    names = tuple(named)
    parameters = ", ".join(f"{_type(value)} {key}" for key, value in named.items())
    results = "Tensor" if is_one else f"({', '.join(['Tensor'] * launchers.output_count)})"

    def given(values: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    def returned(outputs: tuple[torch.Tensor, ...]) -> Any:
        return outputs[0] if is_one else outputs

    def run(*values: Any) -> Any:
        return returned(launchers.forward(given(values)))

    own = f"{name}_{next(_NUMBERS)}"
    MADE.add(own)
    op = torch.library.custom_op(f"kernelopt::{own}", run, mutates_args=(), schema=f"({parameters}) -> {results}")
    op.register_fake(lambda *values: returned(launchers.empty(given(values))))
    if launchers.has_backward:

        def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.named, ctx.outputs = given(inputs), (output,) if is_one else output

        def gradients(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
            found = launchers.backward(ctx.named, ctx.outputs, cotangents)
            return tuple(found.get(key) for key in names)

        op.register_autograd(gradients, setup_context=keep)
    return op


def _type(value: Any) -> str:
    return "Tensor" if isinstance(value, torch.Tensor) else _TYPES.get(type(value), "float")
