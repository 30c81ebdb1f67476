"""Arguments of a kernel: what fits is bound where it lies, what does not is told by the argument's name and what was expected."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.live.arrays import BindingError
from assistant.live.binding import Bound, bind, bind_positional
from assistant.live.callables import BoundCall, BoundKernel
from assistant.live.text_facts import text_facts
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.workload.signature import Signature, signature_of
from jupyter_ext.options import values_of

N = 8


def signature(parameters: str, name: str = "k") -> Signature:
    parsed = parse(Source(Path("/nb.ipynb.k.cu"), f"__global__ void {name}({parameters}) {{}}"))
    return signature_of(parsed.kernels[0], name)


SCALE = signature("float *out, const float *x, int n")


def fitting() -> dict[str, object]:
    return {"out": np.zeros(N, np.float32), "x": np.arange(N, dtype=np.float32), "n": N}


def check(values: dict[str, object], of: Signature = SCALE) -> str:
    """What is said of arguments that do not fit."""
    with pytest.raises(BindingError) as refused:
        bind(of, values)
    assert refused.value.remedy
    return refused.value.message


@dataclass
class OnGpu:
    """As CuPy's arrays show themselves (CUDA Array Interface, version 3)."""

    index: int = 0
    strides: tuple[int, ...] | None = None
    typestr: str = "<f4"
    shape: tuple[int, ...] = (N,)
    device: SimpleNamespace = field(init=False)

    def __post_init__(self) -> None:
        self.device = SimpleNamespace(id=self.index)

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        data = (0x7000_0000 + (self.index << 20), False)
        return {"shape": self.shape, "typestr": self.typestr, "strides": self.strides, "data": data, "version": 3}


def test_arrays_are_bound_where_they_lie_and_numbers_as_the_kernel_reads_them() -> None:
    values = fitting()
    bound = bind(SCALE, values)
    out = values["out"]
    assert isinstance(out, np.ndarray)
    assert bound.arrays["out"].address == out.ctypes.data
    assert bound.scalars == {"n": (N).to_bytes(4, "little")}
    assert bound.device == "cpu"


def test_a_missing_argument_is_named_with_what_the_kernel_takes() -> None:
    values = fitting()
    del values["n"]
    assert check(values) == "missing argument n: k takes (float *out, const float *x, int n)"


def test_an_unknown_argument_is_named() -> None:
    assert check({**fitting(), "m": 3}).startswith("unknown argument m: k takes (float *out")


def test_a_wrong_element_type_is_reported_with_the_one_that_is_expected() -> None:
    told = check({**fitting(), "x": np.zeros(N)})
    assert told == "x: expected float32 for `const float *x`, got a float64 NumPy array of shape (8,)"


def test_vectors_take_their_components() -> None:
    of = signature("float4 *out")
    assert bind(of, {"out": np.zeros((3, 4), np.float32)}).arrays["out"].size_bytes == 48
    assert check({"out": np.zeros(6, np.float32)}, of) == "out: expected whole float4 values (16 bytes each), got 24 bytes"


def test_a_transposed_array_is_refused_as_a_kernel_is_given_one_pointer() -> None:
    told = check({**fitting(), "x": np.zeros((2, 4), np.float32).T})
    assert told.startswith("x: expected a contiguous array (a kernel is given one pointer), got shape (4, 2)")
    assert check({**fitting(), "x": OnGpu(strides=(8,))}).startswith("x: expected a contiguous array")


def test_an_array_for_a_number_and_a_number_for_an_array() -> None:
    assert check({**fitting(), "n": np.zeros(3)}) == "n: expected a number for `int n`, got a float64 NumPy array of shape (3,)"
    assert check({**fitting(), "x": 3}) == "x: expected an array for `const float *x`, got int"
    assert check({**fitting(), "n": "8"}) == "n: expected a number for `int n`, got str"


def test_a_number_that_the_parameter_cannot_hold() -> None:
    assert check({**fitting(), "n": 1 << 40}) == "n: expected -2147483648 to 2147483647 for `int n`, got 1099511627776"
    for number in (2.5, float("nan"), float("inf")):
        assert check({**fitting(), "n": number}) == f"n: expected a whole number for `int n`, got {number}"
    assert check({"scale": 10**400}, signature("float scale")).startswith("scale: expected a number that a `float` can hold")


def test_numbers_that_no_double_holds_and_truths_are_passed_as_they_are() -> None:
    seed = (1 << 64) - 3
    assert bind(signature("unsigned long long seed"), {"seed": seed}).scalars == {"seed": seed.to_bytes(8, "little")}
    assert bind(signature("bool is_fast"), {"is_fast": 2}).scalars == {"is_fast": b"\1"}


def test_bytes_are_as_many_as_the_parameter_has() -> None:
    assert bind(signature("float2 step"), {"step": bytes(8)}).scalars == {"step": bytes(8)}
    assert check({**fitting(), "n": b"1"}) == "n: expected 4 bytes for `int n`, got 1"
    assert check({"step": np.zeros(1, "f4,f4,f4")[0]}, signature("float2 step")) == "step: expected 8 bytes for `float2 step`, got 12"


def test_a_struct_has_as_many_bytes_as_the_text_says() -> None:
    parsed = parse(Source(Path("/k.cu"), "struct P { char kind; double at[2]; };\n__global__ void k(P p) { }"))
    of, sizes = signature_of(parsed.kernels[0], "k"), text_facts(parsed, None)
    assert bind(of, {"p": bytes(24)}, sizes).scalars == {"p": bytes(24)}
    with pytest.raises(BindingError, match="p: expected 24 bytes for `P p`, got 17"):
        bind(of, {"p": np.zeros(1, "i1,2f8")[0]}, sizes)


def test_parameters_that_are_words_of_python_are_called_with_an_underscore() -> None:
    of = signature("const float *in, float *out")
    values = values_of(of.parameters, {"in_": "x"}, {"x": np.ones(4, np.float32), "out": np.zeros(4, np.float32)}, {})
    assert bind(of, values).arrays["in"].size_bytes == 16
    assert values_of(of.parameters, {}, {"in_": 3}, {}) == {"in": 3}
    both = signature("int in, int in_").parameters
    assert values_of(both, {}, {"in_": 3, "in__": 5}, {}) == {"in": 5, "in_": 3}


def test_parameters_may_be_called_as_the_words_of_a_call() -> None:
    ran: list[Mapping[str, bytes]] = []

    class Kept:
        checks_calls = True

        def run(self, bound: Bound, config: LaunchConfig, is_checked: bool) -> None:
            ran.append(bound.scalars)

    one = LaunchConfig(Dim3(1), Dim3(1), 0)
    named = signature("char grid, char self, char in, char in_")
    kernel = BoundKernel(BoundCall(named, lambda bound: Kept(), lambda arguments, given: one, None))
    assert list(inspect.signature(kernel).parameters) == ["grid_", "self", "in__", "in_", "grid", "block", "shared", "check"]
    kernel(1, self=2, in_=4, in__=3, grid=8)
    kernel(grid_=1, self=2, in_=4, in__=3)
    assert [b"".join(scalars.values()) for scalars in ran] == [b"\1\2\3\4"] * 2


def test_a_call_without_arguments_is_launched_by_the_values_that_were_bound() -> None:
    asked: list[Mapping[str, object]] = []

    class Kept:
        checks_calls = True

        def run(self, bound: Bound, config: LaunchConfig, is_checked: bool) -> None: ...

    def config_of(values: Mapping[str, object], given: Mapping[str, object]) -> LaunchConfig:
        asked.append(values)
        return LaunchConfig(Dim3(1), Dim3(1), 0)

    bound = bind(SCALE, fitting())
    BoundKernel(BoundCall(SCALE, lambda bound: Kept(), config_of, bound))()
    assert asked[0]["n"] == N and asked[0]["x"] is bound.arrays["x"].owner


def test_a_parameter_without_a_name_cannot_be_bound() -> None:
    with pytest.raises(BindingError, match="parameter 2 of k has no name"):
        bind(signature("int n, int"), {"n": 3})


def test_a_read_only_array_may_be_read_alone() -> None:
    frozen = np.zeros(N, np.float32)
    frozen.flags.writeable = False
    assert bind(SCALE, {**fitting(), "x": frozen}).arrays["x"].is_read_only
    assert check({**fitting(), "out": frozen}) == "out: expected a writable array for `float *out`, got one that is read-only"


def test_an_empty_array_is_refused() -> None:
    assert check({**fitting(), "x": np.zeros(0, np.float32)}).startswith("x: expected at least one value")


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (np.zeros(N, ">f4"), "expected values in this machine's byte order, got >f4"),
        (np.array(["a"]), "expected numbers, got an array of text"),
        (np.array([None]), "expected numbers, got an array of Python objects"),
        (np.ma.masked_array(np.zeros(N, np.float32), [True] * N), "expected plain values, got a masked array"),
        (np.zeros(N, "f4,i4"), "expected float32 for `const float *x`, got a |V8 NumPy array of shape (8,)"),
    ],
)
def test_values_that_are_no_plain_numbers_are_refused(array: object, told: str) -> None:
    assert check({**fitting(), "x": array}) == f"x: {told}"


def test_arrays_of_two_devices_are_refused() -> None:
    assert check({**fitting(), "out": OnGpu()}) == "x: expected an array on cuda:0, where out is, got one on cpu"
    assert check({"out": OnGpu(0), "x": OnGpu(1), "n": N}) == "x: expected an array on cuda:0, where out is, got one on cuda:1"


def test_arrays_on_one_gpu_are_bound_by_their_address() -> None:
    bound = bind(SCALE, {"out": OnGpu(1), "x": OnGpu(1), "n": N})
    assert bound.device == "cuda:1" and bound.arrays["x"].address == 0x7000_0000 + (1 << 20)


def test_tensors_are_bound_with_gradients_and_bfloat16() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    weight = torch.ones(4, requires_grad=True)
    bound = bind(signature("float *w, const __nv_bfloat16 *x"), {"w": weight, "x": torch.ones(4, dtype=torch.bfloat16)})
    assert bound.arrays["w"].address == weight.data_ptr() and bound.arrays["x"].size_bytes == 8
    told = check({"w": torch.ones(4, 4).t(), "x": torch.ones(4, dtype=torch.bfloat16)}, signature("float *w, const __nv_bfloat16 *x"))
    assert told.startswith("w: expected a contiguous array")
    assert check({**fitting(), "x": torch.ones(4, dtype=torch.int32)}).endswith("got a int32 torch tensor of shape (4,)")


def test_tensors_whose_memory_a_kernel_cannot_read_are_refused() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    refused = {
        "a CUDA device, got one on meta": torch.zeros(4, device="meta"),
        "expected plain numbers, got a tensor of float8_e4m3fn": torch.zeros(4, dtype=torch.float8_e4m3fn),
        "got a view that is conjugated or negated when it is read": torch.zeros(4, dtype=torch.complex64).conj(),
        "expected a dense tensor": torch.zeros(4, 4).to_sparse(),
    }
    for told, tensor in refused.items():
        assert told in check({**fitting(), "x": tensor})


def test_a_call_binds_by_position_and_name() -> None:
    values = fitting()
    bound: Bound = bind_positional(SCALE, (values["out"], values["x"]), {"n": N})
    assert set(bound.arrays) == {"out", "x"}
    with pytest.raises(BindingError, match="argument out is given twice"):
        bind_positional(SCALE, (values["out"],), values)
    with pytest.raises(BindingError, match="4 arguments given: k takes 3 arguments"):
        bind_positional(SCALE, (1, 2, 3, 4), {})


BODIES = """
struct Body { float x; double mass; };
__global__ void move(Body *bodies, Body one, float by, const float *bias)
{
    bodies[0].x += by + one.x + (bias != nullptr ? bias[0] : 0.0f);
}
"""


def moved(**changed: object) -> Bound:
    parsed = parse(Source(Path("/k.cu"), BODIES))
    aligned = np.dtype([("x", "f4"), ("mass", "f8")], align=True)
    values = {"bodies": np.zeros(3, aligned), "one": np.zeros(1, aligned)[0], "by": 1.0, "bias": None}
    return bind(signature_of(parsed.kernels[0], "move"), values | changed, text_facts(parsed, parsed.kernels[0]))


def test_a_pointer_that_the_kernel_tests_may_be_null() -> None:
    bound = moved()
    assert bound.nulls == ("bias",) and bound.values["bias"] is None and "bias" not in bound.arrays
    assert bound.scalars["bias"] == bytes(8)
    assert moved(bias=np.ones(1, np.float32)).nulls == ()
    with pytest.raises(BindingError, match=r"bodies: expected an array for `Body \*bodies`, got None") as refused:
        moved(bodies=None)
    assert "if (bodies != nullptr)" in refused.value.remedy


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bodies": np.zeros(3, "f4,f8")}, "bodies: expected 16 bytes for each `Body`, got 12"),
        (
            {"bodies": np.zeros(3, [("mass", "f8"), ("x", "f8")])},
            "bodies: `Body` has 8 bytes of mass at offset 8, got values with 8 at offset 0",
        ),
        (
            {"one": np.zeros(1, [("mass", "f8"), ("x", "f4"), ("gap", "f4")])[0]},
            "one: `Body` has 8 bytes of mass at offset 8, got a value with 8 at offset 0",
        ),
    ],
)
def test_members_lie_where_the_struct_has_them(given: dict[str, object], told: str) -> None:
    with pytest.raises(BindingError) as refused:
        moved(**given)
    assert refused.value.message == told
    assert "align=True" in refused.value.remedy


def test_a_struct_may_be_an_array_of_no_dimension() -> None:
    aligned = np.dtype([("x", "f4"), ("mass", "f8")], align=True)
    assert moved(one=np.array((1.0, 2.0), aligned)).scalars["one"][8:] == np.array([2.0]).tobytes()


def test_a_number_that_would_be_infinite_is_refused() -> None:
    assert check({"f": 1e300}, signature("float f")) == "f: expected a number that a `float` can hold, got 1e+300, which would be infinite"
    assert bind(signature("float f"), {"f": math.inf}).scalars == {"f": np.array([math.inf], np.float32).tobytes()}
    assert bind(signature("double f"), {"f": 1e300}).scalars == {"f": np.array([1e300]).tobytes()}
