"""A policy's file: what is read is what was written, what is broken or of something else is refused, NumPy says what PyTorch does."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.errors import UsageError
from assistant.plan.policy.features import feature_names
from assistant.plan.policy.network import SHIPPED_FILE, NetworkPolicy, PolicyCard, Weights, open_policy, read_policy, write_policy
from tests.unit.plan.policy.situations import VOCABULARY, offer, situation

INPUTS, UNITS = len(feature_names(VOCABULARY)), 8


def network(seed: int = 0, units: int = UNITS) -> NetworkPolicy:
    drawn = np.random.default_rng(seed)

    def array(*shape: int) -> Any:
        return drawn.normal(size=shape).astype(np.float32)

    weights = Weights(array(INPUTS, units), array(units), array(units, units), array(units), array(units), array(INPUTS), array())
    return NetworkPolicy(VOCABULARY, weights, PolicyCard({"seeds": [0]}))


def test_what_is_read_prefers_what_was_written(tmp_path: Path) -> None:
    policy, offers = network(), (offer("warp-per-row"), offer("shared-tile", 0.1))
    size = write_policy(tmp_path / "p.npz", policy)
    read = read_policy(tmp_path / "p.npz")
    assert size == (tmp_path / "p.npz").stat().st_size <= 100_000
    assert read.preferences(situation(), offers) == policy.preferences(situation(), offers)
    assert (read.vocabulary, read.card) == (policy.vocabulary, policy.card)


def test_numpy_scores_as_pytorch_does() -> None:
    torch = pytest.importorskip("torch")
    from assistant.training.learning import Net

    torch.manual_seed(3)
    net = Net(torch, INPUTS, UNITS)
    with torch.no_grad():
        for parameter in net.parameters:
            parameter.copy_(torch.randn(parameter.shape))
    rows = np.random.default_rng(1).normal(size=(64, INPUTS)).astype(np.float32)
    np.testing.assert_allclose(net.weights().scores(rows), net.scores(torch.from_numpy(rows)).detach().numpy(), rtol=1e-4, atol=1e-4)


def _changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        write_policy(path, network())
        with np.load(path) as file:
            arrays = dict(file)
        change(arrays)
        np.savez(path, **arrays)

    return make


def _words(value: object) -> Any:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _broken(path: Path) -> None:
    write_policy(path, network())
    path.write_bytes(path.read_bytes()[:-200])


def _pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"hidden1": 1}))


def _large(path: Path) -> None:
    path.write_bytes(b"\0" * 100_001)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_broken, "cannot be read"),
        (_pickled, "cannot be read"),
        (_large, "larger than 100,000 bytes"),
        (lambda path: np.savez(path, weights=np.zeros(3)), "other things than a technique policy"),
        (_changed(lambda arrays: arrays.update(form=_words(99))), "form 99"),
        (_changed(lambda arrays: arrays.update(techniques=_words([1, 2]))), "no list of names"),
        (_changed(lambda arrays: arrays.update(techniques=_words(["shared-tile"]))), "hidden1 is float32 of shape"),
        (_changed(lambda arrays: arrays.update(card=_words([]))), "card is no table"),
        (_changed(lambda arrays: arrays.update(out=np.full(UNITS, np.nan, np.float32))), "not finite"),
        (_changed(lambda arrays: arrays.update(bias2=np.zeros(UNITS + 1, np.float32))), "bias2 is float32 of shape (9,)"),
        (_changed(lambda arrays: arrays.update(direct=np.zeros(INPUTS))), "direct is float64"),
        (_changed(lambda arrays: arrays.update(bias=np.array({"a": 1}, dtype=object))), "cannot be read"),
    ],
    ids=["cut", "pickle", "large", "foreign", "form", "names", "vocabulary", "card", "nan", "shape", "type", "object"],
)
def test_what_is_no_policy_is_refused_with_the_reason(make: Callable[[Path], object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    make(path)
    with pytest.raises(UsageError) as refused:
        read_policy(path)
    assert said in refused.value.message
    assert str(path) in refused.value.message
    assert "kernelopt train policy" in (refused.value.remedy or "")


def test_a_policy_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no technique policy at"):
        read_policy(tmp_path / "none.npz")


def test_numbers_that_come_to_nothing_are_no_opinion() -> None:
    policy = network()
    huge = replace(policy.weights, direct=np.full(INPUTS, 3e38, np.float32))
    with np.errstate(over="ignore"):
        assert replace(policy, weights=huge).preferences(situation(), (offer("shared-tile"),)) is None


def test_a_policy_that_is_too_large_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="may take 100,000"):
        write_policy(tmp_path / "p.npz", network(units=200))
    assert not list(tmp_path.iterdir())


def test_off_is_none_and_the_shipped_one_is_small_and_has_its_card() -> None:
    assert open_policy("off") is None
    shipped = open_policy("shipped")
    assert shipped is not None
    assert SHIPPED_FILE.stat().st_size <= 100_000
    assert {"training", "trial", "seeds", "report", "held_out_families"} <= shipped.card.facts.keys()
