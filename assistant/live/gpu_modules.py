"""What is loaded into the GPU contexts of the user's process: each kernel once, until all are unloaded.

Example::

    modules = GpuModules()
    modules.function(kernel, image, "scale(float*, float const*, int)", modules.driver.use_device(0))
    modules.close()
"""

from __future__ import annotations

import atexit
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from assistant.lab.compiler import Image
from assistant.live.cuda_driver import UserDriver, installed
from assistant.live.faults import KernelFailed

__all__ = ["GpuModules"]


class GpuModules:
    """The modules of one session; a launch may come from any thread."""

    def __init__(self, library: Callable[[], Any] = installed) -> None:
        """``library``: gives the driver's library when it is first needed."""
        self._library = library
        self._modules: dict[tuple[object, str, int], ctypes.c_void_p] = {}
        """By owner, file and context."""
        self._functions: dict[tuple[object, str, str, int], ctypes.c_void_p] = {}
        """By owner, file, instance and context."""
        self._lock = threading.Lock()

    @cached_property
    def driver(self) -> UserDriver:
        """Raises KernelFailed where there is none."""
        return UserDriver(self._library())

    def function(self, owner: object, image: Image, symbol: str, context: int) -> ctypes.c_void_p:
        """The kernel in the context, which is current. Raises KernelFailed where the driver refuses it.

        ``owner``: who calls it; each has ``__device__`` variables of its own, which keep what a call left there.
        """
        key = (owner, image.cubin, symbol, context)
        with self._lock:
            if key not in self._functions:
                self._functions[key] = self.driver.function(self._module(owner, image, context), image, symbol)
            return self._functions[key]

    def close(self) -> None:
        """Unload them all, once their launches have ended; a later launch loads its module again."""
        for (_, _, context), module in self._taken().items():
            with suppress(KernelFailed):  # a context that its owner destroyed took its modules along
                self.driver.unload(module, context)

    def _module(self, owner: object, image: Image, context: int) -> ctypes.c_void_p:
        key = (owner, image.cubin, context)
        if key not in self._modules:
            self._modules[key] = self.driver.load(image)
            atexit.register(self._taken)  # contexts end with the process, in whichever order: nothing is unloaded from one then
        return self._modules[key]

    def _taken(self) -> dict[tuple[object, str, int], ctypes.c_void_p]:
        """All modules, which are forgotten here."""
        with self._lock:
            atexit.unregister(self._taken)
            modules, self._modules, self._functions = self._modules, {}, {}
            return modules
