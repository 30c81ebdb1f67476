"""What an edit does to the accesses of its kernel, by the text alone: the edited line says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse_with_trees
from assistant.editor.live_accesses import LiveAccesses
from assistant.editor.open_document import OpenDocument
from assistant.editor.words import HINT_LIMIT
from assistant.model.launch import Dim3
from assistant.model.source import Source

_KERNEL = """__global__ void k(const float *in, float *out, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  out[y * nx + x] = in[y * nx + x];
}
"""
_MAIN = "int main() {\n  float *p = 0;\n  k<<<dim3(64, 64), dim3(32, 8)>>>(p, p, 4096, 4096);\n}\n"
_TILED = _KERNEL + _MAIN


def _said(before: str, after: str, seen: dict[str, tuple[Dim3, ...]] | None = None) -> list[tuple[int, str]]:
    first, now = (parse_with_trees(Source(Path("/a.cu"), text)) for text in (before, after))
    return [(line.line, line.text) for line in LiveAccesses(*first).lines(*now, seen or {})]


def _edited(old: str, new: str, text: str = _TILED) -> list[tuple[int, str]]:
    assert old in text
    return _said(text, text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("in[y * nx + x]", "in[x * ny + y]", [(5, "≈ load: was 4, now 32 sectors/request")]),
        ("in[y * nx + x]", "in[y * nx + x] * 2.0f", [(5, "≈ load 4 sectors/request")]),
        ("in[y * nx + x]", "in[y * nx]", [(5, "≈ load: was 4, now 1 sector/request")]),
        ("in[y * nx + x]", "in[y * nx + 2 * x]", [(5, "≈ load: was 4, now 8 sectors/request")]),
        ("in[y * nx + x]", "in[y * nx + x - 1]", [(5, "≈ load: was 4, now 5 sectors/request")]),
        ("out[y * nx + x] =", "out[x * ny + y] =", [(5, "≈ store: was 4, now 32 sectors/request")]),
        ("int y = blockIdx.y * blockDim.y + threadIdx.y", "int y = blockIdx.y * blockDim.y", []),
        ("blockDim.x + threadIdx.x;", "blockDim.x + 8 * threadIdx.x;", [(2, "≈ line 5: was 4, now 32 sectors/request")]),
        ("dim3(32, 8)", "dim3(8, 32)", []),
        ("dim3(32, 8)", "dim3(4, 64)", [(9, "≈ line 5: was 4, now 8 sectors/request")]),
        ("  float *p = 0;", "  float *p = nullptr;", []),
    ],
)
def test_the_edited_line_says_what_its_accesses_cost_now(old: str, new: str, said: list[tuple[int, str]]) -> None:
    found = _edited(old, new)
    assert found == said
    assert all(len(text) <= HINT_LIMIT for _, text in found)


def test_a_line_that_is_new_says_what_would_do() -> None:
    line = "  out[y * nx + x] = in[y * nx + x];\n"
    assert _said(_TILED.replace(line, ""), _TILED.replace(line, "  out[x * ny + y] = 1.0f;\n")) == [
        (5, "≈ store 32 sectors/request, 4 would do")
    ]


@pytest.mark.parametrize(
    "access",
    [
        "in[(int)in[x]]",  # the data decides
        "in[nx * x % 100]",  # the size decides
        "in[unknown(x)]",
        "in[y * nx + x",  # not finished
    ],
)
def test_what_the_text_does_not_decide_is_not_told(access: str) -> None:
    assert _edited("in[y * nx + x]", access) == []


def test_a_line_that_also_moves_large_structures_speaks_for_the_arrays_that_it_knows() -> None:
    text = "struct Body { float at[8]; };\n" + _TILED.replace("int nx, int ny)", "Body *b, int nx, int ny)").replace("(p, p,", "(p, p, 0,")
    whole, member = (text.replace("= in[y * nx + x];", f"= in[y * nx + x] + {body};") for body in ("use(b[x])", "b[x].at[0]"))
    for before, said in ((whole, "≈ in: was 4, now 32 sectors/request"), (member, "≈ load: was 4, now 32 sectors/request")):
        assert _said(before, before.replace("in[y * nx + x]", "in[x * ny + y]")) == [(6, said)]
    assert _said(member, member.replace("b[x].at", "b[2 * x].at"))[0][1] == "≈ load 32 sectors/request"
    assert _said(whole, whole.replace("b[x]", "b[y]")) == [(6, "≈ in 4 sectors/request")]


def test_lanes_that_do_not_take_part_move_nothing() -> None:
    assert _edited("out[y * nx + x] = in[y * nx + x];", "if (threadIdx.x < 4) { out[8 * x] = 0; }") == [
        (5, "≈ store 4 sectors/request, 1 would do"),
    ]


def test_a_name_that_is_assigned_in_two_places_is_not_followed() -> None:
    text = _TILED.replace("  if (x >=", "  int at = x;\n  if (ny > 3) at = y;\n  if (x >=")
    assert _said(text, text.replace("in[y * nx + x]", "in[at]")) == []


def test_a_kernel_that_the_text_does_not_launch_has_the_block_that_was_counted() -> None:
    after = _KERNEL.replace("in[y * nx + x]", "in[x * ny + y]")
    key = parse_with_trees(Source(Path("/a.cu"), _KERNEL))[0].kernels[0].key
    assert _said(_KERNEL, after) == []
    assert _said(_KERNEL, after, {key: (Dim3(32, 8, 1),)}) == [(5, "≈ load: was 4, now 32 sectors/request")]


def test_an_open_document_says_it_until_it_is_saved() -> None:
    document = OpenDocument("file:///a.cu", Path("/a.cu"), _TILED)
    assert document.view.live == ()
    document.text = _TILED.replace("in[y * nx + x]", "in[x * ny + y]")
    document.reparse()
    assert [line.text for line in document.view.live] == ["≈ load: was 4, now 32 sectors/request"]
    assert document.saved()
    assert document.view.live == ()
    document.text = _TILED
    document.reparse()
    assert [line.text for line in document.view.live] == ["≈ load: was 32, now 4 sectors/request"]
