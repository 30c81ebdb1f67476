# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""A candidate on the inputs of all cases, twice: in order on tensors that are used again, then backwards on fresh ones.

Knows nothing of the reference but its inputs and its weights, which come as files. Where functions of an extension have no answers yet,
the answer of this run says which calls to make (`extensions`).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.calling import Called, backward, called, outputs_of, state_of
from assistant.torch_worker.side.extensions import Extensions, Pending
from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.launched import launched_model
from assistant.torch_worker.side.loading import load, made
from assistant.torch_worker.side.on_cpu import CpuForCuda, map_cuda_to_cpu
from assistant.torch_worker.side.tensor_files import TensorFiles, decoded, decoded_tensor, digest, tensors_in
from assistant.torch_worker.side.watching import Fingerprint, OpenedFiles, computing_calls

__all__ = ["run"]

_LATE_S = 0.02
"""What is written into an output this long after its call has returned is late."""


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Raises SideError where the candidate's file cannot be used at all."""
    map_cuda_to_cpu(says_cuda=True)
    extensions = Extensions(folder)
    extensions.install()
    opened = OpenedFiles(frozenset(order["closed"]))
    fingerprint = Fingerprint()
    answer: dict[str, Any] = {"failure": None, "calls": [], "extensions": []}
    try:
        with CpuForCuda():
            candidate = _Candidate(order, folder, extensions)
            candidate.load()
            answer["cases"] = candidate.cases()
    except SideError as error:
        answer["failure"] = {"kind": error.kind, "message": str(error)}
    answer["calls"] = extensions.write_calls()
    answer["extensions"] = extensions.requests
    answer["replaced"] = fingerprint.changed()
    answer["reads_reference"] = opened.is_asked_for
    return answer


class _Candidate:
    def __init__(self, order: dict[str, Any], folder: Path, extensions: Extensions) -> None:
        self._order = order
        self._files = TensorFiles(folder / "results")
        self._extensions = extensions
        self._kind: Any = None
        self._models: list[torch.nn.Module | None] = []

    def load(self) -> None:
        """The class, and a model with the reference's weights for each of the reference's models."""
        torch.manual_seed(self._order["seed"])
        self._kind = self._loaded()
        self._models = [self._model(place, saved) for place, saved in enumerate(self._order["models"])]

    def _loaded(self) -> Any:
        if self._order["launcher"] is not None:
            return launched_model(self._order["launcher"], self._order["path"])
        module = load(self._order["path"], "kernelopt_candidate", self._order["folder"])
        kind = getattr(module, self._order["class"], None)
        if kind is None:
            raise SideError("bad_task", f"it defines no {self._order['class']}")
        return kind

    def _model(self, place: int, saved: dict[str, Any]) -> torch.nn.Module | None:
        """None while a call of its constructor has no answer."""
        self._extensions.at(place)
        try:
            model = made(self._kind, decoded(saved["init"]), self._order["path"])
        except Pending:
            return None
        state = {name: decoded_tensor(tensor) for name, tensor in saved["state"].items()}
        if self._order["launcher"] is not None:
            model.take(state, saved["buffers"])  # pyright: ignore[reportCallIssue]
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

    def cases(self) -> list[dict[str, Any]]:
        """What each case left in both passes; ``None`` of a pass whose calls have no answers yet."""
        count, model_count = len(self._order["cases"]), len(self._order["models"])
        found: list[dict[str, Any]] = [{} for _ in range(count)]
        kept: tuple[Any, list[Any]] | None = None
        for number in range(count):
            inputs = decoded(self._order["cases"][number]["inputs"])
            form = (self._order["cases"][number]["model"], [(t.shape, t.stride(), t.dtype) for t in tensors_in(inputs)])
            if kept is not None and kept[0] == form and not self._order["backward"]:
                for tensor, values in zip(tensors_in(kept[1]), tensors_in(inputs), strict=True):
                    tensor.copy_(values)
                inputs = [
                    old if isinstance(old, (torch.Tensor, list, tuple, dict)) else new for old, new in zip(kept[1], inputs, strict=True)
                ]
            kept = (form, inputs)
            found[number]["first"] = self._run(model_count + number, number, inputs)
        self._models = [self._model(model_count + count + place, saved) for place, saved in enumerate(self._order["models"])]
        for number in reversed(range(count)):
            inputs = decoded(self._order["cases"][number]["inputs"])
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
            with computing_calls() as computing:
                call = called(model, inputs, self._order["path"], is_backward=self._order["backward"])
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
        left["call_count"] = self._extensions.call_count
        return left

    def _left(self, call: Called, case: dict[str, Any], model: torch.nn.Module, buffers: list[str]) -> dict[str, Any]:
        outputs = outputs_of(call.returned)
        special = next((type(tensor).__name__ for tensor in outputs if type(tensor) not in (torch.Tensor, torch.nn.Parameter)), None)
        if special is not None:
            raise SideError("bad_output", f"forward returned a {special}, a class of its own: outputs must be plain tensors")
        saved = [self._files.saved(tensor) for tensor in outputs]
        time.sleep(_LATE_S)
        late = [digest(tensor) for tensor in outputs] != [each["sha256"] for each in saved]
        pointers = {tensor.data_ptr() for tensor in outputs if tensor.numel()}
        previous, self._previous = getattr(self, "_previous", None), (outputs, pointers)
        shares = previous is not None and bool(previous[1] & pointers)
        gradients: dict[str, torch.Tensor] = {}
        if self._order["backward"]:
            gradients = backward(call, [decoded_tensor(cotangent) for cotangent in case["cotangents"]])
        return {
            "failure": None,
            "outputs": saved + [self._files.saved(tensor) for tensor in state_of(model, buffers)],
            "output_count": len(outputs),
            "is_late": late,
            "shares_memory": shares,
            "gradients": {name: self._files.saved(tensor) for name, tensor in gradients.items()},
        }
