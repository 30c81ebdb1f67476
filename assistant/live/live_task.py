"""Any PyTorch callable with example inputs as the text of a task, and a class or function in its place as the text of a candidate.

Nothing of PyTorch is imported here. Example::

    task_of(torch.nn.functional.silu, [x])       # a task whose Model calls silu, on values drawn like x's
    candidate_of(fast_silu)                      # a file whose ModelNew calls fast_silu
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, cast

from assistant.errors import UsageError
from assistant.live.live_text import LiveText, Root, live_text
from assistant.operators.task import MODEL, MODEL_NEW, Task, find_task
from assistant.record import Record

__all__ = ["Inputs", "LiveCandidate", "LiveTask", "candidate_of", "task_of"]

Inputs = Callable[[], Sequence[object]] | Sequence[object]
"""What a call takes, or a function that draws it."""
_GET_INPUTS = "get_inputs"
_DRAWN = '''\
def kernelopt_drawn(value):
    """Other values like these: floats drawn from them, all else in another order."""
    if isinstance(value, (list, tuple)):
        return type(value)(kernelopt_drawn(each) for each in value)
    if not isinstance(value, torch.Tensor) or value.numel() == 0:
        return value
    count = value.numel()
    places = torch.randint(count, (count,)) if value.is_floating_point() else torch.randperm(count)
    return value.flatten()[places].reshape(value.shape)


def get_inputs():
    return [kernelopt_drawn(each) for each in kernelopt_examples]
'''
_CALLING = """\
class {name}(torch.nn.Module):
    def forward(self, {parameters}):
        return {called}({parameters})
"""
_DERIVED = """\
class {name}({base}, torch.nn.Module):
    def forward(self, {parameters}):
        return super().forward({parameters})
"""
_LIVE = """\
import copy


class {name}(type(kernelopt_live), torch.nn.Module):
    def __init__(self):
        torch.nn.Module.__init__(self)
        self.__dict__.update(copy.deepcopy(kernelopt_live).__dict__)

    def forward(self, {parameters}):
        return super().forward({parameters})
"""
_IMPORTS = "import torch\n\n\n"
_NO_CALLABLE = "give a module, its class, or a function of tensors"


class LiveTask(Record):
    """A task that is in no file."""

    text: LiveText
    class_name: str
    """Of the reference."""
    shown_name: str
    """What the user calls it."""


class LiveCandidate(Record):
    """A candidate that is in no file."""

    text: LiveText
    shown_name: str


def task_of(reference: object, inputs: Inputs, init_inputs: Sequence[object] | Mapping[str, object] = ()) -> LiveTask:
    """``init_inputs``: what a class is made with. Raises UsageError for what is no reference, and for what cannot be sent."""
    given = _inputs(inputs)
    init = Root("kernelopt_init", init_inputs if isinstance(init_inputs, dict) else list(init_inputs), "init_inputs")
    tail = f"{given.text}\n\n\ndef get_init_inputs():\n    return kernelopt_init\n"
    own = _own_class(reference)
    if own is not None:
        text = live_text((Root(own.__name__, own), given.root, init), f"{_IMPORTS}{tail}")
        if isinstance(find_task(Path("task.py"), text.text, own.__name__), Task):
            return LiveTask(text, own.__name__, own.__name__)
    root, model = _adapted(reference, given.count, MODEL)
    return LiveTask(live_text((root, given.root, init), f"{_IMPORTS}{model}\n\n{tail}"), MODEL, _name_of(reference))


def candidate_of(candidate: object) -> LiveCandidate:
    """Raises UsageError for what is neither a class of modules nor a function, and for what cannot be sent."""
    if not isinstance(candidate, type | FunctionType):
        what = "module that is made already" if _is_module(type(candidate)) else type(candidate).__name__
        raise UsageError(f"a {what} is no candidate", "give its class, a function of tensors, or a file")
    if isinstance(candidate, type) and candidate.__name__ == MODEL_NEW and "forward" in vars(candidate):
        return LiveCandidate(live_text((Root(MODEL_NEW, candidate),)), MODEL_NEW)
    root, model = _adapted(candidate, None, MODEL_NEW)
    return LiveCandidate(live_text((root,), f"import torch\n\n\n{model}"), _name_of(candidate))


def _own_class(reference: object) -> type | None:
    """A class that says itself how it is called."""
    return reference if isinstance(reference, type) and "forward" in vars(reference) else None


def _adapted(reference: object, count: int | None, name: str) -> tuple[Root, str]:
    """What has to be defined, and a class of this name that does the same; ``count``: of the arguments of a call, where it is known."""
    if isinstance(reference, type):
        if not _is_module(reference):
            raise UsageError(f"class {reference.__name__} does not derive from torch.nn.Module", _NO_CALLABLE)
        base = f"kernelopt_{reference.__name__}" if reference.__name__ == name else reference.__name__
        parameters = _parameters(cast("Any", reference).forward, count, skipped=1)
        return Root(base, reference), _DERIVED.format(name=name, base=base, parameters=parameters)
    if _is_module(type(reference)):
        parameters = _parameters(cast("Any", reference).forward, count)
        what = f"the module {type(reference).__name__}"
        return Root("kernelopt_live", _on_cpu(reference), what), _LIVE.format(name=name, parameters=parameters)
    if not callable(reference):
        raise UsageError(f"{type(reference).__name__} cannot be called", _NO_CALLABLE)
    parameters = _parameters(reference, count)
    if isinstance(reference, FunctionType):
        called = reference.__name__ if reference.__name__.isidentifier() else "kernelopt_function"
        return Root(called, reference), _CALLING.format(name=name, called=called, parameters=parameters)
    root = Root("kernelopt_function", reference, _name_of(reference))
    return root, _CALLING.format(name=name, called=root.name, parameters=parameters)


class _Given(Record):
    """Where the inputs come from."""

    root: Root
    text: str
    count: int | None = None
    """Of values; None where a function draws them."""


def _inputs(inputs: Inputs) -> _Given:
    if isinstance(inputs, FunctionType):
        name = inputs.__name__ if inputs.__name__.isidentifier() else "kernelopt_inputs"
        return _Given(Root(name, inputs), "" if name == _GET_INPUTS else f"def get_inputs():\n    return list({name}())")
    if callable(inputs) or not isinstance(inputs, list | tuple):
        raise UsageError(f"inputs is a {type(inputs).__name__}", "give a list with the arguments of a call, or a function that returns one")
    values = [_on_cpu(each) for each in inputs]
    return _Given(Root("kernelopt_examples", values, "inputs"), _DRAWN, len(values))


def _on_cpu(value: object) -> object:
    """A tensor or module in the CPU's memory, where the process that judges has it; tensors without their history."""
    if _is_module(type(value)):
        module = cast("Any", value)
        is_elsewhere = any(each.device.type != "cpu" for each in (*module.parameters(), *module.buffers()))
        return copy.deepcopy(module).cpu() if is_elsewhere else module
    return cast("Any", value).detach().cpu() if hasattr(value, "detach") and hasattr(value, "cpu") else value


def _is_module(kind: type) -> bool:
    return any(base.__name__ == "Module" and base.__module__.startswith("torch.nn") for base in kind.__mro__)


def _parameters(function: Callable[..., object], count: int | None, skipped: int = 0) -> str:
    """Names of what a call is given: what it needs, or the first ``count``."""
    try:
        known = list(inspect.signature(function).parameters.values())[skipped:]
    except (TypeError, ValueError):
        known = []  # a function of C
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [each for each in known if each.kind in kinds]
    if count is not None:
        return ", ".join(each.name for each in named[:count]) if len(named) >= count else ", ".join(f"x{number}" for number in range(count))
    return ", ".join(each.name for each in named if each.default is inspect.Parameter.empty) or "*inputs"


def _name_of(reference: object) -> str:
    if isinstance(reference, partial):
        return _name_of(cast("Any", reference).func)
    name = str(getattr(reference, "__name__", type(reference).__name__))
    return name if name.isidentifier() else "function"
