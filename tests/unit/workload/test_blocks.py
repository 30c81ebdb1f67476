"""Declared blocks: found in comments, read by schema, refused with file, line and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.workload import AutoTolerance, DeclaredWorkload, FixedTolerance, Generator, WorkloadProblem, WorkloadProblemCode
from assistant.workload.blocks import find_blocks, find_workloads, parse_sidecar, sidecar_path, workload_blocks

C = WorkloadProblemCode
PATH = Path("/src/k.cu")
TRANSPOSE = """#include <cstdio>
/* kernelopt
[workload.transpose]
args   = { out = "empty(n*n)", in = "randn(n*n)", n = "n" }   # long ones as a table
grid   = ["ceil(n/32)", "ceil(n/32)"]
block  = [32, 32]
shapes = [{ n = 1024 }, { n = 1000 }, { n = 4096, weight = 3 }]
%s
*/
__global__ void transpose(float *out, const float *in, int n);
"""


def block(extra: str = "") -> DeclaredWorkload | WorkloadProblem:
    (found,) = find_workloads(PATH, TRANSPOSE % extra)
    return found


def problem(extra: str) -> WorkloadProblem:
    found = block(extra)
    assert isinstance(found, WorkloadProblem), found
    return found


def test_the_documented_block_is_read() -> None:
    workload = block()
    assert isinstance(workload, DeclaredWorkload)
    assert workload.name == "transpose" and workload.line == 3
    (step,) = workload.steps
    assert step.kernel == "transpose" and step.grid == ("ceil(n/32)", "ceil(n/32)") and step.block == ("32", "32")
    assert [(a.name, a.generator, a.count) for a in step.arguments] == [
        ("out", Generator.EMPTY, "n*n"),
        ("in", Generator.RANDN, "n*n"),
        ("n", Generator.SCALAR, "1"),
    ]
    assert [str(shape) for shape in workload.shapes] == ["n=1024", "n=1000", "n=4096"]
    assert [shape.weight for shape in workload.shapes] == [1, 1, 3]
    assert workload.has_boundary and workload.tolerance == AutoTolerance()


def test_every_optional_key_is_read() -> None:
    workload = block(
        'kernel = "ns::transpose<1>"\nshared = "4*n"\nglobals = { lut = "full(0.5, 256)" }\n'
        "sizes = { n = { min = 32, max = 4096, multiple_of = 32 } }\nboundary = false\n"
        'outputs = ["out"]\nscratch = ["lut"]\nreference = "ref.py:transpose"\n'
        'tolerance = { rtol = 1e-3, atol = 1 }\nflags = ["-O1"]'
    )
    assert isinstance(workload, DeclaredWorkload), workload
    assert workload.steps[0].kernel == "ns::transpose<1>" and workload.steps[0].shared == "4*n"
    assert workload.globals[0].parameters == ("0.5",) and workload.globals[0].count == "256"
    (rule,) = workload.size_rules
    assert (rule.minimum, rule.maximum, rule.multiple_of) == (32, 4096, 32)
    assert not workload.has_boundary
    assert workload.outputs == ("out",) and workload.scratch == ("lut",)
    assert workload.reference == "ref.py:transpose" and workload.flags == ("-O1",)
    assert workload.tolerance == FixedTolerance(rtol=1e-3, atol=1.0)


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ('tolerence = "auto"', C.UNKNOWN_KEY),
        ("tolerance = { rtol = -1 }", C.WRONG_VALUE),
        ('outputs = ["ot"]', C.UNKNOWN_ARGUMENT),
        ('reference = "ref.py"', C.WRONG_VALUE),
        ("sizes = { m = { min = 1 } }", C.UNKNOWN_SIZE),
        ("sizes = { n = { minimum = 1 } }", C.UNKNOWN_KEY),
        ("boundary = 1", C.WRONG_VALUE),
        ('globals = { lut = "rand(q)" }', C.UNKNOWN_SIZE),
        ('globals = { lut = "random(n)" }', C.ARGUMENT_VALUE),
        ('globals = { lut = "randint(0, n)" }', C.ARGUMENT_VALUE),
        ("shared = 1.5", C.WRONG_VALUE),
        ("flags = 3", C.WRONG_VALUE),
        ("shared = 'n +'", C.EXPRESSION),
        ("[other]", C.UNKNOWN_KEY),
        ("x = ", C.SYNTAX),
    ],
)
def test_a_mistake_is_named_on_its_line(extra: str, code: WorkloadProblemCode) -> None:
    found = problem(extra)
    assert (found.code, found.path, found.line) == (code, PATH, 8)


def test_a_problem_names_the_key_and_the_nearest_that_exists() -> None:
    assert problem('tolerence = "auto"').message == "unknown key 'tolerence', did you mean 'tolerance'?"


def test_a_mistake_inside_an_inline_table_has_the_line_of_its_key() -> None:
    text = TRANSPOSE.replace('n = "n" }   # long ones as a table', 'n = ["n"] }') % ""
    (found,) = find_workloads(PATH, text)
    assert isinstance(found, WorkloadProblem) and found.line == 4


def test_a_mistake_in_a_list_over_several_lines_has_the_line_of_its_element() -> None:
    text = "/* kernelopt\n[workload.k]\ngrid = 1\nblock = 1\nshapes = [\n  { n = 1 },\n  { n = 1.5 },\n]\n*/"
    (found,) = find_workloads(PATH, text)
    assert isinstance(found, WorkloadProblem) and found.line == 7


def test_a_missing_grid_is_a_problem_of_its_block() -> None:
    (found,) = find_workloads(PATH, "/* kernelopt\n[workload.k]\nblock = 1\n*/")
    assert isinstance(found, WorkloadProblem) and (found.code, found.line) == (C.MISSING_KEY, 2)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("other = 1", C.UNKNOWN_KEY, 1),
        ("[workload]", C.NO_WORKLOAD, 1),
        ("[workload.k]\ngrid = 1\nsteps = [{ kernel = 'a', grid = 1, block = 1 }]", C.MISPLACED_KEY, 2),
        ("[workload.k]\nsteps = [\n  { grid = 1, block = 1 },\n]", C.MISSING_KEY, 3),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = [\n  { n = 1 },\n  { m = 1 },\n]", C.DIFFERENT_SIZES, 6),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = [{ n = 1, weight = 0 }]", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = [{ n = 1, weight = -1 }]", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = [{ n = 1.5 }]", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = []", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = 1\nshapes = [{ n = 1 }]\nsizes = { n = { min = 2, max = 1 } }", C.WRONG_VALUE, 5),
        ("[workload.k]\nsteps = []", C.WRONG_VALUE, 2),
        ("[workload.k]\ngrid = 1\nblock = 1\nkernel = 3", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = 1\nargs = 3", C.WRONG_VALUE, 4),
        ("[workload.k]\ngrid = 1\nblock = [1, 2, 3, 4]", C.WRONG_VALUE, 3),
        ("[workload.k]\ngrid = 1\nblock = 1\ntolerance = 3", C.WRONG_VALUE, 4),
    ],
)
def test_a_block_that_does_not_fit_together_is_a_problem_on_a_line(text: str, code: WorkloadProblemCode, line: int) -> None:
    (found,) = parse_sidecar(PATH, text)
    assert isinstance(found, WorkloadProblem)
    assert (found.code, found.line) == (code, line)


def test_blocks_in_strings_and_line_comments_are_no_blocks() -> None:
    text = 'const char *s = "/* kernelopt */"; // /* kernelopt\nconst char *r = R"x(/* kernelopt */)x"; /* other */'
    assert find_blocks(text) == ()


def test_a_decorated_comment_is_read() -> None:
    text = "/* kernelopt\n * [workload.k]\n * grid = 1\n * block = 32\n */"
    (found,) = find_workloads(PATH, text)
    assert isinstance(found, DeclaredWorkload), found
    assert found.line == 2


def test_the_same_name_twice_is_a_problem() -> None:
    found = find_workloads(PATH, (TRANSPOSE % "") * 2)
    assert isinstance(found[0], DeclaredWorkload) and isinstance(found[1], WorkloadProblem)
    assert found[1].code is C.REPEATED_NAME and found[1].line == 13


def test_a_sidecar_holds_several_workloads() -> None:
    text = "[workload.a]\ngrid = 1\nblock = 1\n[workload.b]\ngrid = 1\nblock = [1, 2, 3, 4]\n"
    first, second = parse_sidecar(sidecar_path(PATH), text)
    assert isinstance(first, DeclaredWorkload)
    assert isinstance(second, WorkloadProblem)
    assert second.path.name == "k.kernelopt.toml" and second.line == 6


def test_steps_share_the_buffers_of_the_block() -> None:
    text = """[workload.sum]
args = { in = "randn(n)", partial = "empty(ceil(n/256))", out = "zeros(1)" }
shapes = [{ n = 1024 }]
steps = [
  { kernel = "first", grid = "ceil(n/256)", block = 256, args = { x = "in", y = "partial", n = "n" } },
  { kernel = "second", grid = 1, block = 256, args = { x = "partial", y = "out", n = "ceil(n/256)" } },
]
"""
    (found,) = parse_sidecar(PATH, text)
    assert isinstance(found, DeclaredWorkload), found
    assert [a.buffer for step in found.steps for a in step.arguments] == ["in", "partial", None, "partial", "out", None]


STEPS = """[workload.sum]
args = { x = "randn(n)", part = "empty(ceil(n/256))", total = "zeros(1)" }
shapes = [{ n = 1024 }]
steps = [
  { kernel = "first", grid = "ceil(n/256)", block = 256, args = { in = "x", out = "part", n = "n" } },
  { kernel = "second", grid = 1, block = 256, args = { x = "part", out = "total", n = "ceil(n/256)" } },
]
"""


@pytest.mark.parametrize(
    ("written", "buffers"),
    [
        ('["total"]', ("total",)),
        ('["part", "total"]', ("part", "total")),
        ('["out"]', ("part", "total")),
        ('["x"]', ("x",)),  # the buffer, not the parameter of the second step
        ('["out", "total"]', ("part", "total")),
    ],
)
@pytest.mark.parametrize("key", ["outputs", "scratch"])
def test_with_steps_outputs_and_scratch_name_the_shared_buffers(key: str, written: str, buffers: tuple[str, ...]) -> None:
    (found,) = parse_sidecar(PATH, STEPS + f"{key} = {written}\n")
    assert isinstance(found, DeclaredWorkload), found
    assert getattr(found, key) == buffers


def test_a_buffer_that_no_step_has_is_refused() -> None:
    (found,) = parse_sidecar(PATH, STEPS + 'outputs = ["totl"]\n')
    assert isinstance(found, WorkloadProblem) and found.code is C.UNKNOWN_ARGUMENT


def test_a_struct_is_a_table_of_expressions() -> None:
    text = '[workload.k]\ngrid = 1\nblock = 1\nshapes = [{ n = 8 }]\nargs = { p = { n = "2*n", eps = 1e-5 } }\n'
    (found,) = parse_sidecar(PATH, text)
    assert isinstance(found, DeclaredWorkload), found
    assert found.steps[0].arguments[0].fields == (("n", "2*n"), ("eps", "0.00001"))


def test_a_table_of_an_operator_declares_no_workload() -> None:
    table = '/* kernelopt\n[operator]\nlauncher = "f"\n*/\n'
    assert find_workloads(Path("/k.cu"), table) == () and workload_blocks(table) == ()
    assert len(find_blocks(table)) == 1, "an edit has to leave it as it is"
