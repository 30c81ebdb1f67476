# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Code that was written for a GPU, run where there is none: ``cuda`` means the CPU, and waiting for the device returns at once.

What cannot be mapped (streams, events, graphs) ends the side, and says so.
"""

from __future__ import annotations

import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assistant.torch_worker.side.failures import SideError

__all__ = ["CpuForCuda", "map_cuda_to_cpu"]

_STREAMS = ("Stream", "Event", "stream", "graph", "CUDAGraph", "ExternalStream")


class CpuForCuda(TorchFunctionMode):
    """Within it, functions of PyTorch take ``cuda`` for ``cpu``."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        mapped = {name: _mapped(value) for name, value in (kwargs or {}).items()}
        return func(*(_mapped(value) for value in args), **mapped)


def _mapped(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def map_cuda_to_cpu(*, says_cuda: bool) -> None:
    """For the rest of this process. ``says_cuda``: tensors say that they are on the GPU, as code expects that checks its arguments."""

    def same(self: Any, *_: Any, **__: Any) -> Any:
        return self

    torch.Tensor.cuda = same
    torch.nn.Module.cuda = same
    if says_cuda:
        setattr(torch.Tensor, "is_cuda", property(lambda _: True))  # noqa: B010 - the stub says that it is a plain bool
        torch.cuda.is_available = lambda: True
    answers = {
        "synchronize": None, "current_device": 0, "device_count": 1, "set_device": None, "empty_cache": None,
        "get_device_name": "CPU emulator", "get_device_capability": (9, 0), "manual_seed": None, "manual_seed_all": None,
        "current_stream": types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None), "init": None,
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, _answer=answer, **__: _answer)
    for name in _STREAMS:
        setattr(torch.cuda, name, _refusal(f"torch.cuda.{name}"))


def _refusal(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise SideError("unsupported", f"{name} is not emulated: without a GPU, operators run on the default stream alone")

    return refuse
