"""Every value of the model survives the codec, and nothing else gets in."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import json
import math
import pkgutil
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assistant.model
from assistant.model.attempt import Attempt
from assistant.model.build import BuildResult
from assistant.model.launch import Dim3
from assistant.model.profile import Signature
from assistant.serialize import DecodeError, decode, dumps, encode, loads


def model_types() -> list[type]:
    """Every dataclass that a module of the model defines."""
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(assistant.model.__path__, "assistant.model.")]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    ]


@cache
def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that the codec knows."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        return st.builds(kind, **{name: st.deferred(lambda hint=hints[name]: values_of(hint)) for name in names})
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(values_of(argument) for argument in arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values_of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(values_of(argument) for argument in arguments))
    if origin is frozenset:
        return st.frozensets(values_of(arguments[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(st.text(max_size=5), values_of(arguments[1]), max_size=2)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(kind)
    return _SCALARS[kind]


_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: st.integers(-(2**63), 2**64),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=8),
    Path: st.text("abc./ é", min_size=1, max_size=8).map(Path),
    type(None): st.none(),
    Any: st.none() | st.booleans() | st.integers() | st.text(max_size=5),
}


@pytest.mark.parametrize("kind", model_types(), ids=lambda kind: kind.__name__)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_value_of_the_model_survives(kind: type, data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    assert loads(kind, dumps(value)) == value
    assert json.loads(dumps(value)) == encode(value)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(values_of(BuildResult))
def test_a_union_of_results_comes_back_as_the_same_kind(value: object) -> None:
    assert decode(BuildResult, encode(value)) == value


@pytest.mark.parametrize("kind", [float | int, int | float, float | int | None])
@pytest.mark.parametrize("value", [2**53 + 1, -(2**63), 10**400, 7, 7.0, 0.5])
def test_an_integer_among_numbers_stays_one(kind: Any, value: float) -> None:
    back = decode(kind, json.loads(dumps(value)))
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize(
    ("kind", "data", "place"),
    [
        (Dim3, {"x": 1, "depth": 2}, "unknown field 'depth'"),
        (Dim3, {"x": "1"}, "x: expected an integer"),
        (Dim3, {"x": True}, "x: expected an integer"),
        (Dim3, {"x": 1.0}, "x: expected an integer"),
        (Dim3, [1, 2, 3], "expected an object (Dim3)"),
        (Signature, {"label": "dram"}, "vector"),
        (Signature, {"label": "dram", "vector": [["a"]]}, "vector[0]: expected 2 items"),
        (Signature, {"label": "dram", "vector": [["a", "b"]]}, "vector[0][1]: expected a finite number"),
        (Signature, {"label": "dram", "vector": [["a", math.inf]]}, "vector[0][1]: expected a finite number"),
        (Signature, {"label": "dram", "vector": [["a", 10**400]]}, "vector[0][1]: expected a finite number"),
        (Signature, {"label": "dram", "vector": [["a", True]]}, "vector[0][1]: expected a finite number"),
        (Signature, {"label": None, "vector": []}, "label: expected str"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(kind: type, data: object, place: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(kind, data)
    assert place in caught.value.message


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"x": 1} trailing', "NaN", '{"label": "dram", "vector": [["a", NaN]]}'])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        loads(Signature, text)


@pytest.mark.parametrize("text", ["not base64!", "AAA", "é"])
def test_what_is_not_base64_is_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        decode(bytes, text)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_number_without_a_value_leaves(number: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        dumps(number)


def test_a_value_without_a_json_form_is_a_defect() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        encode(object())


def test_the_field_of_a_nested_value_is_named() -> None:
    with pytest.raises(DecodeError) as caught:
        decode(tuple[Signature, ...], [{"label": "dram", "vector": []}, {"label": 3, "vector": []}])
    assert caught.value.message.startswith("[1].label: ")


def test_a_missing_field_is_named() -> None:
    with pytest.raises(DecodeError, match="parent_text"):
        decode(Attempt, {})
