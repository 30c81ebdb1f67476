# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""One call of a model: its outputs as plain tensors, its gradients, and the buffers that it changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from assistant.torch_worker.side.failures import SideError, in_words
from assistant.torch_worker.side.tensor_files import tensors_in

__all__ = ["Called", "backward", "buffer_names", "called", "constants_of", "outputs_of", "state_of"]


class Called(NamedTuple):
    """What a call returned, and the tensors whose gradients can be asked for."""

    returned: Any
    leaves: dict[str, torch.Tensor]


def called(model: torch.nn.Module, inputs: list[Any], path: str, wait: Callable[[], None] = lambda: None, *, is_backward: bool) -> Called:
    """``model(*inputs)``; ``wait``: until what it issued has ended. Raises SideError."""
    leaves: dict[str, torch.Tensor] = {}
    if is_backward:
        for number, tensor in enumerate(tensors_in(inputs)):
            if tensor.is_floating_point():
                leaves[f"input {number}"] = tensor.requires_grad_(True)
        leaves.update(model.named_parameters())
    try:
        with torch.set_grad_enabled(is_backward):
            found = Called(model(*inputs), leaves)
            wait()
            return found
    except SideError:
        raise
    except Exception as error:
        raise SideError("raised", f"forward raised {in_words(error, path)}") from error


def outputs_of(returned: Any) -> list[torch.Tensor]:
    """Raises SideError where it is no tensor, and no list, tuple or dict of tensors."""
    if not isinstance(returned, (torch.Tensor, list, tuple, dict)):
        raise SideError("bad_output", f"forward returned a {type(returned).__name__}, not a tensor")
    found = list(tensors_in(returned))
    if not found:
        raise SideError("bad_output", "forward returned no tensor")
    for tensor in found:
        if tensor.layout is not torch.strided:
            raise SideError("bad_output", f"forward returned a tensor of layout {tensor.layout}, only dense ones can be compared")
    return found


def buffer_names(model: torch.nn.Module) -> list[str]:
    """Those that are part of the state, such as running means: they are results of a call too."""
    state = model.state_dict()
    return [name for name, _ in model.named_buffers() if name in state]


def constants_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Buffers that are no part of the state, such as tables of sines."""
    state = model.state_dict()
    return {name: tensor for name, tensor in model.named_buffers() if name not in state}


def state_of(model: torch.nn.Module, names: list[str]) -> list[torch.Tensor]:
    """The buffers of these names. Raises SideError where one is missing."""
    state = model.state_dict()
    missing = [name for name in names if name not in state]
    if missing:
        raise SideError("state_differs", f"it has no {missing[0]}, which the reference's state has")
    return [state[name] for name in names]


def backward(call: Called, cotangents: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    """Gradients of Σ output·cotangent by what they belong to; empty where no output depends on anything. Raises SideError."""
    pairs = [
        (output, cotangent)
        for output, cotangent in zip(outputs_of(call.returned), cotangents, strict=True)
        if output.requires_grad and output.is_floating_point()
    ]
    if not pairs:
        return {}
    names = list(call.leaves)
    try:
        found = torch.autograd.grad([o for o, _ in pairs], list(call.leaves.values()), [c for _, c in pairs], allow_unused=True)
    except SideError:
        raise
    except Exception as error:
        raise SideError("raised", f"backward raised {in_words(error, '')}") from error
    return {name: gradient for name, gradient in zip(names, found, strict=True) if gradient is not None}
