"""A bound launch on the user's own GPU: their process, their context, the stream that their library works on.

Calling a kernel with arrays of a GPU is the user's own act, so it happens where their arrays live. As with every launch, what goes wrong
while it runs shows when the user next waits for the GPU.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from assistant.lab.compiler import Compiler, Image
from assistant.live.binding import Bound
from assistant.live.compiling import CompiledText
from assistant.live.cuda_driver import Launch
from assistant.live.faults import KernelFailed
from assistant.live.gpu_modules import GpuModules
from assistant.live.loop import BackgroundLoop
from assistant.model.launch import LaunchConfig
from assistant.ports.lab import LabFailure

__all__ = ["OnGpu"]

_POINTER_BYTES = 8


class OnGpu:
    """Launches one compiled text on the GPUs that its arrays are on."""

    checks_calls = False

    def __init__(self, loop: BackgroundLoop, compiler: Compiler, compiled: CompiledText, modules: GpuModules) -> None:
        self._loop = loop
        self._compiler = compiler
        self._compiled = compiled
        self._modules = modules
        self._images: dict[tuple[str, int], Image] = {}
        """By instance and GPU."""

    def run(self, bound: Bound, config: LaunchConfig, is_checked: bool) -> None:
        """Queue the launch, which nothing here can check. Raises KernelFailed where it cannot be compiled or is refused."""
        driver = self._modules.driver
        index = int(bound.device.rpartition(":")[2])
        context = driver.use_device(index)
        symbol = bound.signature.symbol
        function = self._modules.function(self, self._image(symbol, index), symbol, context)
        driver.launch(Launch(function, config, _argument_bytes(bound), _stream_of(bound, index)))

    def _image(self, symbol: str, index: int) -> Image:
        found = self._images.get((symbol, index))
        if found is not None:
            return found
        program = replace(self._compiled.program, kernels=(symbol,))
        image = self._loop.wait(self._compiler.image(program, self._modules.driver.architecture(index)))
        if isinstance(image, LabFailure):
            raise KernelFailed(image.message, image.remedy)
        self._images[symbol, index] = image
        return image


def _argument_bytes(bound: Bound) -> tuple[bytes, ...]:
    """Each argument as the kernel reads it, in order."""
    return tuple(
        bound.scalars[name] if name not in bound.arrays else bound.arrays[name].address.to_bytes(_POINTER_BYTES, "little")
        for name in (parameter.name for parameter in bound.signature.parameters)
    )


def _stream_of(bound: Bound, index: int) -> int:
    """The stream that the arrays' library works on; the default one for libraries that do not say. They are loaded already."""
    kinds = {array.kind for array in bound.arrays.values()}
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if "torch tensor" in kinds and torch is not None:
        return int(torch.cuda.current_stream(index).cuda_stream)
    if "CuPy array" in kinds and cupy is not None:
        return int(cupy.cuda.get_current_stream().ptr)
    return 0
