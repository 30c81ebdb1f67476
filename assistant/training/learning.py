"""Trains a policy by group-relative policy optimization (GRPO) on kept outcomes; the network first learns what offers are worth.

Of each kernel several searches are drawn from the policy, a round's offers one after another without putting back, until it stops. An
order's advantage is its reward against the others of that kernel, in their standard deviations; chances move by clipped steps (as PPO's).
The same seed and tables give the same network on the same machine. Example::

    result = trained(tables, vocabulary, TrainingSettings(seed=0))
    write_policy(path, result.policy)
"""

from __future__ import annotations

import importlib
import statistics
from collections.abc import Sequence
from dataclasses import field
from hashlib import sha256
from typing import Any

import numpy as np

from assistant.errors import CannotAnswerError
from assistant.plan.policy.features import Vocabulary, feature_names
from assistant.plan.policy.network import NetworkPolicy, PolicyCard, Weights
from assistant.record import Record
from assistant.training.episodes import played, reward
from assistant.training.learning_data import LearningData
from assistant.training.ordering import by_policy
from assistant.training.table import KernelTable

__all__ = ["Net", "Trained", "TrainingSettings", "held_back_of", "load_torch", "trained"]

Tensor = Any
"""PyTorch's, which is not there where types are checked."""

_VALIDATION_SHARE = 5
"""One in so many programs of the training is held back to choose when to end."""
_LEAST_HELD_BACK = 20
"""Kernels with a choice that have to be held back for that to say anything: of six, untrained networks were chosen."""
_CHECK_EVERY = 10


class TrainingSettings(Record):
    """How a policy is trained."""

    seed: int = 0
    units: int = 32
    pretraining_steps: int = 200
    """Of learning what offers are worth; 0: none."""
    steps: int = 200
    """Of policy optimization."""
    searches: int = 16
    """Drawn of each kernel in a step."""
    passes: int = 2
    """Over the drawn searches of a step."""
    rate: float = 3e-3
    clip: float = 0.2
    entropy: float = 0.01
    decay: float = 0.5
    """Of weights, by AdamW."""
    forgetting: float = 0.2
    """Chance that an offer's names of technique and finding are left out while training, so that unknown ones are no surprise."""


class Trained(Record):
    """A policy, and how it came about."""

    policy: NetworkPolicy
    rewards: tuple[tuple[int, float, float], ...] = field(repr=False)
    """(step, mean reward in training, and of kernels held back), of the policy's own order; the first one is before any optimization."""
    chosen_step: int


def load_torch() -> Any:
    """PyTorch. Raises CannotAnswerError where it is not installed."""
    try:
        return importlib.import_module("torch")  # it may be missing where types are checked, too
    except ImportError as error:
        raise CannotAnswerError("training a policy needs PyTorch, which is not installed here", "pip install 'kernelopt[torch]'") from error


def held_back_of(tables: Sequence[KernelTable]) -> list[KernelTable]:
    """Those that choose when to end: of one in five programs, by a hash of their names; none where these are too few."""
    found = [table for table in tables if sha256(table.program.encode()).digest()[0] % _VALIDATION_SHARE == 0]
    return found if sum(table.has_choice for table in found) >= _LEAST_HELD_BACK else []


def trained(tables: Sequence[KernelTable], vocabulary: Vocabulary, settings: TrainingSettings) -> Trained:
    """Raises CannotAnswerError without PyTorch, or where there is too little to learn from."""
    torch = load_torch()
    held_back = held_back_of(tables)
    used = [table for table in tables if table not in held_back]
    if not any(table.has_choice for table in used):
        raise CannotAnswerError("no kernel of the training has more than one thing to try", "add programs with --programs DIR")
    torch.set_num_threads(1)  # of so small a network, more cost time; and sums come in one order
    torch.manual_seed(settings.seed)
    net = Net(torch, len(feature_names(vocabulary)), settings.units)
    data = LearningData(torch, used, vocabulary)
    named = _named(vocabulary)
    optimizer = _Adam(torch, net.parameters, settings.rate, settings.decay)
    for _ in range(settings.pretraining_steps):
        optimizer.step(data.value_loss(net, named, settings.forgetting))
    optimizer = _Adam(torch, net.parameters, settings.rate / 3, settings.decay)
    best: tuple[float, int, Weights] | None = None
    history: list[tuple[int, float, float]] = []
    for step in range(settings.steps + 1):
        if step % _CHECK_EVERY == 0 or step == settings.steps:
            weights = net.weights()
            policy = NetworkPolicy(vocabulary, weights, PolicyCard({}))
            found = _mean_reward(used, policy), _mean_reward(held_back or used, policy)
            history.append((step, *found))
            if best is None or not held_back or found[1] > best[0]:
                best = (found[1], step, weights)
        if step < settings.steps:
            _optimize(torch, net, data, optimizer, settings, named)
    assert best is not None
    return Trained(NetworkPolicy(vocabulary, best[2], PolicyCard({})), tuple(history), best[1])


def _mean_reward(tables: Sequence[KernelTable], policy: NetworkPolicy) -> float:
    order = by_policy(policy, may_stop=False)
    return statistics.fmean(reward(table, played(table, order)) for table in tables)


def _named(vocabulary: Vocabulary) -> list[int]:
    """Inputs that name a technique or finding."""
    return [i for i, name in enumerate(feature_names(vocabulary)) if name.startswith(("technique ", "finding "))]


def _optimize(torch: Any, net: Net, data: LearningData, optimizer: _Adam, settings: TrainingSettings, named: list[int]) -> None:
    """One step: draw searches, weigh them, move."""
    rows = data.forgetful(named, settings.forgetting)
    with torch.no_grad():
        orders = data.drawn(net.scores(rows), settings.searches)
        before = data.log_chances(net.scores(rows), orders)
        advantages = data.advantages(orders)
    for _ in range(settings.passes):
        scores = net.scores(rows)
        now = data.log_chances(scores, orders)
        moved = torch.exp(now - before)
        clipped = torch.clamp(moved, 1 - settings.clip, 1 + settings.clip)
        loss = -torch.minimum(moved * advantages, clipped * advantages).mean() - settings.entropy * data.entropy(scores)
        optimizer.step(loss)


class _Adam:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019, algorithm 2); PyTorch's own takes seconds to be imported."""

    _FIRST, _SECOND, _LEAST = 0.9, 0.999, 1e-8

    def __init__(self, torch: Any, parameters: Sequence[Tensor], rate: float, decay: float) -> None:
        self._torch, self._rate, self._decay = torch, rate, decay
        self._moments = [(one, torch.zeros_like(one), torch.zeros_like(one)) for one in parameters]
        self._count = 0

    def step(self, loss: Tensor) -> None:
        """Move against the gradient of ``loss``."""
        torch = self._torch
        gradients = torch.autograd.grad(loss, [one for one, _, _ in self._moments])
        self._count += 1
        with torch.no_grad():
            for gradient, (one, first, second) in zip(gradients, self._moments, strict=True):
                first.mul_(self._FIRST).add_(gradient, alpha=1 - self._FIRST)
                second.mul_(self._SECOND).addcmul_(gradient, gradient, value=1 - self._SECOND)
                spread = (second / (1 - self._SECOND**self._count)).sqrt_().add_(self._LEAST)
                one.mul_(1 - self._rate * self._decay)
                one.addcdiv_(first, spread, value=-self._rate / (1 - self._FIRST**self._count))


class Net:
    """The network while it is trained."""

    def __init__(self, torch: Any, inputs: int, units: int) -> None:
        self._torch = torch

        def drawn(*shape: int) -> Tensor:
            spread = 1.0 / max(1, shape[0]) ** 0.5
            return (torch.randn(*shape) * spread).requires_grad_()

        self.hidden1, self.hidden2 = drawn(inputs, units), drawn(units, units)
        self.bias1, self.bias2 = torch.zeros(units, requires_grad=True), torch.zeros(units, requires_grad=True)
        self.out = (torch.randn(units) * 0.1 / units**0.5).requires_grad_()
        self.direct, self.bias = torch.zeros(inputs, requires_grad=True), torch.zeros((), requires_grad=True)

    @property
    def parameters(self) -> list[Tensor]:
        return [self.hidden1, self.bias1, self.hidden2, self.bias2, self.out, self.direct, self.bias]

    def scores(self, rows: Tensor) -> Tensor:
        """As `Weights.scores`."""
        first = self._torch.tanh(rows @ self.hidden1 + self.bias1)
        second = self._torch.tanh(first @ self.hidden2 + self.bias2)
        return second @ self.out + rows @ self.direct + self.bias

    def weights(self) -> Weights:
        names = ("hidden1", "bias1", "hidden2", "bias2", "out", "direct", "bias")
        return Weights(**{name: getattr(self, name).detach().numpy().astype(np.float32).copy() for name in names})
