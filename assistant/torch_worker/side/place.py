# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Where a side's tensors lie: on a GPU, or on the CPU, which then stands for one.

On a GPU its lock is taken before the first touch, and PyTorch's settings are the same for both sides: products of float32 in float32, no
search for the fastest convolution. Example::

    place = Place(order, folder)
    with place.entered(says_cuda=True):
        load(…)             # extensions are built
        place.take("share")
        model.to(place.device)
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.on_cpu import CpuForCuda, map_cuda_to_cpu

__all__ = ["Place"]

_POLL_S = 0.01


class Place:
    """One side's device."""

    def __init__(self, order: dict[str, Any], folder: Path) -> None:
        self.device = torch.device(order["device"])
        self._folder = folder

    @property
    def is_gpu(self) -> bool:
        return self.device.type == "cuda"

    def entered(self, *, says_cuda: bool) -> AbstractContextManager[object]:
        """Within it the user's code runs. ``says_cuda``: on the CPU, tensors say that they are on a GPU."""
        if not self.is_gpu:
            map_cuda_to_cpu(says_cuda=says_cuda)
            return CpuForCuda()
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = False
        return nullcontext()

    def take(self, kind: str) -> None:
        """Wait for the GPU's lock, to ``share`` it or to have it ``alone``; nothing on the CPU. Raises SideError where it stays busy."""
        if not self.is_gpu:
            return
        (self._folder / f"wants_{kind}").write_bytes(b"")  # a sandbox answers touch() as done
        busy = self._folder / f"busy_{kind}"
        while not (self._folder / f"has_{kind}").exists():
            if busy.exists():
                raise SideError("busy", busy.read_text("utf-8"))
            time.sleep(_POLL_S)

    def wait_for_stream(self) -> None:
        """Until what was issued to the current stream has ended; work on other streams may go on. Raises what kernels did wrong."""
        if self.is_gpu:
            torch.cuda.current_stream().synchronize()

    def wait(self) -> None:
        """Until everything has ended."""
        if self.is_gpu:
            torch.cuda.synchronize()
