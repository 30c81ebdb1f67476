"""Training finds the known answer of a toy environment, by optimization alone and by learning values alone, and says what it lacks."""

from __future__ import annotations

import statistics
import sys

import numpy as np
import pytest

from assistant.errors import CannotAnswerError
from assistant.training.episodes import by_chance, by_promise, played, reward
from assistant.training.learning import TrainingSettings, load_torch, trained
from assistant.training.ordering import by_policy
from assistant.training.table import KernelTable
from tests.unit.training.toys import VOCABULARY, toys

TRAINING, UNSEEN = toys(40), toys(40, seed=1)


def mean_reward(tables: list[KernelTable], order) -> float:
    return statistics.fmean(reward(table, played(table, order)) for table in tables)


@pytest.mark.parametrize(
    "settings", [TrainingSettings(pretraining_steps=0, steps=60, rate=0.03), TrainingSettings(pretraining_steps=100, steps=0, rate=0.02)]
)
def test_training_finds_what_gains_on_kernels_that_it_never_saw(settings: TrainingSettings) -> None:
    pytest.importorskip("torch")
    policy = trained(TRAINING, VOCABULARY, settings).policy
    found = mean_reward(UNSEEN, by_policy(policy))
    assert found > 0.95 > 0.9 > mean_reward(UNSEEN, by_chance(0)) > mean_reward(UNSEEN, by_promise)


def test_optimization_raises_the_reward_that_it_began_with() -> None:
    pytest.importorskip("torch")
    result = trained(TRAINING, VOCABULARY, TrainingSettings(pretraining_steps=0, steps=60, rate=0.03))
    (_, first, _), *_, (_, last, _) = result.rewards
    assert last > first + 0.03


def test_the_same_seed_gives_the_same_network() -> None:
    pytest.importorskip("torch")
    settings = TrainingSettings(pretraining_steps=5, steps=5)
    one, again = (trained(TRAINING, VOCABULARY, settings).policy.weights for _ in range(2))
    other = trained(TRAINING, VOCABULARY, TrainingSettings(seed=1, pretraining_steps=5, steps=5)).policy.weights
    assert np.array_equal(one.hidden1, again.hidden1)
    assert not np.array_equal(one.hidden1, other.hidden1)


def test_where_there_is_no_choice_there_is_nothing_to_learn() -> None:
    pytest.importorskip("torch")
    alone = [KernelTable(table.program, table.kernel, table.family, ()) for table in TRAINING]
    with pytest.raises(CannotAnswerError, match="more than one thing to try"):
        trained(alone, VOCABULARY, TrainingSettings())


def test_without_pytorch_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CannotAnswerError, match="needs PyTorch") as refused:
        load_torch()
    assert refused.value.remedy == "pip install 'kernelopt[torch]'"
