"""The launch of a notebook's cell: read from the magic's line, changed in the text's first line, written back on the magic's line."""

from __future__ import annotations

from dataclasses import replace as with_parts

import pytest

from assistant.cuda.edits import apply_edits
from assistant.cuda.embedded.cell_launch import CellLaunch, first_line, launch_in, plain, relaunched, shown_line
from assistant.cuda.embedded.find import find_embedded
from assistant.cuda.embedded.replace import replace
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span, TextEdit

CODE = "__global__ void blur(float *out, const float *x, int n, int h)\n{\n    out[0] = x[n];\n}\n"


def launch(arguments: str, code: str = CODE) -> CellLaunch | None:
    return launch_in(first_line(arguments, code) or "")


@pytest.mark.parametrize(
    ("arguments", "grid", "block", "shared"),
    [
        ("--grid (n+255)//256 --block 256", ("ceil(n/256)",), ("256",), "0"),
        ("--grid='((n + 31) // 32, -(-h//8))' --block 32,8 --wait", ("ceil(n/32)", "ceil(h/8)"), ("32", "8"), "0"),
        ("--grid math.ceil(n/16),h --block (16,16) --shared 4*n", ("ceil(n/16)", "h"), ("16", "16"), "4 * n"),
        ("--grid (n+block-1)//block --block 128", ("ceil(n/128)",), ("128",), "0"),
        ("--grid (n-1+block[0])//block[0] --block (64,2)", ("ceil(n/64)",), ("64", "2"), "0"),
        ("--args n=x.size --grid cdiv(x.size,256) --block 256", ("ceil(n/256)",), ("256",), "0"),
        ("--args n=N --grid (N+255)//256 --block 256", ("ceil(n/256)",), ("256",), "0"),
        ("--grid n//256 --block 256", ("floor(n/256)",), ("256",), "0"),
        ("--grid max(1,(n*h+255)//256) --block 256", ("max(1, ceil((n * h)/256))",), ("256",), "0"),
    ],
)
def test_arithmetic_over_parameters_is_a_launch_that_edits_can_follow(
    arguments: str, grid: tuple[str, ...], block: tuple[str, ...], shared: str
) -> None:
    found = launch(arguments)
    assert found is not None and found == CellLaunch(grid, block, shared)
    line = f"%%kernelopt {arguments}"
    assert relaunched(line, CODE, found) == line, "what stays is not written anew"


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--grid 4",
        "--block 256",
        "--grid x.shape --block 256",
        "--grid (n+255)//256 --block f(n)",
        "--grid n/4 --block 4",
        "--grid ( --block 4",
    ],
)
def test_a_line_that_says_more_or_less_has_none(arguments: str) -> None:
    assert first_line(arguments, CODE) is None


def test_a_name_that_two_parameters_get_means_neither() -> None:
    assert launch("--args n=N,h=N --grid (N+15)//16 --block 16") == CellLaunch(("ceil(N/16)",), ("16",), "0")
    own = "__global__ void k(float *C, int M, int N) {}\n"
    assert launch("--args M=N --grid (N+15)//16 --block 16", own) == CellLaunch(("ceil(N/16)",), ("16",), "0"), "N is a parameter itself"


def test_the_kernel_that_the_line_names_is_kept() -> None:
    found = launch("blur --wait --grid 4 --block 256")
    assert found == CellLaunch(("4",), ("256",), "0", "blur")


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"block": ("64", "4")}, "--args n=x.size --grid (n+255)//256 --block (64,4) --ref f"),
        ({"grid": ("ceil(n/1024)",)}, "--args n=x.size --grid (n+1023)//1024 --block 256 --ref f"),
        ({"grid": ("ceil(n/256) * 8", "h")}, "--args n=x.size --grid (((n+255)//256)*8,h) --block 256 --ref f"),
        ({"shared": "n * 4"}, "--args n=x.size --grid (n+255)//256 --block 256 --ref f --shared n*4"),
        ({"grid": ("ceil(n/h)",), "block": ("32",)}, "--args n=x.size --grid -(-n//h) --block 32 --ref f"),
    ],
)
def test_another_launch_is_written_where_the_old_one_was(changed: dict[str, tuple[str, ...]], line: str) -> None:
    arguments = "--args n=x.size --grid (n+255)//256 --block 256 --ref f"
    before = launch(arguments)
    assert before is not None
    wanted = with_parts(before, **changed)
    assert relaunched(f"%%kernelopt {arguments}", CODE, wanted) == f"%%kernelopt {line}"
    assert launch(line) == wanted, "it is read back as it was meant"


def test_what_a_technique_writes_is_made_as_the_line_gives_it_back() -> None:
    assert plain("ceil(ceil(n/16) / 4)") == "ceil(n/64)"
    assert plain("(ceil(n/256)) * 8") == "ceil(n/256) * 8"
    assert plain("ceil(n/2.5)") is None
    assert launch_in('// kernelopt launch: grid = ["ceil(ceil(n/16) / 4)"], block = [16], shared = [0]\n') is None


CELL = f"%%kernelopt --grid (n+15)//16 --block 16\n{CODE}"


def embedded() -> EmbeddedText:
    (found,) = find_embedded(CELL, Container.NOTEBOOK_CELL)
    assert isinstance(found, EmbeddedText)
    return found


def test_the_text_has_the_cells_lines_and_its_launch_as_the_first() -> None:
    found = embedded()
    first, body = found.text.split("\n", 1)
    assert body == CODE and launch_in(first) == launch("--grid (n+15)//16 --block 16")
    for line in range(1, 5):
        start = sum(map(len, found.text.splitlines(keepends=True)[:line]))
        assert CELL.count("\n", 0, found.to_container(start)) == line, "a line's number is the notebook's"


def test_an_edit_of_both_rewrites_line_and_cell() -> None:
    found = embedded()
    after = found.text.replace("ceil(n/16)", "ceil(n/64)").replace("[16]", "[64]").replace("x[n]", "2 * x[n]")
    edits = replace(found, (TextEdit(Span(0, len(found.text)), after),))
    assert isinstance(edits, tuple)
    expected = CELL.replace("(n+15)//16", "(n+63)//64").replace("--block 16", "--block 64").replace("x[n]", "2 * x[n]")
    assert apply_edits(CELL, edits) == expected


def test_a_launch_that_the_line_cannot_say_is_declined() -> None:
    found = embedded()
    for start in ("", '// kernelopt launch: grid = ["ceil(n/2.5)"], block = [16], shared = [0]\n'):
        declined = replace(found, (TextEdit(Span(0, len(found.text)), start + CODE),))
        assert isinstance(declined, EmbeddingProblem) and declined.code is EmbeddingProblemCode.LAUNCH


def test_people_see_the_magics_line() -> None:
    assert shown_line(embedded().text) == f"%%kernelopt … --grid (n+15)//16 --block 16\n{CODE}"
    assert shown_line(CODE) == CODE
