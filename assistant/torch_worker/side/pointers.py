# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Host functions of a ``.cu`` file, called with plain pointers: built by nvcc without any header of PyTorch, in one to three seconds.

What a function takes is the C++ compiler's to say: every argument arrives as pointer, whole number and number at once, and a template picks
what the parameter's type needs. Example::

    functions = PointerFunctions(text, ["row_softmax"], folder)
    functions.row_softmax(y, x, 5, 8)       # tensors on the GPU, and numbers
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from assistant.torch_worker.side.failures import SideError

__all__ = ["PointerFunctions"]

_BINDING = """
#include <cstdint>
#include <type_traits>
#include <utility>

namespace kernelopt_binding {
struct Value { void *pointer; int64_t whole; double number; };

template <class T> T as(const Value &value)
{
    if constexpr (std::is_pointer_v<T>) return static_cast<T>(value.pointer);
    else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.number);
    else return static_cast<T>(value.whole);
}

template <class R, class... T, std::size_t... At> int called(R (*function)(T...), const Value *values, std::index_sequence<At...>)
{
    function(as<std::decay_t<T>>(values[At])...);
    return static_cast<int>(cudaGetLastError());
}

template <class R, class... T> int called(R (*function)(T...), const Value *values, int count)
{
    return count == sizeof...(T) ? called(function, values, std::index_sequence_for<T...>{}) : -1;
}
}  // namespace kernelopt_binding
"""
_FUNCTION = """
extern "C" int kernelopt_call_{name}(const kernelopt_binding::Value *values, int count)
{{
    return kernelopt_binding::called(&{name}, values, count);
}}
"""
_OPTIONS = ("-O3", "-std=c++17", "-lineinfo", "-shared", "-Xcompiler", "-fPIC")
_BUILD_S = 300


class _Value(ctypes.Structure):
    _fields_ = (("pointer", ctypes.c_void_p), ("whole", ctypes.c_int64), ("number", ctypes.c_double))


class PointerFunctions:
    """The functions of these names, as attributes."""

    def __init__(self, text: str, names: Sequence[str], folder: Path, include: Path) -> None:
        """``folder``: where it is built, and found again; ``include``: of the file itself. Raises SideError where it does not compile."""
        library = ctypes.CDLL(str(_built(text, names, folder, include)))
        self._functions = {name: getattr(library, f"kernelopt_call_{name}") for name in names}

    def __getattr__(self, name: str) -> Callable[..., None]:
        function = self._functions[name]

        def call(*arguments: Any) -> None:
            status = function((_Value * len(arguments))(*map(_value, arguments)), len(arguments))
            if status < 0:
                raise RuntimeError(f"{name} does not take {len(arguments)} arguments")
            if status:
                raise RuntimeError(f"{name}: CUDA error {status} at a launch")

        return call


def _value(argument: Any) -> _Value:
    if isinstance(argument, torch.Tensor):
        return _Value(argument.data_ptr(), 0, 0.0)
    return _Value(None, int(argument), float(argument))


def _built(text: str, names: Sequence[str], folder: Path, include: Path) -> Path:
    whole = f'#line 1 "{names[0]}.cu"\n{text}\n{_BINDING}{"".join(_FUNCTION.format(name=name) for name in names)}'
    architecture = f"-arch=sm_{os.environ['TORCH_CUDA_ARCH_LIST'].replace('.', '')}"
    key = hashlib.sha256(f"{architecture}\n{include}\n{whole}".encode()).hexdigest()[:24]
    library = folder / f"{key}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{key}.cu"
    source.write_text(whole, "utf-8")
    partial = folder / f"{key}.{os.getpid()}.so"
    nvcc = Path(cpp_extension.CUDA_HOME or "/usr/local/cuda") / "bin" / "nvcc"
    command = [
        str(nvcc),
        architecture,
        "-O3",
        "-std=c++17",
        "-lineinfo",
        "-shared",
        "-Xcompiler",
        "-fPIC",
        f"-I{include}",
        str(source),
        "-o",
    ]
    done = subprocess.run([*command, str(partial)], capture_output=True, text=True, timeout=_BUILD_S, check=False)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:300])
        raise SideError("not_built", f"{names[0]} does not compile: {first}")
    partial.replace(library)
    return library
