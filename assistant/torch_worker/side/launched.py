# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""A model around launchers in a ``.cu`` file: outputs are allocated as their table says, and the launchers are given plain pointers.

Example::

    launched_model({"launcher": "softmax", "inputs": {"x": ["n", "m"]}, "outputs": {"y": ["n", "m"]}, "weights": {},
                    "args": ["y", "x", "n", "m"], "types": {"y": "float32"}, "backward": None}, "/p/softmax.cu")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.library_op import library_op
from assistant.torch_worker.side.place import Place
from assistant.torch_worker.side.pointers import PointerFunctions
from assistant.torch_worker.side.sizes import bound, size_of

__all__ = ["launched_model"]

_GRADIENT = "grad_"


def launched_model(table: dict[str, Any], path: str, place: Place) -> type[torch.nn.Module]:
    """It is given all of the reference's weights (``take``); launchers get those that the table names."""
    launchers = _Launchers(table, path, place)

    class Launched(torch.nn.Module):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self._weights: dict[str, torch.Tensor] = {}
            """All of them, by the reference's names."""
            self._ops: dict[tuple[type, ...], Callable[..., Any]] = {}
            """By the types of what it is given."""

        def take(self, weights: dict[str, torch.Tensor], buffers: Sequence[str]) -> None:
            self._weights = {
                name: tensor if name in buffers or not tensor.is_floating_point() else torch.nn.Parameter(tensor)
                for name, tensor in weights.items()
            }

        def named_parameters(self, *_: Any, **__: Any) -> Iterator[tuple[str, torch.nn.Parameter]]:
            for name, weight in self._weights.items():
                if isinstance(weight, torch.nn.Parameter):
                    yield name, weight

        def state_dict(self, *_: Any, **__: Any) -> dict[str, torch.Tensor]:
            return dict(self._weights)

        def load_state_dict(self, state: dict[str, torch.Tensor], *_: Any, **__: Any) -> None:
            with torch.no_grad():
                for name, tensor in state.items():
                    self._weights[name].copy_(tensor)

        def forward(self, *inputs: Any) -> Any:
            named = _named(table, inputs, self._weights)
            if not torch.is_grad_enabled() and not torch.compiler.is_compiling():
                made = launchers.forward(named)  # nobody asks for shapes or gradients: by the shortest way
                return made[0] if len(made) == 1 else made
            types = tuple(map(type, named.values()))
            if types not in self._ops:
                self._ops[types] = library_op(table["launcher"], named, launchers)
            return self._ops[types](*named.values())

    return Launched


class _Launchers:
    """Those that a table names, called with tensors by name."""

    def __init__(self, table: dict[str, Any], path: str, place: Place) -> None:
        self._table = table
        self._device = place.device
        self._plans: dict[tuple[Any, ...], _Plan] = {}
        self.output_count = len(table["outputs"])
        self.has_backward = table["backward"] is not None
        names = [table["launcher"], *([table["backward"]["launcher"]] if table["backward"] else [])]
        text = Path(path).read_text("utf-8")
        if place.is_gpu:
            self._module: Any = PointerFunctions(text, names, Path(os.environ["TORCH_EXTENSIONS_DIR"]), Path(path).parent)
        else:
            self._module = cpp_extension.load_inline(names[0], "", cuda_sources=text, functions=names)

    def empty(self, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
        """Outputs, with nothing in them."""
        return self._planned(named).empty()

    def forward(self, named: dict[str, Any]) -> tuple[torch.Tensor, ...]:
        plan = self._planned(named)
        outputs = plan.empty()
        plan.call({**named, **dict(zip(self._table["outputs"], outputs, strict=True))})
        return outputs

    def _planned(self, named: dict[str, Any]) -> _Plan:
        """What inputs of these shapes need; found once."""
        key = tuple(tuple(value.shape) if isinstance(value, torch.Tensor) else value for value in named.values())
        if key not in self._plans:
            self._plans[key] = _Plan(self._table, _sizes(self._table, named), self._device, getattr(self._module, self._table["launcher"]))
        return self._plans[key]

    def backward(
        self, named: dict[str, Any], outputs: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> dict[str, torch.Tensor]:
        """Gradients of what the backward launcher is given as ``grad_NAME``; they begin at zero."""
        table = self._table["backward"]
        of_outputs = dict(zip(self._table["outputs"], outputs, strict=True))
        known = {**named, **of_outputs}
        for (name, output), cotangent in zip(of_outputs.items(), cotangents, strict=True):
            known[_GRADIENT + name] = torch.zeros_like(output) if cotangent is None else cotangent.contiguous()
        wanted = [word.removeprefix(_GRADIENT) for word in table["args"] if word.startswith(_GRADIENT) and word not in known]
        gradients = {name: torch.zeros_like(named[name]) for name in wanted}
        known.update({_GRADIENT + name: gradient for name, gradient in gradients.items()})
        sizes = _sizes(self._table, named)
        arguments = (known[word] if word in known else _number(word, sizes) for word in table["args"])
        getattr(self._module, table["launcher"])(*arguments)
        return gradients


class _Plan:
    """Calls of a launcher on inputs of some shapes: the shapes of its outputs, and what it is given besides tensors."""

    def __init__(self, table: dict[str, Any], sizes: dict[str, int], device: torch.device, function: Callable[..., None]) -> None:
        self._function = function
        self._device = device
        self._outputs = [
            ([size_of(size, sizes) for size in shape], getattr(torch, table["types"][name])) for name, shape in table["outputs"].items()
        ]
        tensors = {*table["inputs"], *table["weights"], *table["outputs"]}
        self._arguments = [(word, None if word in tensors else _number(word, sizes)) for word in table["args"]]

    def empty(self) -> tuple[torch.Tensor, ...]:
        """Outputs, with nothing in them."""
        return tuple(torch.empty(shape, dtype=dtype, device=self._device) for shape, dtype in self._outputs)

    def call(self, known: dict[str, Any]) -> None:
        """``known``: tensors and inputs by name."""
        self._function(*(known[word] if number is None else number for word, number in self._arguments))


def _named(table: dict[str, Any], inputs: tuple[Any, ...], weights: dict[str, torch.Tensor]) -> dict[str, Any]:
    if len(inputs) != len(table["inputs"]):
        raise RuntimeError(f"forward has {len(inputs)} arguments, the table of {table['launcher']} names {len(table['inputs'])} inputs")
    found = dict(zip(table["inputs"], inputs, strict=True))
    for name, weight in table["weights"].items():
        if weight not in weights:
            raise SideError("state_differs", f"the table names the weight {weight}; the reference's are {', '.join(weights) or 'none'}")
        found[name] = weights[weight]
    return {name: value.contiguous() if isinstance(value, torch.Tensor) else value for name, value in found.items()}


def _sizes(table: dict[str, Any], named: dict[str, Any]) -> dict[str, int]:
    """What the names in the inputs' shapes stand for, and whole numbers among the inputs. Raises SizeError where they do not fit."""
    tensors = {name: tuple(named[name].shape) for name in table["inputs"] if isinstance(named[name], torch.Tensor)}
    numbers = {name: named[name] for name in table["inputs"] if isinstance(named[name], int)}
    return {**numbers, **bound(table["inputs"], tensors)}


def _number(word: str, sizes: dict[str, int]) -> int | float:
    """A size, or a constant such as ``1e-5``."""
    try:
        return size_of(word, sizes) if word.isidentifier() or word.isdigit() else float(word)
    except ValueError:
        return size_of(word, sizes)
