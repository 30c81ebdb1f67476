"""Any PyTorch callable with example inputs as a task, and what stands in its place as a candidate."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import UsageError
from assistant.live.live_task import candidate_of, task_of
from assistant.operators.task import FreeSize, Task, find_candidate, find_task

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="references are PyTorch's")

rows = 6


def get_inputs() -> list[Any]:
    import torch

    return [torch.randn(rows, 8)]


def draw() -> tuple[Any, ...]:
    import torch

    return (torch.randn(rows, 8),)


def twice(x: Any, scale: float = 2.0) -> Any:
    return x * scale


def classes() -> tuple[Any, Any, Any]:
    """Modules of this file's own, made here as importing PyTorch takes seconds."""
    from torch import nn

    class Scaled(nn.Module):
        def __init__(self, count: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(nn.init.ones_(nn.Linear(count, 1).weight.detach()))

        def forward(self, x: Any) -> Any:
            return x * self.weight

    class Derived(Scaled):
        pass

    class ModelNew(Scaled):
        def forward(self, x: Any) -> Any:
            return super().forward(x)

    return Scaled, Derived, ModelNew


def called(task: Any) -> Any:
    """What the task's file computes on inputs that it draws."""
    assert isinstance(find_task(Path("t.py"), task.text.text, task.class_name), Task)
    names: dict[str, Any] = {}
    exec(compile(task.text.text, "t.py", "exec", dont_inherit=True), names)
    model = names[task.class_name](*names["get_init_inputs"]())
    return model(*names["get_inputs"]())


def test_a_function_is_a_task_on_values_like_its_examples() -> None:
    import torch

    x = torch.arange(12.0).reshape(3, 4)
    task = task_of(twice, [x])
    result = called(task)
    assert (task.class_name, task.shown_name) == ("Model", "twice")
    assert result.shape == (3, 4) and set(result.flatten().tolist()) <= set((2 * x).flatten().tolist())
    given = called(task_of(twice, [x, 3.0]))
    assert set(given.flatten().tolist()) <= set((3 * x).flatten().tolist()), "as many arguments as there are examples"


def test_whole_numbers_are_drawn_in_another_order() -> None:
    import torch

    task = task_of(lambda indices: indices * 1, [torch.arange(100)])
    assert sorted(called(task).tolist()) == list(range(100))


def test_a_class_keeps_its_name_and_its_inputs_their_sizes() -> None:
    scaled, derived, _ = classes()
    task = task_of(scaled, get_inputs, [8])
    found = find_task(Path("t.py"), task.text.text, "Scaled")
    assert task.class_name == "Scaled" and isinstance(found, Task) and found.free_sizes == (FreeSize("rows", 6),)
    assert called(task).shape == (6, 8)
    assert called(task_of(derived, draw, (8,))).shape == (6, 8)


def test_a_module_that_is_live_keeps_its_weights() -> None:
    import torch

    scaled, _, _ = classes()
    model = torch.nn.Sequential(scaled(8), torch.nn.ReLU())
    with torch.no_grad():
        model[0].weight.fill_(7.0)
    task = task_of(model, [torch.ones(2, 8)])
    assert called(task).unique().tolist() == [7.0] and task.shown_name == "Sequential"


def test_functions_of_pytorch_itself_are_references() -> None:
    import torch

    x = torch.rand(3, 4)
    for reference, inputs in ((torch.nn.functional.silu, [x]), (torch.softmax, [x, -1]), (partial(torch.softmax, dim=-1), [x])):
        assert called(task_of(reference, inputs)).shape == (3, 4)
    assert task_of(partial(torch.softmax, dim=-1), [x]).shown_name == "softmax"
    assert called(task_of(torch.nn.Softmax, [x], [-1])).sum().item() == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("reference", "inputs", "said"),
    [
        (3, [], "int cannot be called"),
        (dict, [], "class dict does not derive from torch.nn.Module"),
        (twice, 3, "inputs is a int"),
        (twice, dict, "inputs is a type"),
    ],
)
def test_what_is_no_task_is_refused(reference: Any, inputs: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        task_of(reference, inputs)


def test_a_candidate_is_a_class_or_a_function() -> None:
    scaled, _, model_new = classes()
    for given, name in ((model_new, "ModelNew"), (scaled, "Scaled"), (twice, "twice")):
        made = candidate_of(given)
        assert find_candidate(Path("c.py"), made.text.text) == "ModelNew" and made.shown_name == name
    for given, said in ((scaled(8), "a module that is made already is no candidate"), (3, "a int is no candidate")):
        with pytest.raises(UsageError, match=said):
            candidate_of(given)
