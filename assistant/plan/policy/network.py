"""A trained policy: a small network in an ``.npz`` file, evaluated by NumPy alone.

Its file is read as untrusted: no pickles, bounded sizes, every array of the shape and type that it must have, finite numbers. Example::

    policy = open_policy("shipped")
    policy.preferences(situation, offers).scores
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from assistant.errors import UsageError
from assistant.plan.policy.features import FORM, Vocabulary, feature_names, feature_rows
from assistant.plan.policy.situation import OFF, SHIPPED, Offer, Preferences, Situation
from assistant.record import Record

__all__ = ["SHIPPED_FILE", "NetworkPolicy", "PolicyCard", "Weights", "open_policy", "read_policy", "write_policy"]

SHIPPED_FILE = Path(__file__).with_name("technique-policy.npz")

_MOST_BYTES = 100_000
"""Of the file (chosen: it is part of every installation)."""
_MOST_UNPACKED = 4_000_000
_MOST_WIDTH = 512
"""Inputs and units of a layer."""
_ARRAYS = ("hidden1", "bias1", "hidden2", "bias2", "out", "direct", "bias")
_WORDS = ("form", "techniques", "findings", "card")
_REMEDY = 'kernelopt train policy makes one; recall.policy = "off" does without'

Floats = NDArray[np.float32]


class Weights(Record):
    """Scores of a row ``x``: ``out · tanh(hidden2 · tanh(hidden1 · x + bias1) + bias2) + direct · x + bias``."""

    hidden1: Floats
    """(inputs, units)"""
    bias1: Floats
    hidden2: Floats
    """(units, units)"""
    bias2: Floats
    out: Floats
    """(units,)"""
    direct: Floats
    """(inputs,)"""
    bias: Floats
    """()"""

    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """``rows``: (rows, inputs)."""
        first = np.tanh(rows @ self.hidden1 + self.bias1)
        second = np.tanh(first @ self.hidden2 + self.bias2)
        return np.asarray(second @ self.out + rows @ self.direct + self.bias, dtype=np.float32)


class PolicyCard(Record):
    """What a policy was trained on, and how it fared: JSON values."""

    facts: Mapping[str, Any]

    def as_json(self) -> str:
        return f"{json.dumps(dict(self.facts), indent=1, sort_keys=True, ensure_ascii=False)}\n"


class NetworkPolicy(Record):
    """`StepPolicy` by a network."""

    vocabulary: Vocabulary
    weights: Weights
    card: PolicyCard

    def preferences(self, situation: Situation, offers: tuple[Offer, ...]) -> Preferences | None:
        """None where its numbers come to nothing that can be compared."""
        rows = np.asarray(feature_rows(self.vocabulary, situation, offers), dtype=np.float32)
        *scores, stop = (float(score) for score in self.weights.scores(rows))
        return Preferences(tuple(scores), stop) if all(map(math.isfinite, (*scores, stop))) else None


@cache
def open_policy(name: str) -> NetworkPolicy | None:
    """By the setting ``recall.policy``: None for ``off``. Raises UsageError for a file that is none, or not one of this version."""
    if name == OFF:
        return None
    return read_policy(SHIPPED_FILE if name == SHIPPED else Path(name).expanduser())


def read_policy(path: Path) -> NetworkPolicy:
    """Raises UsageError, saying what is wrong with the file."""
    try:
        arrays = _arrays(path)
        words = {name: json.loads(bytes(arrays.pop(name)).decode("utf-8")) for name in _WORDS}
    except FileNotFoundError as error:
        raise UsageError(f"there is no technique policy at {path}", _REMEDY) from error
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, RecursionError) as error:
        raise _refused(path, f"it cannot be read ({_short(error)})") from error
    if words["form"] != FORM:
        raise _refused(path, f"its numbers are of form {_short(words['form'])}, and this kernelopt has form {FORM}")
    vocabulary = Vocabulary(_names(path, words["techniques"]), _names(path, words["findings"]))
    card: Any = words["card"]
    if not isinstance(card, dict):
        raise _refused(path, "its card is no table")
    return NetworkPolicy(vocabulary, _weights(path, arrays, len(feature_names(vocabulary))), PolicyCard(cast("dict[str, Any]", card)))


def write_policy(path: Path, policy: NetworkPolicy) -> int:
    """How many bytes it takes. Raises UsageError where these are more than a policy may have."""
    words = {
        "form": FORM,
        "techniques": policy.vocabulary.techniques,
        "findings": policy.vocabulary.findings,
        "card": dict(policy.card.facts),
    }
    arrays: dict[str, Any] = {
        name: np.frombuffer(json.dumps(value, sort_keys=True).encode(), dtype=np.uint8) for name, value in words.items()
    }
    arrays |= {name: getattr(policy.weights, name).astype(np.float32) for name in _ARRAYS}
    partial = path.with_suffix(".partial.npz")
    np.savez_compressed(partial, **arrays)
    size = partial.stat().st_size
    if size > _MOST_BYTES:
        partial.unlink()
        raise UsageError(f"the policy takes {size:,} bytes, and may take {_MOST_BYTES:,}", "train one with fewer units")
    partial.replace(path)
    return size


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Every array that a policy has, and no other."""
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES:,} bytes")
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MOST_UNPACKED:
            raise ValueError("it is too large when unpacked")
    with np.load(path, allow_pickle=False) as file:
        if set(file.files) != {*_ARRAYS, *_WORDS}:
            raise ValueError("it holds other things than a technique policy")
        return {name: file[name] for name in file.files}


def _weights(path: Path, arrays: Mapping[str, NDArray[Any]], inputs: int) -> Weights:
    units = arrays["bias1"].shape[0] if arrays["bias1"].ndim == 1 else 0
    shapes = {
        "hidden1": (inputs, units),
        "bias1": (units,),
        "hidden2": (units, units),
        "bias2": (units,),
        "out": (units,),
        "direct": (inputs,),
        "bias": (),
    }
    if not 0 < units <= _MOST_WIDTH or inputs > _MOST_WIDTH:
        raise _refused(path, "its layers have other sizes than a technique policy's")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.dtype != np.float32 or array.shape != shape:
            raise _refused(path, f"{name} is {array.dtype} of shape {array.shape}, not float32 of shape {shape}")
        if not np.isfinite(array).all():
            raise _refused(path, f"{name} holds numbers that are not finite")
    return Weights(**{name: arrays[name] for name in _ARRAYS})


def _names(path: Path, value: Any) -> tuple[str, ...]:
    names: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    if len(names) > _MOST_WIDTH or not all(isinstance(name, str) for name in names):
        raise _refused(path, "its names are no list of names")
    return tuple(names)


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(f"{path} is no technique policy that can be used: {why}", _REMEDY)


def _short(value: object) -> str:
    return str(value)[:100]
