# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""What is timed against each other: the reference as it is, as ``torch.compile`` makes it, in a CUDA graph, and the candidate.

Example::

    made = contender("compile", model, inputs)      # Contender("compile", <function>), or Left("compile", "why not")
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

__all__ = ["CANDIDATE", "EAGER", "GRAPHED", "Contender", "Left", "contender", "graphed"]

EAGER, CANDIDATE = "eager", "candidate"
GRAPHED = " in a CUDA graph"
_MODES = {"compile": "default", "max-autotune": "max-autotune"}
_WARM_CALLS = 3


class Contender(NamedTuple):
    """A way to compute the operator."""

    name: str
    call: Callable[[], Any]
    """On the tensors that all contenders share."""


class Left(NamedTuple):
    """What could not be made ready."""

    name: str
    reason: str


def contender(name: str, model: torch.nn.Module, inputs: list[Any]) -> Contender | Left:
    """Ready to be timed: compiled and warm. The model is its own."""
    function: Callable[..., Any] = model
    if name in _MODES:
        torch._dynamo.reset()
        function = torch.compile(model, mode=_MODES[name], dynamic=False)

    def call() -> Any:
        return function(*inputs)

    return _warm(Contender(name, call))


def graphed(plain: Contender) -> Contender | Left:
    """The same work, recorded once and replayed by the driver: no time of the host's is left in it."""
    name = plain.name + GRAPHED
    before = torch.cuda.current_stream()
    side = torch.cuda.Stream()
    side.wait_stream(before)
    try:
        with torch.cuda.stream(side):
            for _ in range(_WARM_CALLS):
                plain.call()
        before.wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with warnings.catch_warnings(record=True) as said, torch.cuda.graph(graph):
            returned = plain.call()
    except Exception as error:  # noqa: BLE001 - what cannot be captured raises anything
        torch.cuda.set_stream(before)
        torch.cuda.synchronize()
        return Left(name, f"it cannot be captured: {_first_line(error)}")
    if any("graph is empty" in str(each.message).lower() for each in said):
        return Left(name, "it cannot be captured: its kernels are launched on another stream than PyTorch's current one")

    def call() -> Any:
        graph.replay()
        return returned

    return _warm(Contender(name, call))


def _warm(made: Contender) -> Contender | Left:
    try:
        for _ in range(_WARM_CALLS):
            made.call()
        torch.cuda.synchronize()
    except Exception as error:  # noqa: BLE001 - compilers raise anything
        return Left(made.name, _first_line(error))
    return made


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200]}"
