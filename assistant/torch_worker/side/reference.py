# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""The reference of a task, run on all inputs: what it returns, what it returns in float64, and how it behaves.

Knows nothing of candidates. The answer's cases name files with inputs and outputs (``tensor_files``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side import inputs as drawing
from assistant.torch_worker.side.calling import Called, backward, buffer_names, called, constants_of, outputs_of, state_of
from assistant.torch_worker.side.failures import SideError, in_words
from assistant.torch_worker.side.loading import load, made
from assistant.torch_worker.side.place import Place
from assistant.torch_worker.side.tensor_files import TensorFiles, decoded, digest, moved, tensors_in

__all__ = ["run"]

_MOST_BYTES = 1 << 30
"""Inputs of one case, at most."""
_VARIED_BYTES = 32 << 20
"""Up to so much there are further cases of the same inputs."""
_PERTURBATIONS = 4
_CPU = torch.device("cpu")


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Raises SideError where the task itself cannot be run on its own inputs."""
    place = Place(order, folder)
    with place.entered(says_cuda=False):
        module = load(order["path"], "kernelopt_task", order["folder"])
        for name, value in order["sizes"].items():
            setattr(module, name, value)
        place.take("share")
        return _Reference(order, module, folder, place).answer()


class _Reference:
    def __init__(self, order: dict[str, Any], module: Any, folder: Path, place: Place) -> None:
        self._order = order
        self._module = module
        self._place = place
        self._files = TensorFiles(folder / "inputs")
        self._results = TensorFiles(folder / "results")
        self._models: list[dict[str, Any]] = []
        self._cases: list[dict[str, Any]] = []
        self._dropped: list[str] = []
        self._is_large = False
        """Two draws are all that there is room and time for."""

    def answer(self) -> dict[str, Any]:
        seeds: list[int] = self._order["seeds"]
        for number, seed in enumerate(seeds):
            if number and self._is_large:
                break
            self._of_seed(seed, is_first=number == 0)
        for sizes in self._order["size_trials"]:
            if not self._of_other_sizes(sizes, seeds[0]) and len(sizes) > 1:
                for name, value in sizes.items():
                    self._of_other_sizes({name: value}, seeds[0])
        varied = next((list(sizes) for sizes in self._order["model_trials"] if self._of_other_sizes(sizes, seeds[0])), [])
        return {
            "failure": None,
            "torch": torch.__version__,
            "models": self._models,
            "cases": self._cases,
            "dropped": self._dropped,
            "varied": varied,
        }

    def _of_seed(self, seed: int, *, is_first: bool) -> None:
        model, given = self._model(seed), self._inputs(seed)
        index = len(self._models) - 1
        self._is_large |= _bytes(given) > _VARIED_BYTES
        self._add(index, model, drawing.Drawn("given", 1.0, given), is_needed=True)
        self._add(index, model, drawing.Drawn("given", 1.0, self._inputs(seed + 1)), is_needed=True)
        if is_first and self._is_large:
            self._dropped.append(
                f"other values of the same shapes: inputs of {_bytes(given) >> 20} MiB are tried twice, as the task draws them"
            )
        elif is_first and not self._order["is_short"]:
            for drawn in (*drawing.variations(given, seed), *drawing.edges(given), *self._slices(given)):
                self._add(index, model, drawn, is_needed=False)

    def _slices(self, given: list[Any]) -> Iterator[drawing.Drawn]:
        if self._order["size_trials"]:
            return
        count = next((tensor.shape[0] for tensor in tensors_in(given) if tensor.dim()), 0)
        for wanted in dict.fromkeys((count // 2 + 1, 1, 0)):
            part = drawing.sliced(given, wanted)
            if part is not None:
                yield drawing.Drawn("size" if wanted else "empty", 1.0, part)

    def _of_other_sizes(self, sizes: dict[str, int], seed: int) -> bool:
        """Whether the reference takes them."""
        kept = {name: getattr(self._module, name) for name in sizes}
        words = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        kind = "size" if all(sizes.values()) else "empty"
        try:
            for name, value in sizes.items():
                setattr(self._module, name, value)
            drawn = drawing.Drawn(kind, 1.0, self._inputs(seed))
            model = self._model(seed)
        except SideError as error:
            self._dropped.append(f"{kind} {words}: {error}")
            return False
        finally:
            for name, value in kept.items():
                setattr(self._module, name, value)
        return self._add(len(self._models) - 1, model, drawn, is_needed=False)

    def _model(self, seed: int) -> torch.nn.Module:
        torch.random.manual_seed(seed)
        path = self._order["path"]
        init: Any = []
        if hasattr(self._module, "get_init_inputs"):
            init = self._drawn("get_init_inputs")
        torch.random.manual_seed(seed)
        model = made(getattr(self._module, self._order["class"]), init, path).to(self._place.device)
        state = {name: self._files.saved(tensor) for name, tensor in model.state_dict().items()}
        constants = {name: self._files.saved(tensor) for name, tensor in constants_of(model).items()}
        saved = {"init": self._files.encoded(init), "state": state, "constants": constants, "buffers": buffer_names(model), "seed": seed}
        self._models.append(saved)
        return model

    def _inputs(self, seed: int) -> list[Any]:
        torch.random.manual_seed(seed)
        drawn = self._drawn("get_inputs")
        if isinstance(drawn, torch.Tensor):
            raise SideError("bad_inputs", "get_inputs() returned a tensor: it must return a list of forward's arguments")
        if not isinstance(drawn, (list, tuple)):
            raise SideError("bad_inputs", f"get_inputs() returned a {type(drawn).__name__}: it must return a list of forward's arguments")
        size = _bytes(drawn)
        if size > _MOST_BYTES:
            raise SideError("too_large", f"get_inputs() returned {size / 2**30:.1f} GiB of tensors")
        return moved(list(drawn), _CPU)

    def _drawn(self, name: str) -> Any:
        try:
            return getattr(self._module, name)()
        except Exception as error:
            raise SideError("raised", f"{name}() raised {in_words(error, self._order['path'])}") from error

    def _add(self, index: int, model: torch.nn.Module, drawn: drawing.Drawn, *, is_needed: bool) -> bool:
        """Run one case, and say whether it counts: only if the reference runs on it, and returns numbers where it did on the task's own."""
        words = drawing.in_words(drawn.inputs)
        try:
            self._cases.append({"kind": drawn.kind, "scale": drawn.scale, "shape": words, "model": index, **self._run(model, drawn.inputs)})
        except SideError as error:
            if is_needed or error.kind == "bad_output":
                raise
            self._dropped.append(f"{drawn.kind} {words}: {error}")
            return False
        return True

    def _run(self, model: torch.nn.Module, inputs: list[Any]) -> dict[str, Any]:
        path, is_backward = self._order["path"], self._order["backward"]
        names, device = buffer_names(model), self._place.device
        saved = self._files.encoded(inputs)
        inputs = decoded(saved, device)  # the caller's own are used for further cases
        before = [digest(tensor) for tensor in tensors_in(inputs)]
        own = copy.deepcopy(model)
        first = called(own, decoded(saved, device), path, is_backward=is_backward)
        outputs = outputs_of(first.returned)
        cotangents = [_cotangent(output, number) for number, output in enumerate(outputs)]
        results = [*outputs, *state_of(own, names)]
        again_model = copy.deepcopy(model)
        again = called(again_model, inputs, path, is_backward=is_backward)
        repeated = [*outputs_of(again.returned), *state_of(again_model, names)]
        return {
            "inputs": saved,
            "outputs": [self._results.saved(tensor) for tensor in results],
            "repeated": [self._results.saved(tensor) for tensor in repeated],
            "output_count": len(outputs),
            "returned": _form(first.returned),
            "inputs_after": [self._results.saved(tensor) for tensor in tensors_in(inputs)],
            "changes_inputs": [digest(tensor) for tensor in tensors_in(inputs)] != before,
            "cotangents": [self._files.saved(tensor) for tensor in cotangents] if is_backward else [],
            "gradients": self._gradients(first, cotangents) if is_backward else {},
            **self._in_float64(model, saved, cotangents),
            "perturbed": [self._perturbed(model, saved, path, number) for number in range(self._perturbations(inputs))],
            "term_count": sum(t.numel() for t in (*tensors_in(inputs), *model.parameters())) / max(1, sum(o.numel() for o in outputs)),
        }

    def _perturbations(self, inputs: list[Any]) -> int:
        return 1 if _bytes(inputs) > _VARIED_BYTES else _PERTURBATIONS

    def _gradients(self, call: Called, cotangents: list[torch.Tensor]) -> dict[str, Any]:
        return {name: self._results.saved(tensor) for name, tensor in backward(call, cotangents).items()}

    def _in_float64(self, model: torch.nn.Module, saved: dict[str, Any], cotangents: list[torch.Tensor]) -> dict[str, Any]:
        """``float64`` is None where it does not run in that type."""
        wide, names = copy.deepcopy(model).double(), buffer_names(model)
        inputs = drawing.mapped(decoded(saved, self._place.device), lambda tensor: tensor.double())
        is_backward = self._order["backward"]
        try:
            call = called(wide, inputs, self._order["path"], is_backward=is_backward)
            results = [_widened(tensor) for tensor in (*outputs_of(call.returned), *state_of(wide, names))]
            gradients = self._gradients(call, [tensor.double() for tensor in cotangents]) if is_backward else {}
        except (SideError, RuntimeError):
            return {"float64": None, "gradients64": {}}
        return {"float64": [self._results.saved(tensor) for tensor in results], "gradients64": gradients}

    def _perturbed(self, model: torch.nn.Module, saved: dict[str, Any], path: str, number: int) -> list[dict[str, Any]]:
        """The reference on inputs moved by one unit in the last place, up or down at random."""
        generator = torch.Generator().manual_seed(number)

        def shifted(tensor: torch.Tensor) -> torch.Tensor:
            ways = torch.randint(0, 2, tensor.shape, generator=generator).to(tensor.device)
            target = torch.where(ways == 1, float("inf"), -float("inf")).to(tensor.dtype)
            return torch.nextafter(tensor, target) if tensor.dtype in (torch.float32, torch.float64) else tensor

        own, names = copy.deepcopy(model), buffer_names(model)
        returned = called(own, drawing.mapped(decoded(saved, self._place.device), shifted), path, is_backward=False).returned
        return [self._results.saved(tensor) for tensor in (*outputs_of(returned), *state_of(own, names))]


def _cotangent(output: torch.Tensor, seed: int) -> torch.Tensor:
    return torch.randn(output.shape, generator=torch.Generator().manual_seed(seed)).to(output.device, output.dtype)


def _bytes(inputs: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors_in(inputs))


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _form(returned: Any) -> str:
    if isinstance(returned, torch.Tensor):
        return "tensor"
    return f"{type(returned).__name__} of {len(returned)}"
