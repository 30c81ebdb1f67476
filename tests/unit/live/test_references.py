"""The user's own function: what it is called with, and what may come back."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.live.binding import bind
from assistant.live.references import BadReference, Reference, call_reference
from assistant.live.workload import ReferenceLimits, ShapeBinding, live_workload
from assistant.model.launch import Dim3, LaunchConfig
from tests.unit.live.test_binding import SCALE, fitting, signature

TWO = signature("float *a, int *b, const float *x")


def check(function: Callable[..., object]) -> np.ndarray:
    """What a reference of ``SCALE`` says of its output."""
    said = call_reference(Reference("ref", function), bind(SCALE, fitting()), None)
    return np.frombuffer(said["out"], np.float64)


def test_it_is_called_with_the_arguments_that_it_names() -> None:
    assert (check(lambda x, n: x * n) == np.arange(8) * 8).all()


def test_a_struct_reaches_it_as_it_was_given() -> None:
    window = np.array((2, 0.5), np.dtype([("radius", np.int32), ("weight", np.float32)], align=True))
    for given in (window, window[()], window.tobytes()):
        bound = bind(signature("float *out, Window w"), {"out": np.zeros(2, np.float32), "w": given})
        said = call_reference(Reference("ref", lambda w: np.frombuffer(w, window.dtype)["radius"].repeat(2)), bound, None)
        assert np.frombuffer(said["out"], np.float64).tolist() == [2.0, 2.0]


def test_it_may_change_what_it_is_given_and_the_arrays_stay_as_they_are() -> None:
    values = fitting()

    def fill(out: np.ndarray, x: np.ndarray, n: int) -> None:
        out[:] = x + n
        x[:] = 0

    said = call_reference(Reference("fill", fill), bind(SCALE, values), None)
    assert (np.frombuffer(said["out"], np.float64) == np.arange(8) + 8).all()
    out, x = values["out"], values["x"]
    assert isinstance(out, np.ndarray) and isinstance(x, np.ndarray)
    assert (out == 0).all() and (x == np.arange(8)).all()


def test_a_function_without_return_that_wrote_nothing_is_refused_with_a_word_about_return() -> None:
    def forgot(out: np.ndarray, x: np.ndarray) -> None:
        out = x * 2  # noqa: F841 - what is forgotten

    for function in (forgot, lambda x: None):
        with pytest.raises(BadReference, match="returned nothing and left out as it was") as refused:
            check(function)
        assert "return" in (refused.value.remedy or "")


def test_a_strided_complex_result_is_compared_by_its_parts() -> None:
    bound = bind(signature("float2 *z"), {"z": np.zeros(2, np.complex64)})
    said = call_reference(Reference("ref", lambda: np.array([1 + 2j, 0, 3 + 4j, 0])[::2]), bound, None)
    assert (np.frombuffer(said["z"], np.float64) == [1, 2, 3, 4]).all()


def test_several_outputs_come_by_name_or_in_order() -> None:
    bound = bind(TWO, {"a": np.zeros(2, np.float32), "b": np.zeros(2, np.int32), "x": np.ones(2, np.float32)})
    named = call_reference(Reference("ref", lambda x: {"b": [1, 2], "a": x}), bound, None)
    ordered = call_reference(Reference("ref", lambda x: (x, np.array([1, 2]))), bound, None)
    assert named == ordered and named["b"] == np.array([1, 2], np.int32).tobytes()
    with pytest.raises(BadReference, match="the kernel may write a, b"):
        call_reference(Reference("ref", lambda x: x), bound, None)


def test_one_value_is_of_the_only_array_that_the_kernel_writes() -> None:
    """Many kernels say const of nothing."""
    bound = bind(signature("float *a, float *b, float *x"), {name: np.ones(2, np.float32) for name in "abx"})
    said = call_reference(Reference("ref", lambda a, x: a + x, frozenset({"b"})), bound, None)
    assert said == {"b": np.array([2, 2], np.float64).tobytes()}
    with pytest.raises(BadReference, match="the kernel may write a, b, x"):
        call_reference(Reference("ref", lambda a, x: a + x), bound, None)


def test_an_output_of_an_unknown_type_is_named_with_it() -> None:
    bound = bind(signature("Pair *p"), {"p": np.zeros(2, np.uint32)})
    with pytest.raises(BadReference, match="p cannot be held against the reference ref: what its type `Pair \\*` holds is not known"):
        call_reference(Reference("ref", lambda p: p), bound, None)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda weights: weights, "its parameter weights is not a parameter of the kernel"),
        (lambda x: x[:4], r"returned 4 values for out \(shape \(4,\)\), which holds 8"),
        (lambda x: {"y": x}, "returned 'y', which is not an array of the kernel"),
        (lambda x: "right", "cannot be compared"),
    ],
)
def test_what_cannot_be_compared_is_reported(function: Callable[..., object], told: str) -> None:
    with pytest.raises(BadReference, match=told):
        check(function)


def test_it_is_called_on_every_shape_and_on_fresh_values_until_its_time_is_over(tmp_path: Path) -> None:
    seen: list[np.ndarray] = []

    def ref(x: np.ndarray) -> np.ndarray:
        seen.append(x)
        return x

    shapes = [ShapeBinding(bind(SCALE, {**fitting(), "n": n}), LaunchConfig(Dim3(1), Dim3(32), 0)) for n in (7, 8)]
    made = live_workload(tmp_path / "all", shapes, "/nb", Reference("ref", ref), ReferenceLimits(seed_count=2))
    assert [case.weight for case in made.workload.cases] == [1, 1, 0, 0, 0, 0] and not made.notes
    assert all(case.reference for case in made.workload.cases)
    assert len({values.tobytes() for values in seen}) == 5  # both shapes have the same values; all others are fresh
    cut = live_workload(tmp_path / "cut", shapes, "/nb", Reference("ref", ref), ReferenceLimits(total_s=0.0, seed_count=2))
    assert [case.weight for case in cut.workload.cases] == [1, 1]
    assert not any(case.reference for case in cut.workload.cases)
    assert cut.notes[0] == "nothing was held against the reference ref for n=7, as its calls took longer than 0 s (--ref-time)"


def test_a_reference_that_does_not_end_keeps_the_cell_no_longer_than_it_may(tmp_path: Path) -> None:
    def ref(x: np.ndarray) -> np.ndarray:
        while True:
            x = x + 0

    shape = ShapeBinding(bind(SCALE, fitting()), LaunchConfig(Dim3(1), Dim3(32), 0))
    made = live_workload(tmp_path, [shape], "/nb", Reference("ref", ref), ReferenceLimits(total_s=0.05, seed_count=2))
    assert [case.reference for case in made.workload.cases] == [()]
    assert made.notes[0] == "nothing was held against the reference ref for n=8, as its calls took longer than 0.05 s (--ref-time)"


def test_a_reference_of_tensors_is_given_tensors() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    bound = bind(SCALE, {"out": torch.zeros(4), "x": torch.arange(4.0), "n": 4})
    said = call_reference(Reference("silu", lambda x: torch.nn.functional.relu(x)), bound, None)
    assert (np.frombuffer(said["out"], np.float64) == np.arange(4)).all()
    fresh = call_reference(Reference("neg", lambda x: -x), bound, {"x": np.full(4, 2, np.float32).tobytes()})
    assert (np.frombuffer(fresh["out"], np.float64) == -2).all()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x: {}, "the reference ref returned an empty dict"),
        (lambda x: {"x": x}, "the reference ref returned x alone, which the kernel only reads"),
    ],
)
def test_a_dict_without_any_output_is_refused(function: Callable[..., object], told: str) -> None:
    with pytest.raises(BadReference, match=told) as refused:
        check(function)
    assert refused.value.remedy == "return {'out': …}"


def test_an_output_that_is_not_returned_is_said_to_be_held_against_nothing(tmp_path: Path) -> None:
    bound = bind(TWO, {"a": np.zeros(2, np.float32), "b": np.zeros(2, np.int32), "x": np.ones(2, np.float32)})
    shape = ShapeBinding(bound, LaunchConfig(Dim3(1), Dim3(32), 0))
    made = live_workload(tmp_path / "one", [shape], "/nb", Reference("ref", lambda x: {"a": x}), ReferenceLimits(seed_count=2))
    assert made.notes == ("b was held against nothing: the reference ref did not return it",)
    both = live_workload(tmp_path / "two", [shape], "/nb", Reference("ref", lambda x: (x, x)), ReferenceLimits(seed_count=0))
    assert both.notes == ()


@pytest.mark.parametrize(
    ("declared", "values", "told"),
    [
        ("signed char *out", [0, 200], "returned 200 for out, which holds int8 (-128 to 127)"),
        ("unsigned int *out", [-1, 0], "returned -1 for out, which holds uint32 (0 to 4294967295)"),
        ("bool *out", [0, 2], "returned 2 for out, which holds bool (0 to 1)"),
    ],
)
def test_whole_numbers_that_the_output_cannot_hold_are_refused(declared: str, values: list[int], told: str) -> None:
    dtype = {"s": np.int8, "u": np.uint32, "b": np.bool_}[declared[0]]
    bound = bind(signature(declared), {"out": np.zeros(2, dtype)})
    with pytest.raises(BadReference) as refused:
        call_reference(Reference("ref", lambda: np.array(values)), bound, None)
    assert refused.value.message == f"the reference ref {told}"
    wrapped = call_reference(Reference("ref", lambda: np.array(values).astype(dtype)), bound, None)
    assert wrapped["out"] == np.array(values).astype(dtype).tobytes()


def test_a_call_on_the_own_values_may_be_waited_for(tmp_path: Path) -> None:
    shape = ShapeBinding(bind(SCALE, fitting()), LaunchConfig(Dim3(1), Dim3(32), 0))
    limits = ReferenceLimits(total_s=1e-9, seed_count=2, is_own_awaited=True, option="")
    made = live_workload(tmp_path, [shape], "/nb", Reference("ref", lambda x: x), limits)
    assert [bool(case.reference) for case in made.workload.cases] == [True]
    assert made.notes == (
        "nothing was held against the reference ref for n=8: 2 of 2 draws of fresh values, as its calls took longer than 1e-09 s",
    )
