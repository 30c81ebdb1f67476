"""What the programs of ``tests/data/plan/window-tile`` cannot show of its tiles: blocks that only a run shows, conditions that the grammar
takes for templates, the prediction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.syntax import node_text, parsed_expression
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.profile import Evidence, Method
from assistant.model.verification import Label
from assistant.plan.expert.analysis.condition_parts import parts_of
from assistant.plan.expert.window_tile import WindowTile
from tests.unit.plan.conftest import make_applied, make_context

BLUR = (Path(__file__).resolve().parents[3] / "data" / "plan" / "window-tile" / "clamped_blur.cu").read_text("utf-8")
LAUNCH = "blur<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(src, dst, w, h);"
BY_MACRO = BLUR.replace(LAUNCH, "RUN2D(blur, w, h, src, dst, w, h);").replace(
    "#define R 2", "#define R 2\n#define RUN2D(k, w, h, ...) k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(__VA_ARGS__)"
).replace("line=17", "line=18")  # fmt: skip


def rewritten(text: str, *blocks: Dim3, evidence: tuple[Evidence, ...] = ()) -> Rewrite | Decline:
    launches = tuple(LaunchConfig(Dim3(2, 3), block) for block in blocks)
    result = WindowTile().rewrite(replace(make_context(text, evidence), launches=launches))
    return result if isinstance(result, Decline) else result[0]


def test_a_launch_by_a_macro_has_the_block_that_ran_as_an_assumption():
    rewrite = rewritten(BY_MACRO, Dim3(32, 8))
    assert isinstance(rewrite, Rewrite)
    assert rewrite.labels == (Label.ASSUMPTION,)
    assert rewrite.assumptions == (
        "blur is launched with blocks of 32 x 8 threads, as in all launches that ran; "
        "the text does not show it, as a launch with this block or a cell's %%kernelopt line would",
    )
    assert "uchar src_tile[8 + 2 * R][32 + 2 * R];" in make_applied(BY_MACRO, rewrite)


@pytest.mark.parametrize("blocks", [(), (Dim3(32, 8), Dim3(16, 16))])
def test_a_launch_by_a_macro_is_left_alone_without_one_block(blocks: tuple[Dim3, ...]):
    result = rewritten(BY_MACRO, *blocks)
    assert isinstance(result, Decline)
    assert result.code is DeclineReason.LAUNCH_UNKNOWN


def test_the_prediction_is_what_a_thread_puts_into_the_tile():
    reuse = Evidence("E1", "load_reuse_in_block", 10.0, "loads/sector", 17, Method.EMULATOR, "emulator, sm_90 rules")
    rewrite = rewritten(BLUR, evidence=(reuse,))
    assert isinstance(rewrite, Rewrite)
    assert [(p.metric, p.before, p.after) for p in rewrite.predictions] == [("load_reuse_in_block", 10.0, 10.0 * 12 * 36 / 256 / 25)]


@pytest.mark.parametrize(
    ("condition", "operator", "parts"),
    [
        ("hh >= 0 && hh < H && ww >= 0 && ww < W", "&&", ["hh >= 0", "hh < H", "ww >= 0", "ww < W"]),
        ("y < 1 || x > w || f(a || b)", "||", ["y < 1", "x > w", "f(a || b)"]),
        ("x < w && y > h || z", "&&", ["x < w && y > h || z"]),
    ],
)
def test_a_condition_that_looks_like_a_template_has_parts(condition: str, operator: str, parts: list[str]):
    node = parsed_expression(condition)
    assert node is not None
    assert [node_text(part).strip() for part in parts_of(node, operator)] == parts
