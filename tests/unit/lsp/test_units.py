"""Positions of CUDA text in the documents that hold it, in every encoding, and the names that texts keep."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from assistant.cuda.embedded.find import find_embedded
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span, TextEdit
from lsp.embedded import PythonText, read_cuda_cell, read_embedded
from lsp.positions import Positions
from lsp.units import Unit, Units, file_of, is_cuda, is_cuda_header, is_python, is_source, path_of

UTF8, UTF16, UTF32 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32
ENCODINGS = (UTF8, UTF16, UTF32)
CODECS = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}
FILE = Path("/w/train.py")
KERNEL = "__global__ void k(float *x)\n{\n\tx[0] = 1;  // 漢字 🚀 é\n}\n"

characters = st.characters(codec="utf-8") | st.sampled_from("\t\\\"'{};\u2028\f🚀é漢")
texts = st.lists(characters | st.sampled_from(["\n", "\r\n", "\r"]), max_size=60).map("".join)
encodings = st.sampled_from(ENCODINGS)


def opened(text: str, encoding: types.PositionEncodingKind = UTF16, container: Container = Container.PYTHON_FILE) -> PythonText:
    return PythonText("file:///w/train.py", text, encoding, FILE, container)


def read(text: str, before: Sequence[Unit] = (), may_rename: bool = False, taken: frozenset[Path] = frozenset()) -> tuple[Unit, ...]:
    return read_embedded(opened(text), before, taken, may_rename)[0]


def call(kernel: str, name: str = "k") -> str:
    return f'cupy.RawKernel(r"""{kernel}""", "{name}")\n'


def named(kernel: str) -> str:
    return f"__global__ void {kernel}(float *x) {{ }}\n"


def names(units: Sequence[Unit]) -> list[str]:
    return [unit.path.name for unit in units]


def part(unit: Unit, place: types.Range) -> str:
    start, end = unit.positions.offset(place.start), unit.positions.offset(place.end)
    return unit.document[start:end]


# --- positions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "character"), [(UTF8, 1 + 4 + 3 + 1), (UTF16, 1 + 2 + 1 + 1), (UTF32, 1 + 1 + 1 + 1)], ids=["utf-8", "utf-16", "utf-32"]
)
def test_a_position_counts_the_code_units_before_it(encoding: types.PositionEncodingKind, character: int) -> None:
    positions = Positions("a\r\n\t🚀漢\tx\r\n", encoding)
    assert positions.position(7) == types.Position(1, character)
    assert positions.offset(types.Position(1, character)) == 7


@given(texts, encodings)
def test_every_offset_is_found_again_by_its_position(text: str, encoding: types.PositionEncodingKind) -> None:
    positions = Positions(text, encoding)
    for offset in range(len(text) + 1):
        is_inside_a_line_end = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        if not is_inside_a_line_end:
            assert positions.offset(positions.position(offset)) == offset


@given(texts, encodings)
def test_positions_are_those_that_the_codec_counts(text: str, encoding: types.PositionEncodingKind) -> None:
    codec, size = CODECS[encoding]
    line, start = 0, 0
    for offset in range(len(text)):
        if text[offset - 1 : offset] == "\n" or (text[offset - 1 : offset] == "\r" and text[offset] != "\n"):
            line, start = line + 1, offset
        length = len(codecs.encode(text[start:offset], codec)) // size
        assert Positions(text, encoding).position(offset) == types.Position(line, length)


@given(texts, encodings, st.integers(0, 5), st.integers(0, 200))
def test_any_position_of_a_client_means_a_place_of_that_line(
    text: str, encoding: types.PositionEncodingKind, line: int, character: int
) -> None:
    positions = Positions(text, encoding)
    offset = positions.offset(types.Position(line, character))
    if offset is None:
        assert positions.position(len(text)).line < line
    else:
        found = positions.position(offset)
        assert found.line == line and found.character <= character


def test_half_of_a_surrogate_pair_is_counted_as_the_encoding_has_it() -> None:
    for encoding, character in ((UTF8, 3), (UTF16, 1), (UTF32, 1)):
        assert Positions("\ud800x", encoding).position(1) == types.Position(0, character)
        assert Positions("\ud800x", encoding).offset(types.Position(0, character)) == 1


# --- embedded text ------------------------------------------------------------------------------------------------------

QUOTED = {
    "a raw string": 'import cupy\r\nk = cupy.RawKernel(r"""' + KERNEL.replace("\n", "\r\n") + '""", "k")\r\n',
    "escapes": "import cupy\n🚀 = cupy.RawKernel('"
    + KERNEL.replace("\n", "\\n").replace("\t", "\\x09").replace("🚀", "\\U0001f680")
    + "')\n",
    "parts": "import cupy\nk = cupy.RawKernel(" + "\n  ".join(repr(line + "\n") for line in KERNEL.splitlines()) + ", 'k')\n",
    "dedented": 'import cupy, textwrap\nk = cupy.RawKernel(textwrap.dedent("""\\\n'
    + KERNEL.replace("\n", "\n    ").join(("    ", ""))
    + '"""))\n',
    "a cell": "\n  \n%%cu --kernel k 🚀\n" + KERNEL,
    "a CRLF cell": "%%cuda\r\n" + KERNEL.replace("\n", "\r\n"),
}


def test_a_number_is_one_token() -> None:
    text = "x += 1e-3 + .5f - 2;"
    unit = Unit("", "file:///w/a.cu", Path("/w/a.cu"), text, text, UTF16)
    assert [part(unit, unit.token_range(1, text.index(number) + 1)) for number in ("1e-3", ".5f", "2", "x")] == ["1e-3", ".5f", "2", "x"]


@pytest.mark.parametrize("encoding", ENCODINGS, ids=str)
@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_tokens_and_lines_are_found_where_they_are_written(text: str, encoding: types.PositionEncodingKind) -> None:
    container = Container.NOTEBOOK_CELL if "%%" in text else Container.PYTHON_FILE
    ((unit,), passed) = read_embedded(opened(text, encoding, container), (), frozenset(), False)
    assert passed == () and unit.text.replace("\r\n", "\n") == KERNEL
    assert part(unit, unit.token_range(1, 17)) == "k" and part(unit, unit.token_range(3, 2)) == "x"
    assert part(unit, unit.line_range(1)) == "__global__ void k(float *x)"
    assert part(unit, unit.line_range(3)).startswith("x[0] = 1;  // 漢字 ") and part(unit, unit.line_range(3)).endswith(" é")
    for line in (1, 2, 3, 4):
        assert unit.line_at(unit.line_range(line).start) == line
    assert unit.line_at(types.Position(0, 0)) is None
    assert unit.lines_in(types.Range(types.Position(0, 0), unit.position(len(unit.text)))) == (1, 5)


@given(texts, texts, encodings)
def test_every_character_of_a_cell_is_found_again(before: str, text: str, encoding: types.PositionEncodingKind) -> None:
    head = "\n" * len(before) + "%%cu\n"
    ((unit,), _) = read_embedded(opened(head + text, encoding, Container.NOTEBOOK_CELL), (), frozenset(), False)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n" or offset == 0:
            assert unit.offset(unit.position(offset)) == offset


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40), encodings)
def test_every_character_of_a_string_is_found_again(text: str, encoding: types.PositionEncodingKind) -> None:
    ((unit,), _) = read_embedded(opened(f"cupy.RawKernel({ascii(text)!s}, 'k')", encoding), (), frozenset(), False)
    assert unit.text == text
    for offset in range(len(text) + 1):
        assert unit.offset(unit.position(offset)) == offset


def test_an_edit_of_the_text_is_one_of_its_spelling() -> None:
    (unit,) = read("import cupy\nk = cupy.RawKernel('a🚀\\tb', 'k')\n")
    edits = unit.edits([TextEdit(Span(2, 4), "\"\n'")])
    assert edits == (types.TextEdit(types.Range(types.Position(1, 23), types.Position(1, 26)), "\"\\n\\'"),)


def test_an_edit_that_a_raw_string_cannot_hold_is_declined() -> None:
    (unit,) = read(call(KERNEL))
    assert isinstance(unit.edits([TextEdit(Span(0, 0), '"""')]), EmbeddingProblem)


def test_a_text_that_only_the_run_knows_is_passed_over_at_its_place() -> None:
    units, (passed,) = read_embedded(opened('import cupy\nk = cupy.RawKernel(f"{a}", "k")\n'), (), frozenset(), False)
    assert units == () and passed.place == types.Range(types.Position(1, 19), types.Position(1, 25))
    assert passed.declined.code is EmbeddingProblemCode.F_STRING


# --- names --------------------------------------------------------------------------------------------------------------


def test_a_text_is_called_after_its_first_kernel() -> None:
    bounds = "__global__ __launch_bounds__(256, 2) void\nbounded(int n) { }\n"
    assert names(read(call(named("a")) + call(bounds) + call("int x;"))) == ["train.py.a.cu", "train.py.bounded.cu", "train.py.cuda.cu"]


def test_a_cell_is_called_after_the_kernel_that_its_line_names() -> None:
    for line, name in ((" b --block 64", "b"), (" ns::b<8>", "b"), ("", "a"), (" --block b", "a"), (" nosuch", "a")):
        cell = opened(f"%%kernelopt{line}\n{named('a')}{named('b')}", container=Container.NOTEBOOK_CELL)
        assert names(read_embedded(cell, (), frozenset(), False)[0]) == [f"train.py.{name}.cu"], line


def test_texts_of_the_same_name_are_numbered_in_their_order_and_next_to_other_documents() -> None:
    text = call(named("a")) + call(named("a") + "// 2")
    assert names(read(text)) == ["train.py.a.cu", "train.py.a-2.cu"]
    assert names(read(text, taken=frozenset({Path("/w/train.py.a.cu")}))) == ["train.py.a-2.cu", "train.py.a-3.cu"]


def test_a_text_keeps_its_key_while_it_and_its_neighbours_change() -> None:
    (first,) = read(call(named("a")))
    other, same = read(call(named("b")) + call(named("a")), (first,))
    assert (other.key, same.key) == ("file:///w/train.py#b", first.key)
    _, typed = read(call(named("b")) + call(named("abc")), (other, same))
    assert typed.key == first.key and typed.text == named("abc")
    swapped = read(call(named("abc")) + call(named("b")), (other, typed))
    assert [unit.key for unit in swapped] == [first.key, other.key]


def test_a_text_is_called_anew_when_it_is_saved() -> None:
    (first,) = read(call(named("a")))
    (typed,) = read(call(named("abc")), (first,))
    assert names((typed,)) == ["train.py.a.cu"]
    (saved,) = read(call(named("abc")), (typed,), may_rename=True)
    assert names((saved,)) == ["train.py.abc.cu"]
    (half,) = read(call("__global__ vo"), (saved,), may_rename=True)
    assert half.key == saved.key


def test_a_written_file_gives_its_name_and_kind() -> None:
    for head, name in (("%%writefile sub/my kernel.cu", "kernel.cu"), ("%%writefile -a 'x.cuh'", "x.cuh"), ("%%file ../é-1.cu", "é-1.cu")):
        cell = opened(f"{head}\n{KERNEL}", container=Container.NOTEBOOK_CELL)
        assert names(read_embedded(cell, (), frozenset(), False)[0]) == [f"train.py.{name}"]


def test_a_cell_of_language_cuda_is_one_text() -> None:
    (unit,) = read_cuda_cell(opened(KERNEL, container=Container.NOTEBOOK_CELL), (), frozenset(), False)
    assert unit.text == unit.document == KERNEL and unit.key.endswith("#k") and unit.path.name == "train.py.k.cu"


def test_what_a_document_no_longer_holds_is_gone() -> None:
    units = Units()
    both = read(call(named("a")) + call(named("b")))
    assert units.replace("file:///w/train.py", both) == ()
    assert units.paths() == {FILE.with_name("train.py.a.cu"), FILE.with_name("train.py.b.cu")}
    assert units.replace("file:///w/train.py", both[:1]) == (both[1].key,)
    assert units.find(both[1].key) is None and units.of("file:///w/train.py") == both[:1]
    assert units.replace("file:///w/train.py", ()) == (both[0].key,) and units.uris() == ()


SAMPLE = "import cupy\n" + call(named("a")) + "s = '''" + named("b") + "'''\ncupy.RawModule(code=s)\n%%cu\n" + 'Program(f"", "c++")\n'
edits = st.tuples(
    st.integers(0, 300), st.integers(0, 40), st.sampled_from(["", "\n", '"""', "'", "(", "%%cu\n", "cupy.RawKernel(", named("c"), "🚀"])
)


@given(st.lists(edits, max_size=12), st.sampled_from(Container), st.booleans())
def test_whatever_is_typed_every_unit_is_what_the_document_says(
    changes: list[tuple[int, int, str]], container: Container, may_rename: bool
) -> None:
    text, units = SAMPLE, ()
    for start, length, new in changes:
        text = text[:start] + new + text[start + length :]
        units, _ = read_embedded(opened(text, container=container), units, frozenset(), may_rename)
        found = [item for item in find_embedded(text, container) if isinstance(item, EmbeddedText)]
        assert [unit.text for unit in units] == [item.text for item in found]
        assert len({unit.key for unit in units}) == len({unit.path for unit in units}) == len(units)
        for unit in units:
            lines = unit.text.count("\n") + 1
            assert [unit.line_at(unit.line_range(line).start) is not None for line in range(1, lines + 1)] == [True] * lines


# --- documents ----------------------------------------------------------------------------------------------------------


def test_documents_are_known_by_language_then_by_name() -> None:
    assert is_cuda("untitled:Untitled-1", "cuda-cpp") and is_cuda("file:///a%20b.cuh", None) and not is_cuda("file:///a.py", "python")
    assert is_python("file:///a", "python") and is_python("file:///a.py", None) and not is_python("file:///a.py", "plaintext")


def test_a_header_is_cuda_by_its_code() -> None:
    kernel = "template <class T>\n__global__ void k(T* x);\n"
    assert all(is_cuda_header(f"file:///a%20b.{ending}", kernel) for ending in ("h", "hpp", "inl", "HH", "cuh"))
    assert is_cuda_header("file:///a.h", "inline __host__ __device__ float f(float x) { return x; }")
    assert not is_cuda_header("file:///a.cpp", kernel), "what is compiled by itself says by its name, or its language, that it is CUDA"
    for text in ("", "int global, device;", "// like a __global__ function", 'auto s = "__device__";', "int my__global__x;"):
        assert not is_cuda_header("file:///a.h", text), text


def test_views_of_something_else_are_no_sources() -> None:
    assert all(is_source(uri) for uri in ("file:///k.cu", "untitled:Untitled-1", "vscode-remote://ssh-remote+host/w/k.cu"))
    assert not any(is_source(uri) for uri in ("git:/w/k.cu?%7B%22ref%22%3A%22~%22%7D", "kernelopt:/proposal/P01/k.cu", "gitlens:/k.cu"))


def test_a_document_without_a_file_gets_a_name_in_the_workspace() -> None:
    root = Path("/w")
    assert path_of("file:///a%20b/k.cu", root) == Path("/a b/k.cu") and path_of("file:///k.inc", root) == Path("/k.inc")
    assert path_of("untitled:Untitled-1", root) == Path("/w/Untitled-1.cu")
    assert file_of("untitled:Untitled-1.ipynb?jupyter-notebook", root) == Path("/w/Untitled-1.ipynb")
