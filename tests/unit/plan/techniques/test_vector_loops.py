"""Loops that share a row's elements, in the spellings that people have for them: which get vectors, and on what condition."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.recorded_facts import FactsOrigin, LaunchShape, RecordedFacts
from assistant.model.verification import Label
from assistant.plan.expert.vectorized_access import VectorizedAccess
from tests.unit.plan.conftest import make_applied, make_context

SOFTMAX = """\
// kernel=softmax line=11 finding=KO118
__device__ float warp_max(float v) { for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o)); return v; }
__device__ float warp_sum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o); return v; }
__global__ void softmax(const float *__restrict__ x, const float *__restrict__ b, float *__restrict__ y, int rows, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const float *s = x + row * n;
    float *p = y + row * n;
    float m = -1e30f;
    for (int c = lane; c < n; c += 32) m = fmaxf(m, s[c]);
    m = warp_max(m);
    float t = 0;
    for (int c = lane; c < n; c += 32) t += expf(s[c] - m);
    t = warp_sum(t);
    for (int c = lane; c < n; c += 32) p[c] = expf(s[c] - m) / t;
}
void run(const float *x, const float *b, float *y, int rows, int n) { softmax<<<(rows + 7) / 8, 256>>>(x, b, y, rows, n); }
"""
MASKED = (("fmaxf(m, s[c])", "fmaxf(m, b[c] > 0 ? s[c] : -1e30f)"), ("t += expf(s[c] - m)", "t += b[c] > 0 ? expf(s[c] - m) : 0"))
FACTS = RecordedFacts("softmax", FactsOrigin.RECORDED, 6, 6, (LaunchShape(LaunchConfig(Dim3(4), Dim3(256)), 6),), (), (), ())


def softmax(*changes: tuple[str, str]) -> str:
    text = SOFTMAX
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def edit(text: str, facts: RecordedFacts | None = None) -> Rewrite | Decline:
    result = VectorizedAccess().rewrite(replace(make_context(text), recorded=facts))
    return result if isinstance(result, Decline) else result[0]


def edited(text: str) -> str:
    rewrite = edit(text)
    assert isinstance(rewrite, Rewrite), rewrite.reason
    return make_applied(text, rewrite)


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("x + row * n", "&x[row * n]"), ("y + row * n", "&y[row * n]")),
        (("s[c]", "__ldg(&s[c])"),),
        (("s[c]", "__ldg(s + c)"),),
        (("c += 32", "c += warpSize"), ("threadIdx.x % 32", "threadIdx.x % warpSize")),
        (("m = fmaxf(m, s[c]);", "{ int at = row * n + c; m = fmaxf(m, x[at]); }"), ("s[c]", "x[row * n + c]")),
        (("m = fmaxf(m, s[c]);", "if (s[c] > m) m = s[c];"),),
        (("c < n", "c <= row"),),
        (("t = warp_sum(t);", "t = warp_sum(t);\n    if (t == 0.f) t = 1.f;"),),
    ],
)
def test_all_three_passes_over_a_row_get_vectors(changes: tuple[tuple[str, str], ...]) -> None:
    text = softmax(*changes)
    rewrite = edit(text)
    assert isinstance(rewrite, Rewrite), rewrite.reason
    assert make_applied(text, rewrite).count("for (int first = lane * 4; first < vector_end;") == 3
    assert rewrite.labels == (Label.REASSOCIATION,)


def test_the_last_key_that_a_loop_includes_is_in_its_vectors() -> None:
    assert "aligned ? row + 1 - (row + 1) % 4 : 0;" in edited(softmax(("c < n", "c <= row")))


def test_a_load_through_the_read_only_cache_stays_one() -> None:
    after = edited(softmax(("s[c]", "__ldg(&s[c])")))
    assert after.count("*reinterpret_cast<float4 *>(s4) = __ldg(reinterpret_cast<const float4 *>(s + first));") == 3
    assert "m = fmaxf(m, s4[k]);" in after


def test_an_index_that_only_the_vectors_elements_needed_goes() -> None:
    looked_up = "{\n        int at = row * n + c;\n        m = fmaxf(m, x[at]);\n    }"
    after = edited(softmax(("m = fmaxf(m, s[c]);", looked_up), ("s[c]", "x[row * n + c]")))
    assert after.count("int at = row * n + c;") == 1 and "float4 *>(x + row * n + first)" in after


def test_elements_under_a_condition_are_read_where_recorded_launches_could() -> None:
    rewrite = edit(softmax(*MASKED, ("p[c] = expf(s[c] - m) / t", "p[c] = b[c] > 0 ? expf(s[c] - m) / t : 0")), FACTS)
    assert isinstance(rewrite, Rewrite)
    assert rewrite.labels == (Label.ASSUMPTION, Label.REASSOCIATION)
    assert rewrite.assumptions[0].startswith("the elements of `s` that the kernel leaves out can be read, too: true in all 6 recorded")


def test_without_recorded_launches_nothing_shows_that_they_are_there() -> None:
    declined = edit(softmax(*MASKED))
    assert isinstance(declined, Decline) and declined.code is DeclineReason.CONDITIONAL


def test_an_earlier_loop_that_reads_every_element_shows_that_it_is_there() -> None:
    rewrite = edit(softmax(MASKED[1]), FACTS)
    assert isinstance(rewrite, Rewrite) and not rewrite.assumptions


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ((("p[c] = expf", "if (b[c] > 0) p[c] = expf"), ("line=11", "line=16")), DeclineReason.CONDITIONAL),
        ((("t = warp_sum(t);", "t = warp_sum(t);\n    if (lane == 0) { if (t == 0.f) t = 1.f; }"),), DeclineReason.USED_ELSEWHERE),
        ((("    t = warp_sum(t);", "    if (t == 0.f) t = 1.f;\n    t = warp_sum(t);"),), DeclineReason.USED_ELSEWHERE),
        ((("t = warp_sum(t);", "t = warp_sum(t);\n    if (t == 0.f) t = lane;"),), DeclineReason.USED_ELSEWHERE),
        ((("m = fmaxf(m, s[c]);", "if (s[c] > n) m = s[c];"),), DeclineReason.ORDER_MATTERS),
        ((("m = fmaxf(m, s[c]);", "{ const float *at = &s[c]; m = fmaxf(m, at[1]); }"),), DeclineReason.ADDRESS_UNKNOWN),
    ],
)  # fmt: skip
def test_what_would_be_another_result_is_left_alone(changes: tuple[tuple[str, str], ...], code: DeclineReason) -> None:
    declined = edit(softmax(*changes), FACTS)
    assert isinstance(declined, Decline)
    assert declined.code is code, declined.reason


KEPT = """\
// kernel=shares line=7 finding=KO118
__global__ void shares(const float *__restrict__ x, float *__restrict__ y, int rows, int n) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return;
    float v[6], sum = 0;
    for (int k = 0; k < 6; ++k) {
        v[k] = x[row * 192 + lane + 32 * k];
        sum += v[k];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    for (int k = 0; k < 6; ++k) y[row * 192 + lane + 32 * k] = v[k] / sum;
}
void run(const float *x, float *y, int rows, int n) { shares<<<rows / 4, 128>>>(x, y, rows, n); }
"""


def kept(*changes: tuple[str, str]) -> str:
    text = KEPT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_rounds_that_fill_no_vector_stay_with_the_loop() -> None:
    after = edited(KEPT)
    assert after.count("for (int k = 0; k < 6 / 4 * 4; k += 4) {\n        const int first = lane * 4 + 32 * k;") == 2
    assert after.count("for (int k = 6 / 4 * 4; k < 6; ++k)") == 2


@pytest.mark.parametrize(
    "changes",
    [
        (("lane + 32 * k", "k * 32 + lane"),),
        (("lane + 32 * k", "32 * k + threadIdx.x % 32"),),
        (("x[row * 192 + lane + 32 * k]", "__ldg(&x[row * 192 + lane + 32 * k])"),),
        (("x[row * 192 + lane + 32 * k]", "lane + 32 * k < n ? x[row * 192 + lane + 32 * k] : 0"),),
        (("sum += v[k];", "sum = fmaf(v[k], v[k], sum);"),),
    ],
)
def test_a_row_kept_in_registers_is_loaded_and_stored_by_vectors(changes: tuple[tuple[str, str], ...]) -> None:
    rewrite = edit(kept(*changes))
    assert isinstance(rewrite, Rewrite), rewrite.reason
    after = make_applied(kept(*changes), rewrite)
    assert "*reinterpret_cast<const float4 *>(x + row * 192 + first)" in after or "__ldg(reinterpret_cast<const float4 *>(x" in after
    assert "*reinterpret_cast<float4 *>(y + row * 192 + first) = " in after
    assert rewrite.labels == (Label.REASSOCIATION,)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ((("v[k] / sum", "v[5 - k] / sum"),), DeclineReason.USED_ELSEWHERE),
        ((("v[k] / sum", "v[k] / sum * k"),), DeclineReason.ORDER_MATTERS),
        ((("v[k] / sum", "v[k] / sum * lane"),), DeclineReason.ORDER_MATTERS),
        ((("v[k] / sum", "__shfl_up_sync(~0u, v[k], 1) / sum"),), DeclineReason.WARP_MATTERS),
        ((("y[row * 192 + lane + 32 * k]", "y[row * 192 + lane * 6 + k]"),), DeclineReason.ADDRESS_UNKNOWN),
        ((("v[k] = x[row * 192 + lane + 32 * k]", "v[k] = n > k ? x[row * 192 + lane + 32 * k] : 0"),), DeclineReason.ORDER_MATTERS),
        ((("v[k] = x[row", "v[k] = n > 2 ? x[row"), ("k];\n        sum", "k] : 0;\n        sum")), DeclineReason.CONDITIONAL),
        ((("    for (int d", "    y[row * 192 + lane] = sum;\n    for (int d"),), DeclineReason.USED_ELSEWHERE),
        ((("__shfl_xor_sync(0xffffffff, sum, d)", "0"),), DeclineReason.ORDER_MATTERS),
    ],
)
def test_a_kept_row_whose_elements_must_stay_where_they_are(changes: tuple[tuple[str, str], ...], code: DeclineReason) -> None:
    declined = edit(kept(*changes))
    assert isinstance(declined, Decline)
    assert declined.code is code, declined.reason


def test_neighbours_that_a_loop_looks_at_stay_neighbours() -> None:
    text = softmax(("p[c] = expf(s[c] - m) / t", "p[c] = s[c] - __shfl_up_sync(~0u, s[c], 1)"), ("line=11", "line=16"))
    declined = edit(text)
    assert isinstance(declined, Decline) and declined.code is DeclineReason.WARP_MATTERS
    text = softmax(("p[c] = expf(s[c] - m) / t", "p[c] = s[c] - warp_max(s[c])"), ("line=11", "line=16"))
    assert isinstance(edit(text), Decline)
