"""Which strings of a Python program are found to be CUDA, under which names, and which are declined with what code at which place."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.embedded.find import find_alone, find_embedded
from assistant.cuda.embedded.replace import replace
from assistant.model.embedded import Container, EmbeddedText, EmbeddingKind, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span, TextEdit

DATA = Path(__file__).parents[3] / "data" / "source" / "embedded"
K = EmbeddingKind
C = EmbeddingProblemCode


def texts(program: str, container: Container = Container.PYTHON_FILE) -> list[tuple[EmbeddingKind, str]]:
    found = find_embedded(program, container)
    declined = [item for item in found if isinstance(item, EmbeddingProblem)]
    assert not declined, declined
    return [(item.kind, item.text) for item in found if isinstance(item, EmbeddedText)]


def refusal(program: str) -> EmbeddingProblem:
    (found,) = find_embedded(program, Container.PYTHON_FILE)
    assert isinstance(found, EmbeddingProblem), found
    return found


def code_and_place(program: str) -> tuple[EmbeddingProblemCode, str]:
    """Why the program's text is declined, and the words at the place that is named."""
    found = refusal(program)
    return found.code, program[found.span.start : found.span.end]


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("import cupy\ncupy.RawKernel('T', 'k')", K.RAW_KERNEL),
        ("import cupy as cp\nk = cp.RawKernel(code='T', name='k')", K.RAW_KERNEL),
        ("from cupy import RawKernel as RK\nRK('T', 'k')", K.RAW_KERNEL),
        ("from cupy import (\n  ndarray,\n  RawModule as RM,\n)\nRM(options=('-O3',), code='T')", K.RAW_MODULE),
        ("cp.RawModule(\n  code='T',\n)", K.RAW_MODULE),
        ("from pycuda.compiler import SourceModule\nSourceModule('T')", K.SOURCE_MODULE),
        ("from pycuda.compiler import *\nSourceModule(source='T')", K.SOURCE_MODULE),
        ("import pycuda.compiler as pc\npc.SourceModule('T', no_extern_c=True)", K.SOURCE_MODULE),
        ("from torch.utils.cpp_extension import load_inline\nload_inline('m', 'int f();', 'T')", K.LOAD_INLINE),
        ("from torch.utils import cpp_extension as e\ne.load_inline(name='m', cpp_sources='C', cuda_sources=['T'])", K.LOAD_INLINE),
        ("import torch\ntorch.utils.cpp_extension.load_inline('m', cpp_sources=[], cuda_sources=('T',))", K.LOAD_INLINE),
        ("parts = [\n  'T'\n]\nload_inline('m', '', parts)", K.LOAD_INLINE),
        ("from cuda.core.experimental import Program\nProgram('T', 'c++')", K.PROGRAM),
        ("from cuda.core import Program as P\nP('T', code_type=\"c++\", options=o)", K.PROGRAM),
        ("from cuda import core\ncore.Program('T', 'c++')", K.PROGRAM),
        ("src = 'T'\ncp.RawKernel(src, 'k')", K.RAW_KERNEL),
        ("src = 'T'; cp.RawKernel(src, 'k')", K.RAW_KERNEL),
        ("src: str = 'T'\ncp.RawKernel(src, 'k')", K.RAW_KERNEL),
        ("a = src = ('T')\ncp.RawKernel(a, 'k')", K.RAW_KERNEL),
        ("src = 'T'\nb = src\ncp.RawKernel(b, 'k')", K.RAW_KERNEL),
        ("src = 'U'\nsrc = 'T'\ncp.RawKernel(src, 'k')", K.RAW_KERNEL),
        ("def f():\n    return cp.RawKernel(SRC, 'k')\n\nSRC = 'T'\n", K.RAW_KERNEL),
        ("src = 'U'\ndef f():\n\tsrc = 'T'\n\tif x:\n\t\treturn cp.RawKernel(src, 'k')\n", K.RAW_KERNEL),
        ("class A:\n    src = 'T'\n    k = cp.RawKernel(src, 'k')\n", K.RAW_KERNEL),
        ("src = ' T\\n'\ncp.RawKernel(src.strip(), 'k')", K.RAW_KERNEL),
        ("from textwrap import dedent as d\ncp.RawKernel(d(' T'), 'k')", K.RAW_KERNEL),
        ("cp.RawKernel(''  # none\n  'T', 'k')", K.RAW_KERNEL),
        ("\ufeffimport cupy as q\nq.RawKernel('T', 'k')", K.RAW_KERNEL),
    ],
)
def test_a_cuda_string_is_found(program: str, kind: EmbeddingKind) -> None:
    assert texts(program) == [(kind, "T")]


@pytest.mark.parametrize(
    "program",
    [
        "print('__global__ void k() {}')",
        "from mine import RawKernel\nRawKernel('T', 'k')",
        "def load_inline(name, cpp_sources, cuda_sources): pass\nload_inline('a', 'b', 'c')",
        "class RawKernel: pass\nRawKernel('T')",
        "Program('T', 'ptx')",
        "import pyopencl as cl\ncl.Program(ctx, 'T').build()",
        "# cp.RawKernel('T', 'k')",
        "s = 'cp.RawKernel(1)'",
        "cp.RawModule(path='k.cubin')",
        "load_inline('m', cpp_sources='C')",
        "load_inline('m', 'C', None)",
        "load_inline('m', 'C', [])",
        "cp.RawModule(**options)",
        "RawKernel",
    ],
)
def test_other_strings_are_left_alone(program: str) -> None:
    assert find_embedded(program, Container.PYTHON_FILE) == ()


@pytest.mark.parametrize(
    ("program", "code", "place"),
    [
        ("RawKernel(f'T{n}', 'k')", C.F_STRING, "f'T{n}'"),
        ("RawKernel('T' F'{n}', 'k')", C.F_STRING, "F'{n}'"),
        ("RawKernel('T%d' % n, 'k')", C.FORMATTED, "%"),
        ("RawKernel('T{}'.format(n), 'k')", C.FORMATTED, "format"),
        ("src = 'T'\nRawKernel(src.format(n), 'k')", C.FORMATTED, "format"),
        ("RawKernel('T'.replace('a', 'b'), 'k')", C.CHANGED, "replace"),
        ("RawKernel('T' + n, 'k')", C.NOT_ASSIGNED, "n"),
        ("n = 1\nRawKernel('T' + n, 'k')", C.NOT_A_STRING, "1"),
        ("RawKernel('T' + str(n), 'k')", C.CALL_RESULT, "str"),
        ("RawKernel('T' if n else 'U', 'k')", C.CONDITION, "if"),
        ("RawKernel(['T'], 'k')", C.NOT_A_STRING, "["),
        ("RawKernel(dedent(), 'k')", C.DEDENT_ARGUMENT, "dedent"),
        ("s =\nRawKernel(s, 'k')", C.UNFINISHED, "="),
        ("load_inline('m', '', [s, 'T'])", C.NOT_ASSIGNED, "s"),
        ("RawKernel('T' * 2, 'k')", C.REPEATED, "*"),
        ("RawKernel('T'[1:], 'k')", C.PART_OF_STRING, "["),
        ("RawKernel(' T '.strip('T'), 'k')", C.CHANGED, "strip"),
        ("RawKernel(open('k.cu').read(), 'k')", C.CALL_RESULT, "open"),
        ("RawKernel(SRC, 'k')", C.NOT_ASSIGNED, "SRC"),
        ("RawKernel(mine.SRC, 'k')", C.UNKNOWN_ATTRIBUTE, "mine"),
        ("if a:\n  s = 'T'\nelse:\n  s = 'U'\nRawKernel(s, 'k')", C.ASSIGNED_IN_BRANCH, "s"),
        ("if a: s = 'T'\nRawKernel(s, 'k')", C.ASSIGNED_IN_BRANCH, "s"),
        ("s = 'T'\ns += 'U'\nRawKernel(s, 'k')", C.NOT_PLAIN_ASSIGNMENT, "s"),
        ("s = 'T'\ndef f(s):\n  RawKernel(s, 'k')", C.NOT_PLAIN_ASSIGNMENT, "s"),
        ("for s in ('T', 'U'):\n  RawKernel(s, 'k')", C.NOT_PLAIN_ASSIGNMENT, "s"),
        ("s = 'T'\nwith open(p) as s:\n  RawKernel(s, 'k')", C.NOT_PLAIN_ASSIGNMENT, "s"),
        ("s, t = 'T', 'U'\nRawKernel(s, 'k')", C.NOT_PLAIN_ASSIGNMENT, "s"),
        ("s = 'T'\nwhile a:\n  RawKernel(s, 'k')\n  s = 'U'", C.ASSIGNED_AGAIN, "s"),
        ("s = 'T'\ndef f():\n  global s\n  s = 'U'\nRawKernel(s, 'k')", C.GLOBAL_STATEMENT, "s"),
        ("s = 'T'\ns = 'U'\ndef f():\n  RawKernel(s, 'k')", C.SEVERAL_ASSIGNMENTS, "s"),
        ("def f():\n  s = 'T'\ndef g():\n  RawKernel(s, 'k')", C.NOT_ASSIGNED, "s"),
        ("a = b\nb = a\nRawKernel(a, 'k')", C.ASSIGNED_LATER, "b"),
        ("RawKernel((s := 'T'), 'k')", C.ASSIGNED_INSIDE, ":="),
        ("s = 'T'\nks = [RawKernel(s, 'k') for s in all]", C.INNER_NAME, "s"),
        ("s = 'T'\nf = lambda s: RawKernel(s, 'k')", C.INNER_NAME, "s"),
        ("s = 'T'\nRawKernel(s + s, 'k')", C.USED_TWICE, "+"),
        ("s = 'T'\nload_inline('m', '', [s, s])", C.USED_TWICE, "load_inline"),
        ("RawKernel(b'T', 'k')", C.BYTES, "b'T'"),
        ("RawKernel('''T", C.UNCLOSED_STRING, "'''"),
        ("RawKernel(" + "(" * 60 + "'T'" + ")" * 60 + ", 'k')", C.TOO_DEEP, "("),
    ],
)
def test_what_only_the_run_decides_is_declined_with_its_place(program: str, code: EmbeddingProblemCode, place: str) -> None:
    assert code_and_place(program) == (code, place)


def test_the_reason_names_the_variable_and_what_keeps_its_text_unknown() -> None:
    reason = refusal("if a:\n  src = 'T'\nRawKernel(src, 'k')").reason
    assert reason == "`src` is assigned in a branch, so its text depends on the program's run"


@pytest.mark.parametrize(
    "unfinished",
    [
        "x = foo(",
        "x = [1, {",
        "y = 'abc",
        'y = f"abc{',
        "def f(a, b",
        "if x",
        "x = = 3 )",
        "print(a))",
        "# it's",
        "!ls it's",
        "class",
        "@",
        "x =",
    ],
)
def test_an_unfinished_line_elsewhere_does_not_hide_a_string(unfinished: str) -> None:
    call = "src = r'''\nT'''\nk = cp.RawKernel(src, 'k')"
    assert texts(f"{unfinished}\n{call}\n") == [(K.RAW_KERNEL, "\nT")]
    assert texts(f"{call}\n{unfinished}\n") == [(K.RAW_KERNEL, "\nT")]


@pytest.mark.parametrize(
    "program",
    [
        "x = '''half\nsrc = '''T'''\nk = cp.RawKernel(src, 'k')",
        "cp.RawKernel('T'",
        "cp.RawKernel('T',",
        "cp.RawKernel('T'\n\ndef f():\n    'doc'\n",
        "cp.RawKernel('T'\n'other statement'\n",
        "cp.RawKernel(\n    'T',\n\nx = 3\n",
        "def f():\n    k = cp.RawKernel('T', 'k'\n\nclass A:\n    x = [1]\n",
    ],
)
def test_a_half_typed_call_is_read_as_far_as_it_goes(program: str) -> None:
    assert texts(program) == [(K.RAW_KERNEL, "T")]


@pytest.mark.parametrize(
    "code",
    [
        "#include <torch/extension.h>",
        "torch::Tensor f(torch::Tensor x);",
        "at::cuda::f();",
        "TORCH_CHECK(n > 0);",
        "# include <c10/cuda/A.h>",
    ],
)
def test_a_text_for_pytorchs_headers_is_declined_where_it_has_to_stand_alone(code: str) -> None:
    program = f"load_inline('m', '', [r'{code}'])"
    (declined,) = find_alone(program, Container.PYTHON_FILE)
    assert isinstance(declined, EmbeddingProblem)
    assert (declined.code, program[declined.span.start : declined.span.end]) == (C.NEEDS_PYTORCH, "load_inline")
    (found,) = find_embedded(program, Container.PYTHON_FILE)
    assert isinstance(found, EmbeddedText) and (found.text, found.needs_pytorch) == (code, True)
    assert texts(f"cupy.RawKernel('{code}', 'k')"), "elsewhere it is an error, which the compiler reports"


def test_a_text_without_pytorchs_names_is_found() -> None:
    assert texts("load_inline('m', '', 'float at(int i); // of the torch')") == [(K.LOAD_INLINE, "float at(int i); // of the torch")]


def test_the_strings_of_a_list_are_lines_of_a_single_text() -> None:
    program = "a = 'A;'\nload_inline('m', 'C', [a, 'B;'])"
    (found,) = find_embedded(program, Container.PYTHON_FILE)
    assert isinstance(found, EmbeddedText)
    assert found.text == "A;\nB;"
    assert program[found.to_container(3)] == "B"
    assert [found.to_embedded(program.index(letter)) for letter in "ABC"] == [0, 3, None]


def test_strings_in_another_order_than_the_text_are_mapped_each_to_its_place() -> None:
    program = "b = 'B😀;'\na = 'A\\n'\nRawKernel(a + b, 'k')"
    (found,) = find_embedded(program, Container.PYTHON_FILE)
    assert isinstance(found, EmbeddedText)
    assert found.text == "A\nB😀;"
    assert [program[found.to_container(at)] for at in range(5)] == ["A", "\\", "B", "😀", ";"]
    assert [found.to_embedded(found.to_container(at)) for at in range(5)] == [0, 1, 2, 3, 4]
    assert found.span_to_container(Span(0, 4)) == Span(program.index("A"), program.index("A") + 3)


def test_a_string_of_two_calls_is_given_once() -> None:
    assert texts("s = 'T'\nRawKernel(s, 'a')\nRawKernel(s, 'b')") == [(K.RAW_KERNEL, "T")]


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset) - 1


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_positions_land_on_the_same_line_and_column(line_end: str) -> None:
    program = (DATA / "positions.py").read_text(encoding="utf-8").replace("\n", line_end)
    found = [item for item in find_embedded(program, Container.PYTHON_FILE) if isinstance(item, EmbeddedText)]
    assert len(found) == 5
    for item in found:
        offset = item.text.index("MARK")
        place = item.to_container(offset)
        assert program[place : place + 4] == "MARK"
        assert item.to_embedded(place) == offset
        line, column = line_and_column(program, place)
        assert program.split(line_end)[line - 1].index("MARK") == column


def test_a_cell_without_imports_is_read_by_the_usual_names() -> None:
    assert texts("%time x\nk = cp.RawKernel('T', 'k')", Container.NOTEBOOK_CELL) == [(K.RAW_KERNEL, "T")]
    assert texts("p = Program('T', 'c++')", Container.NOTEBOOK_CELL) == [(K.PROGRAM, "T")]


WORDS = (
    """cp.RawKernel( Program( src = ' \" ''' \"\"\" r' f\'\'\' \\ ( ) [ ] { } , + . : ; := strip() dedent( code= %%cu %%time \\x4 \\N{ 😀"""
)
KEYWORDS = ["import ", "from ", " as ", "def ", "class ", "for ", "if "]
SPACES = [
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "    ",
    "load_inline('m', '', ",
    "%%writefile a.cu",
    "\ud83d",
    "\0",
    "lambda ",
    "global ",
    "async ",
    "with ",
]
FRAGMENTS: st.SearchStrategy[str] = st.sampled_from([*WORDS.split(), *KEYWORDS, *SPACES])


@pytest.mark.parametrize(
    "program", ["RawKernel(import .\n", "RawKernel(a.", "RawKernel(a .\n.", "RawKernel(", "RawKernel(code=", "load_inline(cuda_sources="]
)
def test_a_text_that_ends_anywhere_gives_no_text(program: str) -> None:
    assert not any(isinstance(found, EmbeddedText) for found in find_embedded(program, Container.PYTHON_FILE))


@given(st.one_of(st.lists(FRAGMENTS, max_size=25).map("".join), st.text()), st.sampled_from(Container))
def test_any_text_is_read_without_an_error(text: str, container: Container) -> None:
    for program in (text, f"RawKernel({text}"):
        for found in find_embedded(program, container):
            if isinstance(found, EmbeddingProblem):
                assert 0 <= found.span.start <= found.span.end <= len(program)
                continue
            places = [found.to_container(at) for at in range(-1, len(found.text) + 2)]
            assert all(0 <= place <= len(program) for place in places)
            assert all(found.to_embedded(at) is None for at in (-1, len(program) + 1))
            replace(found, (TextEdit(Span(0, len(found.text)), "int x;\n"),))


def test_what_is_beyond_hundreds_of_calls_is_declined_once() -> None:
    found = find_embedded("".join(f"RawKernel('k{number}')\n" for number in range(1000)), Container.PYTHON_FILE)
    assert len([item for item in found if isinstance(item, EmbeddedText)]) == 200
    (declined,) = [item for item in found if isinstance(item, EmbeddingProblem)]
    assert declined.code is C.TOO_MANY_CALLS and "200" in declined.reason


def test_a_long_text_without_a_marker_costs_one_scan() -> None:
    program = "x = foo(1, 'abc')  # some program\n" * 30_000
    started = time.process_time()
    assert find_embedded(program, Container.PYTHON_FILE) == ()
    assert time.process_time() - started < 0.25
