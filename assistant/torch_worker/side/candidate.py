# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""A candidate on the inputs of all cases, twice: in order on tensors that are used again, then backwards on fresh ones.

Knows nothing of the reference but its inputs and its weights, which come as files. Where functions of an extension have no answers yet,
the answer of this run says which calls to make (`extensions`).
"""

from __future__ import annotations

import importlib
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.calling import Called, backward, called, outputs_of, state_of
from assistant.torch_worker.side.extensions import Extensions, Pending
from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.launched import launched_model
from assistant.torch_worker.side.loading import load, made
from assistant.torch_worker.side.native import NativeExtensions
from assistant.torch_worker.side.place import Place
from assistant.torch_worker.side.tensor_files import TensorFiles, decoded, decoded_tensor, digest, tensors_in
from assistant.torch_worker.side.watching import Fingerprint, OpenedFiles, computing_calls

__all__ = ["Candidate", "prepare", "run"]

_LATE_S = 0.02
"""What is written into an output this long after its call has returned is late."""


def prepare(order: dict[str, Any]) -> None:
    """Import what takes long and knows nothing of the candidate."""
    importlib.import_module("torch.utils.cpp_extension")
    if order["launcher"] is None:  # its Python may use torch.compile, which must not be imported where PyTorch seems to have a GPU
        importlib.import_module("torch._inductor")


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Raises SideError where the candidate's file cannot be used at all."""
    place = Place(order, folder)
    prepare(order)
    extensions = NativeExtensions() if place.is_gpu else Extensions(folder)
    opened = OpenedFiles(frozenset(order["closed"]))
    answer: dict[str, Any] = {"failure": None, "calls": [], "extensions": [], "is_blind": False}
    with place.entered(says_cuda=True):
        extensions.install()
        fingerprint = Fingerprint()
        try:
            candidate = Candidate(order, folder, extensions, place)
            candidate.load()
            answer["cases"] = candidate.cases()
            answer["is_blind"] = candidate.is_blind
        except SideError as error:
            answer["failure"] = {"kind": error.kind, "message": str(error)}
    answer["calls"] = extensions.write_calls()
    answer["extensions"] = extensions.requests
    answer["replaced"] = fingerprint.changed()
    answer["reads_reference"] = opened.is_asked_for
    return answer


class Candidate:
    """What stands in the place of the reference, with the reference's weights."""

    def __init__(self, order: dict[str, Any], folder: Path, extensions: Extensions | NativeExtensions, place: Place) -> None:
        self._order = order
        self._folder = folder
        self._files = TensorFiles(folder / "results")
        self._extensions = extensions
        self._place = place
        self._trace: Any = None
        self._kind: Any = None
        self._models: list[torch.nn.Module | None] = []

    @property
    def is_blind(self) -> bool:
        """Whether it is not known which kernels ran on the GPU."""
        return self._trace is not None and self._trace.is_blind

    def load(self) -> None:
        """The class, and a model with the reference's weights for each of the reference's models."""
        torch.random.manual_seed(self._order["seed"])
        self._kind = self._loaded()
        self._place.take("share")
        if isinstance(self._extensions, NativeExtensions):
            from assistant.torch_worker.side.trace import Trace, words_of

            self._trace = Trace(words_of(Path(self._order["path"]).read_text("utf-8"), *self._extensions.texts))
        self._models = [self.model(place, saved) for place, saved in enumerate(self._order["models"])]

    def _loaded(self) -> Any:
        if self._order["launcher"] is not None:
            return launched_model(self._order["launcher"], self._order["path"], self._place)
        module = load(self._order["path"], "kernelopt_candidate", self._order["folder"])
        kind = getattr(module, self._order["class"], None)
        if kind is None:
            raise SideError("bad_task", f"it defines no {self._order['class']}")
        return kind

    def model(self, place: int, saved: dict[str, Any]) -> torch.nn.Module | None:
        """One with these weights; None while a call of its constructor has no answer."""
        self._extensions.at(place)
        try:
            model = made(self._kind, decoded(saved["init"]), self._order["path"]).to(self._place.device)
        except Pending:
            return None
        state = {name: decoded_tensor(tensor, self._place.device) for name, tensor in saved["state"].items()}
        if self._order["launcher"] is not None:
            constants = {name: decoded_tensor(tensor, self._place.device) for name, tensor in saved["constants"].items()}
            model.take(state | constants, [*saved["buffers"], *constants])  # pyright: ignore[reportCallIssue]
            return model
        own = model.state_dict()
        missing, more = sorted(state.keys() - own.keys()), sorted(own.keys() - state.keys())
        if missing or more:
            what = f"no {missing[0]}" if missing else f"a {more[0]} that the reference has not"
            raise SideError("state_differs", f"it has {what}; the reference's weights are {', '.join(state) or 'none'}")
        wrong = next((name for name in state if own[name].shape != state[name].shape), None)
        if wrong is not None:
            raise SideError("state_differs", f"{wrong} has shape {list(own[wrong].shape)}, the reference's {list(state[wrong].shape)}")
        model.load_state_dict(state)
        return model

    def inputs(self, number: int) -> list[Any]:
        """Of one case, fresh."""
        return decoded(self._order["cases"][number]["inputs"], self._place.device)

    def cases(self) -> list[dict[str, Any]]:
        """What each case left in both passes; ``None`` of a pass whose calls have no answers yet."""
        count, model_count = len(self._order["cases"]), len(self._order["models"])
        found: list[dict[str, Any]] = [{} for _ in range(count)]
        kept: tuple[Any, list[Any]] | None = None
        for number in range(count):
            inputs = self.inputs(number)
            form = (self._order["cases"][number]["model"], [(t.shape, t.stride(), t.dtype) for t in tensors_in(inputs)])
            if kept is not None and kept[0] == form and not self._order["backward"]:
                for tensor, values in zip(tensors_in(kept[1]), tensors_in(inputs), strict=True):
                    tensor.copy_(values)
                inputs = [
                    old if isinstance(old, (torch.Tensor, list, tuple, dict)) else new for old, new in zip(kept[1], inputs, strict=True)
                ]
            kept = (form, inputs)
            found[number]["first"] = self._run(model_count + number, number, inputs)
        self._models = [self.model(model_count + count + place, saved) for place, saved in enumerate(self._order["models"])]
        for number in reversed(range(count)):
            inputs = self.inputs(number)
            found[number]["second"] = self._run(2 * (model_count + count) - number - 1, number, inputs)
        return found

    def _run(self, place: int, number: int, inputs: list[Any]) -> dict[str, Any] | None:
        case = self._order["cases"][number]
        index = case["model"]
        model = self._models[index]
        if model is None:
            return None
        self._extensions.at(place)
        self._extensions.call_count = 0
        left: dict[str, Any]
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        try:
            with computing_calls(is_of_launcher=self._order["launcher"] is not None) as computing, self._traced() as kernels:
                call = called(model, inputs, self._order["path"], self._place.wait_for_stream, is_backward=self._order["backward"])
                left = self._left(call, case, model, self._order["models"][index]["buffers"])
        except Pending:
            return None
        except SideError as error:
            left = {"failure": {"kind": error.kind, "message": str(error)}}
        finally:
            model.load_state_dict(before)
        if self._extensions.is_pending:
            return None
        left["inputs_after"] = [self._files.saved(tensor) for tensor in tensors_in(inputs)]
        left["computing"] = dict(computing)
        left["kernels"] = [list(kernel) for kernel in kernels]
        left["call_count"] = self._extensions.call_count
        return left

    def _traced(self) -> Any:
        return nullcontext([]) if self._trace is None else self._trace.recorded()

    def _left(self, call: Called, case: dict[str, Any], model: torch.nn.Module, buffers: list[str]) -> dict[str, Any]:
        outputs = outputs_of(call.returned)
        special = next((type(tensor).__name__ for tensor in outputs if type(tensor) not in (torch.Tensor, torch.nn.Parameter)), None)
        if special is not None:
            raise SideError("bad_output", f"forward returned a {special}, a class of its own: outputs must be plain tensors")
        saved = [self._files.saved(tensor) for tensor in outputs]
        time.sleep(_LATE_S)
        self._place.wait()
        late = [digest(tensor) for tensor in outputs] != [each["sha256"] for each in saved]
        pointers = {tensor.data_ptr() for tensor in outputs if tensor.numel()}
        previous, self._previous = getattr(self, "_previous", None), (outputs, pointers)
        shares = previous is not None and bool(previous[1] & pointers)
        gradients: dict[str, torch.Tensor] = {}
        if self._order["backward"]:
            gradients = backward(call, [decoded_tensor(cotangent, self._place.device) for cotangent in case["cotangents"]])
        return {
            "failure": None,
            "outputs": saved + [self._files.saved(tensor) for tensor in state_of(model, buffers)],
            "output_count": len(outputs),
            "is_late": late,
            "shares_memory": shares,
            "gradients": {name: self._files.saved(tensor) for name, tensor in gradients.items()},
        }
