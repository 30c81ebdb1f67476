"""Tables that are filled in tiles: what the new kernel and loop are made of, and programs whose cells have to be filled as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.wavefront_tiles import WavefrontTiles

KERNEL = """\
// kernel=fill line=15 finding=KO125
__global__ void fill(int *score, const char *a, const char *b, int m, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > m || j < 1 || j > n) return;
    int w = n + 1;
    int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);
    score[i * w + j] = max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]));
}
"""
HOST = """\

void run(int *score, const char *a, const char *b, int m, int n)
{
    for (int d = 2; d <= m + n; d++) {
        fill<<<(m + 127) / 128, 128>>>(score, a, b, m, n, d);
    }
}
int main()
{
    int *score;
    char *a, *b;
    cudaMalloc(&score, 121 * sizeof(int));
    cudaMalloc(&a, 10);
    cudaMalloc(&b, 10);
    run(score, a, b, 10, 10);
}
"""
Edited = Callable[..., str]
Reason = Callable[..., DeclineReason]


@pytest.fixture
def edited(context_of: Callable[..., TransformationContext], applied: Callable[[str, Rewrite], str]) -> Edited:
    def check(text: str, *others: Source) -> str:
        rewrites = WavefrontTiles().rewrite(context_of(text, others=others))
        assert not isinstance(rewrites, Decline), rewrites.reason
        return applied(text, rewrites[0])

    return check


@pytest.fixture
def reason(context_of: Callable[..., TransformationContext]) -> Reason:
    def check(text: str) -> DeclineReason:
        declined = WavefrontTiles().rewrite(context_of(text))
        assert isinstance(declined, Decline) and declined.code is not None, declined
        return declined.code

    return check


def changed(old: str, new: str) -> str:
    """The program with something else in the place of ``old``."""
    assert old in KERNEL + HOST, old
    return (KERNEL + HOST).replace(old, new)


def test_tiles_of_32_and_64_are_tried_where_both_fit(context_of: Callable[..., TransformationContext]) -> None:
    rewrites = WavefrontTiles().rewrite(context_of(KERNEL + HOST))
    assert not isinstance(rewrites, Decline)
    assert [dict(each.numbers) for each in rewrites] == [{"tile_edge": 32}, {"tile_edge": 64}]


def test_that_rows_of_a_pitch_that_is_passed_are_long_enough_is_stated(context_of: Callable[..., TransformationContext]) -> None:
    text = changed("    int w = n + 1;\n", "").replace("int m, int n", "int w, int m, int n").replace("b, m, n, d)", "b, w, m, n, d)")
    text = text.replace("run(score, a, b, 10, 10)", "run(score, a, b, 11, 10, 10)")
    rewrites = WavefrontTiles().rewrite(context_of(text))
    assert not isinstance(rewrites, Decline)
    assert rewrites[0].assumptions == ("rows of `score` are longer than what is filled of them",) and Label.ASSUMPTION in rewrites[0].labels
    (own, *_) = WavefrontTiles().rewrite(context_of(KERNEL + HOST))
    assert own.assumptions == () and Label.ASSUMPTION not in own.labels, "n + 1 is longer than n"


def test_a_local_that_changes_later_is_set_for_each_cell(edited: Edited) -> None:
    text = edited(changed("    int best =", "    int gap = 0;\n    if (a[i - 1] == 'x') gap = 2;\n    int best = gap +"))
    assert text.index("int gap = 0;") > text.index("for (int step")


def test_a_local_of_the_bounds_check_alone_is_gone(edited: Edited) -> None:
    text = edited(changed("    if (i > m ||", "    int last = d - 1 < m ? d - 1 : m;\n    if (i > last ||"))
    assert "int last" not in text[: text.index("void run")]


def test_names_that_are_taken_are_left_alone(edited: Edited) -> None:
    text = edited(
        changed("    int w =", "    int t = 0, c = 0, i0 = 0, tile = t + c;\n    int w =").replace("max(best,", "max(best + i0 + tile,")
    )
    assert "__shared__ int tile_in_tile[TILE + 1][TILE + 2];" in text and "int first_i = 1 + (first + blockIdx.x) * TILE;" in text
    assert "int tid = threadIdx.x;" in text and "int k = step - tid;" in text


def test_the_last_index_may_be_a_size_less_one(edited: Edited) -> None:
    zero = (
        KERNEL.replace("threadIdx.x + 1", "threadIdx.x")
        .replace("i > m || j < 1 || j > n", "i >= m || j < 0 || j >= n")
        .replace("n + 1", "n")
    )
    guarded = zero.replace("int best", "if (i == 0 || j == 0) {\n        score[i * w + j] = 0;\n        return;\n    }\n    int best")
    with pytest.raises(AssertionError, match="without waiting, leaving early"):
        edited(guarded + HOST.replace("2; d <= m + n", "0; d <= m + n - 2"))
    text = edited(
        zero.replace("int best = max(", "int best = i == 0 || j == 0 ? 0 : max(").replace(
            "score[(i - 1) * w + j - 1] +", "(i > 0 && j > 0 ? score[(i - 1) * w + j - 1] : 0) +"
        )
        + HOST.replace("2; d <= m + n", "0; d <= m + n - 2")
    )
    assert "if (i < m && j0 > 0)" in text and "if (t == 0 && i0 > 0 && j0 > 0)" in text and "int tile_rows = (m + TILE - 1) / TILE;" in text


def test_a_border_that_data_may_lead_to_is_loaded_only_where_the_bounds_let_it(edited: Edited) -> None:
    """`i > 0 && a[i] == b[j]` is false in the first row, whatever the data are."""
    kernel = KERNEL.replace("threadIdx.x + 1", "threadIdx.x").replace("i > m || j < 1", "i > m || j < 0")
    kernel = kernel.replace("    int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);\n", "    int best = 0;\n")
    kernel = kernel.replace("max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]))", "best")
    kernel = kernel.replace("    score[i", "    if (i > 0 && j > 0 && a[i] == b[j]) best = score[(i - 1) * w + j - 1] + 1;\n    score[i")
    text = edited(kernel + HOST.replace("d = 2", "d = 0").replace("(m + 127)", "(m + 128)"))
    assert "if (i <= m && j0 > 0)" in text and "if (t == 0 && i0 > 0 && j0 > 0)" in text
    assert "int tile_rows = (m + TILE) / TILE;" in text


def test_sizes_may_be_numbers_of_the_host(edited: Edited) -> None:
    host = HOST.replace("int m, int n)", "int)").replace("{\n    for", "{\n    int m = 1000, n = 141;\n    for").replace("10, 10)", "0)")
    assert "int tile_columns = (n + TILE - 1) / TILE;" in edited(KERNEL + host)


def test_a_launch_in_another_file_is_changed_there(
    context_of: Callable[..., TransformationContext], applied: Callable[[str, Rewrite], str]
) -> None:
    other = Source(Path("/run.cu"), f'#include "kernel.cu"\n{HOST}')
    rewrites = WavefrontTiles().rewrite(context_of(KERNEL, others=(other,)))
    assert not isinstance(rewrites, Decline), rewrites.reason
    ((path, edits),) = [(each.path, each.edits) for each in rewrites[0].in_others]
    assert path == other.path and any("fill<<<last - first + 1, TILE>>>(score, a, b, m, n, d, first);" in edit.new_text for edit in edits)
    assert "__shared__ int tile[TILE + 1][TILE + 2];" in applied(KERNEL, rewrites[0])


def test_turns_of_the_loop_without_a_cell_may_be_left_out(edited: Edited) -> None:
    launch = "        fill<<<(m + 127) / 128, 128>>>(score, a, b, m, n, d);\n"
    skipped = changed(launch, f"        int cells = d - 1;\n        if (cells <= 0) continue;\n{launch}")
    for text in (skipped, changed(launch, f"        if (d > 1) {{\n    {launch}        }}\n")):
        assert "if (last < first) continue;  // no rows or no columns" in edited(text.replace("d = 2;", "d = 0;"))
        assert "fill<<<last - first + 1, TILE>>>(score, a, b, m, n, d, first);" in edited(text)


def test_the_loop_may_set_numbers_that_are_its_own(edited: Edited, reason: Reason) -> None:
    loop = "    for (int d = 2; d <= m + n; d++) {\n        fill<<<(m + 127) / 128, 128>>>"
    text = changed(loop, f"    int blocks, d;\n{loop.replace('int d', 'd')}").replace("(m + 127) / 128, 128>>>", "blocks, 128>>>")
    text = text.replace("        fill<<<", "        blocks = (m + 127) / 128;\n        fill<<<")
    assert "fill<<<last - first + 1, TILE>>>(score, a, b, m, n, d, first);" in edited(text)
    late = text.replace("        blocks = (m + 127) / 128;\n", "        int used = blocks;\n        blocks = (m + 127) / 128;\n")
    assert reason(late.replace("<<<blocks", "<<<used")) == DeclineReason.USED_ELSEWHERE
    assert reason(text.replace("    }\n}", '    }\n    printf("%d", blocks);\n}')) == DeclineReason.USED_ELSEWHERE


def test_an_empty_table_is_no_matter_where_its_launch_was_none(edited: Edited) -> None:
    """Of no rows the original launches no blocks, of no columns it launches blocks that do nothing."""
    assert "if (last < first) continue;" in edited(KERNEL + HOST)
    sized = changed("(m + 127) / 128, 128", "(min(d - 1, m) - max(1, d - n) + 128) / 128, 128")
    assert "continue" not in edited(sized.replace("threadIdx.x + 1", "threadIdx.x + max(1, d - n)"))


def test_an_index_is_written_out_for_another_row(edited: Edited, reason: Reason) -> None:
    named = changed(
        "    int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);", "    int base = i * w, start = base;\n    int best = 0;"
    )
    named = named.replace("score[i * w + j] =", "score[start + j] =")
    assert "tile[t + 1][0]" in (text := edited(named)) and "score[i * w + j0 - 1]" in text and "score[(i0 - 1) * w + j0 - 1]" in text
    assert reason(changed("score[i * w + j] =", "score[i * w + d - i] =")) == DeclineReason.ADDRESS_UNKNOWN


def test_sizes_may_be_parts_of_a_constant(edited: Edited) -> None:
    """`#define N 512` and a table of N / 4 rows: small numbers in the place of 512 leave no rows."""
    host = HOST.replace("int m, int n)", "int)").replace("{\n    for", "{\n    const int m = N / 4, n = N / 4;\n    for")
    text = edited(KERNEL.replace("__global__", "#define N 512\n__global__") + host.replace("10, 10)", "0)"))
    assert "int tile_rows = (m + TILE - 1) / TILE;" in text or "int tiles = (m + TILE - 1) / TILE;" in text


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("    if (i > m", "    atomicAdd(&score[0], 1);\n    if (i > m", DeclineReason.POINTER_UNCLEAR),
        ("    int w", "    __syncthreads();\n    int w", DeclineReason.SYNCHRONIZES),
        ("(a[i - 1] == b[j - 1])", "__shfl_sync(~0u, a[i - 1], 0)", DeclineReason.WARP_MATTERS),
        ("(a[i - 1] == b[j - 1])", "(int)threadIdx.x", DeclineReason.ORDER_MATTERS),
        ("(a[i - 1] == b[j - 1])", "score[i * w + j]", DeclineReason.CONDITIONAL),
        ("score[i * w + j] = max(", "score[i * w + j] += max(", DeclineReason.CONDITIONAL),
        ("score[(i - 1) * w + j - 1]", "score[(i + 1) * w + j - 1]", DeclineReason.ORDER_MATTERS),
        ("score[(i - 1) * w + j - 1]", "score[a[i - 1] * w + j - 1]", DeclineReason.ADDRESS_UNKNOWN),
        ("j > n) return", "j > n || i == 3) return", DeclineReason.ORDER_MATTERS),
        ("j > n) return", "j > n || i > 4096) return", DeclineReason.GRID_FORM),
        ("(m + 127) / 128, 128", "m / 128, 128", DeclineReason.GRID_FORM),
        ("(m + 127) / 128, 128", "(m + 127) / 128, 128, 64", DeclineReason.LAUNCH_FORM),
        ("    int w = n + 1;", "    n += 1;\n    int w = n;", DeclineReason.LOOP_HAS_EFFECTS),
        ("    int w", "    a++;\n    int w", DeclineReason.LOOP_HAS_EFFECTS),
        ("    int w", "    last_row = i;\n    int w", DeclineReason.LOOP_HAS_EFFECTS),
        ("(score, a, b, m, n, d)", "(score + d, a, b, m, n, d)", DeclineReason.LAUNCH_FORM),
        ("128, 128>>>", "128, 128, 0, streams[d % 2]>>>", DeclineReason.LAUNCH_FORM),
        ("__global__", "__global__ void fill(int *, const char *, const char *, int, int, int);\n__global__", DeclineReason.LAUNCH_FORM),
        ("max(score[(i - 1) * w + j],", "max(__ldg(&score[(i - 1) * w + j]),", DeclineReason.POINTER_UNCLEAR),
        ("score[i * w + j] =", "score[i * w + j].x =", DeclineReason.POINTER_UNCLEAR),
        ("int *score", "Score *score", DeclineReason.TYPE_UNKNOWN),
        ("        fill<<<", "        if (a[d] > 0) fill<<<", DeclineReason.ADDRESS_UNKNOWN),
        ("        fill<<<", "        if (d != 3) fill<<<", DeclineReason.ORDER_MATTERS),
        ("d <= m + n", "d <= m + n - 1", DeclineReason.ORDER_MATTERS),
        ("int d = 2; d <= m + n; d++", "int d = m + n; d >= 2; d--", DeclineReason.ORDER_MATTERS),
        ("m, n, d);", "m, n, d);\n        cudaMemset(score, 0, 4);", DeclineReason.LOOP_FORM),
        ("    run(", "    fill<<<1, 1>>>(score, a, b, 1, 1, 2);\n    run(", DeclineReason.LAUNCH_FORM),
        ("run(score, a, b, 10, 10)", "run(score, (char *)score, b, 10, 10)", DeclineReason.MAY_OVERLAP),
    ],
)
def test_what_could_give_other_cells_is_declined(reason: Reason, old: str, new: str, code: DeclineReason) -> None:
    assert reason(changed(old, new)) == code


def test_work_behind_a_bounds_check_stays_with_the_cells_that_it_is_for(reason: Reason) -> None:
    counted = changed("const char *b, int m", "const char *b, int *count, int m").replace("a, b, m, n, d", "a, b, count, m, n, d")
    counted = counted.replace(
        "(int *score, const char *a, const char *b, int m, int n)", "(int *score, const char *a, const char *b, int *count, int m, int n)"
    )
    counted = counted.replace("run(score, a, b, 10", "run(score, a, b, score + 999, 10")
    late = counted.replace("== b[j - 1]));\n", "== b[j - 1]));\n    if (j != n) return;\n    atomicAdd(count, 1);\n")
    early = counted.replace("    if (i > m", "    atomicAdd(count, 1);\n    if (i > m")
    assert reason(late) == DeclineReason.LOOP_HAS_EFFECTS
    assert reason(early) == DeclineReason.LOOP_HAS_EFFECTS


def test_the_loops_variable_is_the_loops_own(reason: Reason, edited: Edited) -> None:
    loop = "    for (int d = 2; d <= m + n; d++) {"
    outside = changed(loop, "    int d;\n    for (d = 2; d <= m + n; d++) {")
    assert "    int d;\n" not in edited(outside)
    assert reason(outside.replace("    }\n}", '    }\n    printf("%d", d);\n}')) == DeclineReason.USED_ELSEWHERE


def test_a_loop_that_launches_by_time_steps_is_no_matter(context_of: Callable[..., TransformationContext]) -> None:
    steps = (
        "// kernel=k line=2 finding=KO125\n__global__ void k(const float *x, float *y, int t) { int i = threadIdx.x; y[i] = x[t - i]; }\n"
    )
    host = "void run(const float *x, float *y) { for (int t = 0; t < 99; t++) k<<<1, 64>>>(x, y, t); }\n"
    assert WavefrontTiles().rewrite(context_of(steps + host)) == ()
