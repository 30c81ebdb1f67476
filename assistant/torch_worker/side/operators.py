# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""The functions of PyTorch that one call of a task's model consists of: what each reads and writes, and at which line it is called.

Shapes decide that, so that nothing is computed where PyTorch can do without (`FakeTensorMode`); a model that looks at values runs.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from assistant.torch_worker.side.calling import constants_of
from assistant.torch_worker.side.failures import SideError, in_words
from assistant.torch_worker.side.loading import load, made
from assistant.torch_worker.side.on_cpu import CpuForCuda, map_cuda_to_cpu
from assistant.torch_worker.side.tensor_files import tensors_in
from assistant.torch_worker.side.watching import is_free

__all__ = ["run"]

_PRODUCTS = frozenset({"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "convolution", "_convolution"})
_UNTAGGED = frozenset({"hardswish", "rsub", "masked_fill", "tril", "triu"})
"""Element by element, and not tagged so."""
_COPIES = frozenset({"copy_", "clone", "_to_copy", "cat", "stack"})
_REDUCING = frozenset({
    "_softmax", "_log_softmax", "native_group_norm", "native_batch_norm", "_native_batch_norm_legit", "nll_loss_forward", "smooth_l1_loss",
    "mse_loss", "huber_loss", "logsumexp", "var_mean", "argmax", "argmin",
})  # fmt: skip
"""Reductions that PyTorch does not tag as such, by themselves or with what is made of them."""
_OF_ROWS = frozenset({"native_layer_norm", "_fused_rms_norm"})
_FILLED = {"zeros": 0.0, "zeros_like": 0.0, "new_zeros": 0.0, "ones": 1.0, "ones_like": 1.0, "new_ones": 1.0}
_FILLED_WITH = {"full": 1, "full_like": 1, "new_full": 2, "scalar_tensor": 0}
"""Functions that fill a tensor with one value, which is their argument of this number."""
_FILLED_LATER = frozenset({"fill_", "zero_"})
_REDUCTION = getattr(torch.Tag, "reduction", None)
"""Later versions of PyTorch have it."""


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Raises SideError where the task does not run on its own inputs."""
    map_cuda_to_cpu(says_cuda=False)
    with CpuForCuda():
        module = load(order["path"], "kernelopt_task", order["folder"])
        for name, value in order["sizes"].items():
            setattr(module, name, value)
        try:
            return _of_call(order, module, FakeTensorMode())
        except Exception:  # noqa: BLE001 - what cannot do without values raises anything
            return _of_call(order, module, nullcontext())


def _of_call(order: dict[str, Any], module: Any, mode: Any) -> dict[str, Any]:
    with mode, torch.no_grad():
        torch.random.manual_seed(order["seed"])
        init = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
        model = made(getattr(module, order["class"]), init, order["path"])
        inputs = module.get_inputs()
        recorder = _Recorder(order["path"])
        named = {**model.state_dict(), **constants_of(model)}
        weights = [{"name": name, **recorder.tensor(tensor)} for name, tensor in named.items()]
        given = {"inputs": [recorder.value(value) for value in inputs], "weights": weights}
        try:
            with recorder:
                returned = model(*inputs)
        except Exception as error:
            raise SideError("raised", f"forward raised {in_words(error, order['path'])}") from error
        results = [recorder.tensor(tensor) for tensor in tensors_in(returned)]
    answer = {"failure": None, "torch": torch.__version__, "calls": recorder.calls, "results": results, "filled": recorder.filled}
    return {**answer, **given}


class _Recorder(TorchDispatchMode):
    """Each call that computes, in order; views and allocations are none."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.calls: list[dict[str, Any]] = []
        self.filled: list[dict[str, Any]] = []
        """Tensors that are made of nothing, with what is in them."""
        self._path = path
        self._numbers: dict[int, int] = {}
        self._held: list[Any] = []
        """What has a number, so that no other tensor gets its place in memory."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        returned = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if func.namespace == "aten" and isinstance(returned, torch.Tensor):
            self._note_filled(name, args, kwargs or {}, returned)
        if func.namespace == "aten" and (name in _COPIES or not is_free(name)):
            read = list(tensors_in([args, *(kwargs or {}).values()]))
            self.calls.append({
                "name": name,
                "line": self._line(),
                "kind": _kind(func, name, args, read),
                "reads": [self.tensor(tensor) for tensor in read],
                "writes": [self.tensor(tensor) for tensor in tensors_in(returned)],
                "operations": _operations(func, args, kwargs or {}, returned, read),
                "arguments": [self.value(value) for value in args],
                "named": {key: self.value(value) for key, value in (kwargs or {}).items()},
            })  # fmt: skip
        return returned

    def _note_filled(self, name: str, args: Any, named: dict[str, Any], made: torch.Tensor) -> None:
        first: Any = None
        step: Any = 0
        if name in _FILLED:
            first = _FILLED[name]
        elif name in _FILLED_WITH and len(args) > _FILLED_WITH[name]:
            first = args[_FILLED_WITH[name]]
        elif name == "arange" and all(isinstance(each, (int, float)) for each in args):
            first, step = (0 if len(args) == 1 else args[0]), (args[2] if len(args) > 2 else 1)
        elif name == "lift_fresh" and made.numel() == 1:
            constant = getattr(made, "constant", made)  # what a fake tensor was made from
            first = None if constant is None else constant.item()
        elif name not in _FILLED_LATER:
            return
        self.filled.append({**self.tensor(made), "first": first if isinstance(first, (bool, int, float)) else None, "step": step})

    def tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Its memory by a number, and how much of it the tensor spans."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._held.append(storage)
        size = min(tensor.numel() * tensor.element_size(), storage.nbytes())
        return {
            "memory": self._numbers[key],
            "bytes": size,
            "dtype": str(tensor.dtype).rpartition(".")[2],
            "shape": list(tensor.shape),
            "is_whole": tensor.is_contiguous() and tensor.numel() * tensor.element_size() == storage.nbytes(),
            "strides": list(tensor.stride()),
            "offset": int(tensor.storage_offset()),
            "memory_bytes": storage.nbytes(),
        }

    def value(self, value: Any) -> Any:
        """A tensor, a number, None or a list of them; anything else in words."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value if value is None or isinstance(value, (bool, int, float)) else str(value)

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._path:
                return frame.f_lineno
            frame = frame.f_back
        return None


def _kind(func: Any, name: str, args: Any, read: list[torch.Tensor]) -> str:
    if name in _PRODUCTS or "scaled_dot_product" in name:
        return "product"
    if torch.Tag.pointwise in func.tags or name.removesuffix("_") in _UNTAGGED or name in _COPIES:
        return "pointwise"
    if name in _REDUCING | _OF_ROWS or _REDUCTION in func.tags:
        dims = args[2 if name == "linalg_vector_norm" else 1 :][:1]
        return "rows" if name in _OF_ROWS or _is_of_rows(dims, read) else "reduction"
    return "other"


def _is_of_rows(given: Any, read: list[torch.Tensor]) -> bool:
    """Whether it reduces the last dimensions alone, and there are several rows: each is then independent of the others."""
    dims = [dim for each in given for dim in (each if isinstance(each, (list, tuple)) else [each])]
    if not read or not dims or not all(type(dim) is int for dim in dims):
        return False
    shape = read[0].shape
    places = sorted(dim % max(1, len(shape)) for dim in dims)
    return places == list(range(len(shape) - len(places), len(shape))) and shape[: places[0]].numel() > 1


def _operations(func: Any, args: Any, kwargs: dict[str, Any], returned: Any, read: list[torch.Tensor]) -> int:
    """A multiply-add counts as two; of what is no product one for each element."""
    packet = func.overloadpacket
    if packet.__name__ == "_scaled_dot_product_flash_attention_for_cpu":
        packet = torch.ops.aten._scaled_dot_product_flash_attention
    counted = flop_registry.get(packet)
    if counted is not None:
        return int(counted(*args, **kwargs, out_val=returned))
    if packet.__name__ in ("mv", "addmv", "dot"):
        return 2 * max((tensor.numel() for tensor in read), default=0)
    return max((tensor.numel() for tensor in (*read, *tensors_in(returned))), default=0)
