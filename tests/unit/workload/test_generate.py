"""Values of declared workloads: bytes by parameter type, reproducible by seed, refused where a type cannot hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.source import Parameter, Span
from assistant.model.workload import DeclaredWorkload, WorkloadProblem, WorkloadProblemCode
from assistant.workload.arrays import decode, encode
from assistant.workload.blocks import parse_sidecar
from assistant.workload.draws import SCALES, Draw, draws_for
from assistant.workload.generate import POISON, GenerateOptions, generate
from assistant.workload.recordings import NewCase, RecordingReader, write_case
from assistant.workload.signature import Signature
from assistant.workload.structs import layout_of

C = WorkloadProblemCode
NOWHERE = Span(0, 0)
FIRST = Draw(1)


def parameter(type_: str, name: str) -> Parameter:
    is_pointer = type_.endswith("*")
    element = type_.rstrip("* ").removeprefix("const ") if is_pointer else None
    return Parameter(name, type_, NOWHERE, is_pointer, type_.startswith("const"), False, element)


def workload(args: str, extra: str = "") -> DeclaredWorkload:
    text = f"[workload.k]\nargs = {{ {args} }}\ngrid = 'ceil(n/4)'\nblock = 4\nshapes = [{{ n = 10 }}]\n{extra}"
    (found,) = parse_sidecar(Path("/k.toml"), text)
    assert isinstance(found, DeclaredWorkload), found
    return found


def made(args: str, *parameters: Parameter, draw: Draw = FIRST, extra: str = "", options: GenerateOptions | None = None):
    declared = workload(args, extra)
    return generate(declared, declared.shapes[0], {"k": Signature("k(…)", parameters)}, draw, options)


def case(args: str, *parameters: Parameter, draw: Draw = FIRST, extra: str = "") -> NewCase:
    result = made(args, *parameters, draw=draw, extra=extra)
    assert isinstance(result, NewCase), result
    return result


def contents(made_case: NewCase, index: int = 0) -> bytes:
    return made_case.blobs[made_case.recording.launches[0].buffers[index].before]


def test_a_case_holds_launch_arguments_and_buffers(tmp_path: Path) -> None:
    new = case("y = 'empty(n)', x = 'arange(n)', n = 'n', a = 2.5", parameter("float *", "y"), parameter("const int *", "x"),
               parameter("int", "n"), parameter("float", "a"))  # fmt: skip
    (launch,) = new.recording.launches
    assert (launch.config.grid.x, launch.config.block.x) == (3, 4)
    assert [a.size_bytes for a in launch.arguments] == [8, 8, 4, 4]
    assert launch.arguments[2].data_hex == "0a000000"
    assert np.frombuffer(bytes.fromhex(launch.arguments[3].data_hex), "<f4")[0] == 2.5
    assert [p.buffer for a in launch.arguments for p in a.pointers] == [0, 1]
    assert new.recording.buffers[0].is_poisoned and not new.recording.buffers[1].is_poisoned
    assert contents(new, 0) == bytes([POISON]) * 40
    assert np.frombuffer(contents(new, 1), "<i4").tolist() == list(range(10))
    written = write_case(tmp_path / "case", new)
    assert RecordingReader(written.recording).recording == new.recording


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    x = parameter("const float *", "x")
    assert contents(case("x = 'randn(n)'", x)) == contents(case("x = 'randn(n)'", x))
    assert contents(case("x = 'randn(n)'", x)) != contents(case("x = 'randn(n)'", x, draw=Draw(2)))


def test_the_scale_multiplies_random_floats_only() -> None:
    parameters = (parameter("const float *", "x"), parameter("const float *", "y"))
    plain = case("x = 'randn(n)', y = 'ones(n)'", *parameters)
    scaled = case("x = 'randn(n)', y = 'ones(n)'", *parameters, draw=Draw(1, scale=8.0))
    assert np.array_equal(np.frombuffer(contents(plain), "<f4") * 8, np.frombuffer(contents(scaled), "<f4"))
    assert contents(plain, 1) == contents(scaled, 1)


def test_a_comparison_has_three_seeds_and_three_scales_and_times_one() -> None:
    shape = workload("n = 'n'").shapes[0]
    draws = draws_for(shape, (11, 12, 13))
    assert [d.seed for d in draws] == [11, 12, 13]
    assert sorted(d.scale for d in draws) == sorted(SCALES)
    assert [d.is_timed for d in draws] == [True, False, False]


@pytest.mark.parametrize(
    ("type_", "size"),
    [("half *", 2), ("__nv_bfloat16 *", 2), ("double *", 8), ("float3 *", 12), ("float4 *", 16), ("half2 *", 4)],
)
def test_floating_types_and_vectors_have_their_size(type_: str, size: int) -> None:
    new = case("x = 'rand(n)'", parameter(type_, "x"))
    assert new.recording.buffers[0].size_bytes == 10 * size
    element = parse_element_type(type_.rstrip("* "))
    assert element is not None
    values = decode(contents(new), element)
    assert values.size == 10 * element.components and values.min() >= 0 and values.max() <= 1 and len(set(values)) > 5


@pytest.mark.parametrize(
    ("spelled", "size"), [("bool", 1), ("int8_t", 1), ("unsigned short", 2), ("uint32_t", 4), ("size_t", 8), ("int2", 8)]
)
def test_scalars_of_every_width(spelled: str, size: int) -> None:
    (launch,) = case("v = 1", parameter(spelled, "v")).recording.launches
    assert launch.arguments[0].size_bytes == size


def test_a_struct_is_laid_out_as_c_does() -> None:
    layout = layout_of("P", (("flag", "bool"), ("x", "double"), ("n", "int")))
    assert layout is not None
    assert [f.offset_bytes for f in layout.fields] == [0, 8, 16] and layout.size_bytes == 24
    result = made("p = { flag = 1, x = 0.5, n = 'n' }", parameter("P", "p"), options=GenerateOptions({"P": layout}))
    assert isinstance(result, NewCase), result
    data = bytes.fromhex(result.recording.launches[0].arguments[0].data_hex)
    assert data[0] == 1 and np.frombuffer(data[8:16], "<f8")[0] == 0.5 and data[16] == 10


@pytest.mark.parametrize(
    ("args", "parameters", "code"),
    [
        ("x = 'randn(n)'", (parameter("int *", "x"),), C.WRONG_TYPE),
        ("x = 'randn(n)'", (parameter("Thing *", "x"),), C.UNKNOWN_TYPE),
        ("x = 'n/3'", (parameter("int", "x"),), C.WRONG_TYPE),
        ("x = 300", (parameter("unsigned char", "x"),), C.WRONG_TYPE),
        ("x = 1", (parameter("float *", "x"),), C.WRONG_TYPE),
        ("x = 'zeros(n)'", (parameter("int", "x"),), C.WRONG_TYPE),
        ("x = 'zeros(n/4)'", (parameter("float *", "x"),), C.EXPRESSION),
        ("x = '1/(n-10)'", (parameter("int", "x"),), C.EXPRESSION),
        ("x = 1", (parameter("int", "y"),), C.PARAMETERS),
        ("x = 'zeros(1000000*n*n)'", (parameter("double *", "x"),), C.TOO_LARGE),
        ("x = 'randint(5, 5, n)'", (parameter("int *", "x"),), C.RANDOM_RANGE),
        ("p = { a = 1 }", (parameter("P", "p"),), C.UNKNOWN_TYPE),
    ],
)
def test_what_cannot_be_generated_is_a_problem(args: str, parameters: tuple[Parameter, ...], code: WorkloadProblemCode) -> None:
    result = made(args, *parameters)
    assert isinstance(result, WorkloadProblem)
    assert result.code is code


def test_a_problem_names_the_workload_its_arguments_and_the_parameters() -> None:
    result = made("x = 1", parameter("int", "y"))
    assert isinstance(result, WorkloadProblem)
    assert result.message == "[workload.k]: args lacks y; args has x, which k does not take (parameters: y)"


def test_a_kernel_and_a_variable_that_the_source_lacks_are_problems() -> None:
    declared = workload("n = 'n'")
    without_kernel = generate(declared, declared.shapes[0], {}, FIRST)
    without_variable = made("n = 'n'", parameter("int", "n"), extra="globals = { lut = 'ones(4)' }")
    assert isinstance(without_kernel, WorkloadProblem) and without_kernel.code is C.UNKNOWN_KERNEL
    assert isinstance(without_variable, WorkloadProblem) and without_variable.code is C.UNKNOWN_VARIABLE


def test_a_buffer_that_two_kernels_take_as_other_types_is_a_problem() -> None:
    text = "[workload.two]\nargs = { x = 'zeros(4)' }\nsteps = [\n" + "".join(
        f"  {{ kernel = '{name}', grid = 1, block = 1, args = {{ p = 'x' }} }},\n" for name in "ab"
    )
    (declared,) = parse_sidecar(Path("/k.toml"), text + "]\n")
    assert isinstance(declared, DeclaredWorkload), declared
    signatures = {name: Signature(name, (parameter(f"{type_} *", "p"),)) for name, type_ in (("a", "float"), ("b", "int"))}
    result = generate(declared, declared.shapes[0], signatures, FIRST)
    assert isinstance(result, WorkloadProblem) and result.code is C.WRONG_TYPE


def test_an_empty_grid_is_a_problem_at_that_shape() -> None:
    declared = workload("n = 'n'")
    (shape,) = parse_shapes("{ n = 0 }")
    result = generate(declared, shape, {"k": Signature("k", (parameter("int", "n"),))}, Draw(1))
    assert isinstance(result, WorkloadProblem) and result.code is C.EMPTY_LAUNCH


def parse_shapes(text: str):
    (found,) = parse_sidecar(Path("/k"), f"[workload.k]\ngrid = 1\nblock = 1\nshapes = [{text}]")
    assert isinstance(found, DeclaredWorkload)
    return found.shapes


def test_device_variables_become_symbol_buffers() -> None:
    options = GenerateOptions(symbol_types={"lut": "float"})
    result = made("n = 'n'", parameter("int", "n"), extra="globals = { lut = 'ones(4)' }", options=options)
    assert isinstance(result, NewCase), result
    assert result.recording.buffers[0].symbol == "lut" and result.recording.buffers[0].size_bytes == 16


def test_bfloat16_rounds_to_nearest_even() -> None:
    element = parse_element_type("bfloat16")
    assert element is not None
    values = np.array([1.0, 1.00390625, 1.01171875, -np.inf, np.nan], np.float32)
    back = decode(encode(values, element), element)
    assert back[:4].tolist() == [1.0, 1.0, 1.015625, -np.inf] and np.isnan(back[4])
