"""A staged store of blocks of 1024 threads has a variant of 256 threads with four rows each, and of any other block it has none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, Rewrite, Tunable
from assistant.model.verification import Label
from assistant.plan.expert.numbered import tuned
from assistant.plan.expert.staged_store import StagedStore

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "several-rows"
PROGRAMS = sorted(path.stem for path in DATA.glob("*.cu") if ".expected" not in path.name)
MANY, FEW = Dim3(20, 20), Dim3(16, 16)
TURN = """\
// kernel=turn line=9 finding=KO101
__device__ int wide(int n) { return n < 8192 ? n : 8192; }
__global__ void turn(float *out, const float *in, int rows, int cols) {
    int x = blockIdx.x * 32 + threadIdx.x, y = (blockIdx.y * 32) - (31 - threadIdx.y) + 31;
    float most = 0.0f;
    const int pitch = rows;
    if (x >= cols || y >= rows) return;
    for (int k = 0; k < 3; k++) most = fmaxf(most, in[y * cols + x] * k);
    out[x * pitch + y] = most;
}
void run(float *out, const float *in, int rows, int cols) {
    dim3 threads(32, 32);
    turn<<<dim3((cols + 31) / 32, (rows + 31) / 32), threads>>>(out, in, rows, cols);
}
"""


@pytest.fixture
def variants(context_of):
    """What becomes of a text whose kernel ran with a grid, best first."""

    def check(text: str, grid: Dim3 = MANY) -> tuple[Rewrite, ...]:
        found = StagedStore().rewrite(replace(context_of(text), launches=(LaunchConfig(grid, Dim3(32, 32)),)))
        assert not isinstance(found, Decline), found.reason
        return found

    return check


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_thread_takes_four_rows_of_a_full_tile(name, variants, applied):
    text = (DATA / f"{name}.cu").read_text("utf-8")
    few_threads, one_row, *others = variants(text)
    assert applied(text, few_threads) == (DATA / f"{name}.expected.cu").read_text("utf-8")
    assert few_threads.summary.endswith("with four rows of it in each thread.") and few_threads.labels == (Label.HOST_CODE,)
    assert one_row.labels == () and "32 x 32 threads" in one_row.assumptions[0]
    assert [other.summary.rpartition("with ")[2] for other in others] == [f"{rows} rows of it in each thread." for rows in ("two", "eight")]


def test_how_many_rows_a_thread_takes_is_left_to_tuning(variants, applied):
    several, one_row = tuned(variants(TURN))
    assert several.tunables == (Tunable("block_rows", (4, 8, 16)),) and one_row.tunables == ()
    assert [other.numbers for other in several.alternatives] == [(("block_rows", 16),), (("block_rows", 4),)]
    after = applied(TURN, several.alternatives[0])
    assert "row < 32; row += 16)" in after and "dim3 threads(32, 16);" in after


@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_line_ends_are_kept(name, variants, applied):
    text = (DATA / f"{name}.cu").read_text("utf-8").replace("\n", "\r\n")
    assert applied(text, variants(text)[0]).replace("\r\n", "").count("\n") == 0


def test_each_row_begins_anew_with_what_changes(variants, applied):
    after = applied(TURN, variants(TURN)[0]).splitlines()
    assert after[3:-4] == [
        "    __shared__ float tile[32][32 + 1];",
        "    const int pitch = rows;",
        "    for (int row = 0; row < 32; row += 8) {",
        "        int x = blockIdx.x * 32 + threadIdx.x, y = (blockIdx.y * 32) - (31 - (threadIdx.y + row)) + 31;",
        "        float most = 0.0f;",
        "        if (x < cols && y < rows) {",
        "            for (int k = 0; k < 3; k++) most = fmaxf(most, in[y * cols + x] * k);",
        "            tile[threadIdx.y + row][threadIdx.x] = most;",
        "        }",
        "    }",
        "    __syncthreads();",
        "    int y_out = (blockIdx.y * 32) - (31 - threadIdx.x) + 31;",
        "    for (int row = 0; row < 32; row += 8) {",
        "        int x_out = blockIdx.x * 32 + threadIdx.y + row;",
        "        if (x_out < cols && y_out < rows)",
        "            out[x_out * pitch + y_out] = tile[threadIdx.x][threadIdx.y + row];",
        "    }",
        "}",
    ]
    assert "    dim3 threads(32, 8);" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("32, 32)", "16, 16)", id="small-blocks"),
        pytest.param("pitch = rows", "pitch = wide(rows)", id="a-local-of-a-call-is-used-behind-the-barrier"),
        pytest.param("void run", "#define turn2 turn\nvoid run", id="nothing-in-its-way"),
    ],
)
def test_the_launch_stays_where_rows_cannot_share_a_thread(variants, old, new):
    text = TURN.replace(old, new)
    text = text.replace("* 32", "* 16").replace("31", "15").replace("/ 32", "/ 16") if old == "32, 32)" else text
    assert len(variants(text)) == (4 if "turn2" in new else 1)


def test_the_launch_stays_where_the_gpu_holds_all_blocks_at_once(variants, context_of):
    assert len(variants(TURN, FEW)) == 1
    found = StagedStore().rewrite(context_of(TURN))
    assert not isinstance(found, Decline) and len(found) == 1


def test_a_declared_block_changes_with_the_launch(variants, applied):
    declared = '/* kernelopt\n[workload.turn]\ngrid = ["ceil(cols/32)", "ceil(rows/32)"]\nblock = [32, 32]\n*/\n'
    text = TURN.replace("__device__", declared + "__device__", 1).replace("line=9", "line=14")
    assert "block = [32, 8]\n" in applied(text, variants(text)[0])
