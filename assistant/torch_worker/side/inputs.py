# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""The inputs that both sides are run on: the task's own draws, and what is made of them.

Example::

    for drawn in variations(inputs, seed):
        drawn.kind, drawn.scale, drawn.inputs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

__all__ = ["Drawn", "edges", "in_words", "mapped", "sliced", "variations"]

_SCALES = (0.125, 8.0)
_SPECIAL = (float("nan"), float("inf"), -float("inf"))
_EXTREME = (0.0, 1e-40, 3e38)
"""A zero, a float that is denormal, one near the largest."""


class Drawn(NamedTuple):
    """One set of inputs."""

    kind: str
    """``given``, ``scaled``, ``normal``, ``layout``, ``edge``, ``size``, ``empty``."""
    scale: float
    inputs: list[Any]


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """``value`` with every floating tensor in it changed."""
    if isinstance(value, torch.Tensor):
        return change(value) if value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, dict):
        return {name: mapped(item, change) for name, item in value.items()}
    return value


def variations(inputs: list[Any], seed: int) -> Iterator[Drawn]:
    """The same inputs at other scales, other values of the same shapes, and the same values in another layout."""
    for scale in _SCALES:
        yield Drawn("scaled", scale, mapped(inputs, lambda tensor, by=scale: tensor * by))
    generator = torch.Generator().manual_seed(seed + 2)  # the two draws before it had the others
    yield Drawn("normal", 1.0, mapped(inputs, lambda tensor: _normal(tensor, generator)))
    yield Drawn("layout", 1.0, mapped(inputs, _with_gaps))


def edges(inputs: list[Any]) -> Iterator[Drawn]:
    """Values that numbers seldom have, at a few places."""
    for values in (_SPECIAL, _EXTREME):
        yield Drawn("edge", 1.0, mapped(inputs, lambda tensor, some=values: _planted(tensor, some)))


def sliced(inputs: list[Any], count: int) -> list[Any] | None:
    """The first ``count`` of a batch; None where the inputs have no dimension that all of them share as the first."""
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    sizes = {tensor.shape[0] for tensor in tensors if tensor.dim()}
    if len(sizes) != 1 or any(not tensor.dim() for tensor in tensors) or sizes.pop() <= count:
        return None
    return [value[:count].clone() if isinstance(value, torch.Tensor) else value for value in inputs]


def in_words(inputs: list[Any]) -> str:
    """``float32[16, 1024], int64[16]``"""
    return ", ".join(_word(value) for value in inputs)


def _word(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).rpartition('.')[2]}{list(value.shape)}"
    return f"{len(value)} values" if isinstance(value, (list, tuple, dict)) else repr(value)


def _normal(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(tensor.shape, generator=generator, dtype=torch.float32).to(tensor.dtype)


def _with_gaps(tensor: torch.Tensor) -> torch.Tensor:
    """Equal to ``tensor``, with room between its elements."""
    if not tensor.dim():
        return tensor
    wide = torch.zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]), dtype=tensor.dtype)
    spread = wide[..., ::2]
    spread.copy_(tensor)
    return spread


def _planted(tensor: torch.Tensor, values: tuple[float, ...]) -> torch.Tensor:
    changed = tensor.clone(memory_format=torch.contiguous_format)
    flat = changed.view(-1)
    largest = torch.finfo(tensor.dtype).max
    for number, value in enumerate(values):
        if flat.numel():
            place = (number * 7919 + 3) % flat.numel()
            flat[place] = value if value != value or abs(value) == float("inf") else min(value, largest)
    return changed
