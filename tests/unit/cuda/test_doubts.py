"""What device code leaves open: values of variables that have none, and addresses."""

from __future__ import annotations

import pytest

from assistant.cuda.doubts import doubts


def of(body: str) -> list[tuple[str, str]]:
    text = f"#define WIDTH 16\n__global__ void k(float *o, const float *x, int n, size_t m, bool c)\n{{\n{body}\n}}\n"
    return [(doubt.kind, doubt.name) for doubt in doubts(text)]


@pytest.mark.parametrize(
    "body",
    [
        "float v; o[0] = v;",
        "float v; if (c) v = 1; o[0] = v;",
        "float v; if (c) v = 1; else o[0] = v;",
        "float v; if (n == 1) v = 1; else if (n == 2) v = 3; o[0] = v;",
        "float v; v += 1;",
        "float v; o[0] = c ? v : 1;",
        "float w, v; w = 1; o[0] = w + v;",
        "float v; if (n > 3) { v = x[n]; } for (int i = 0; i < n; i++) o[i] = v;",
    ],
)
def test_a_variable_that_may_be_read_without_a_value_is_reported(body: str) -> None:
    assert of(body) == [("unset", "v")]


@pytest.mark.parametrize(
    "body",
    [
        "float v; if (c) v = 1; else v = 2; o[0] = v;",
        "float v; if (c) { v = 1; } __syncthreads(); if (c) o[0] = v;",
        "float v; if (c) v = 1; if (c && n > 2) o[0] = v;",
        "float v; if (n == 1) v = 1; else if (n == 2) v = 3; else return; o[0] = v;",
        "float v; if (n < 1) return; v = 4; o[0] = v;",
        "float v; for (int i = 0; i < n; i++) v = x[i]; o[0] = v;",
        "float v; do { v = x[0]; } while (v < 3);",
        "float v, w = 2; sincosf(w, &v, &w); o[0] = v;",
        "float v; load(x, v); o[0] = v;",
        "float v; float &r = v; r = 3; o[0] = v;",
        "float v; auto f = [&] { v = 2; }; f(); o[0] = v;",
        "float v; switch (n) { case 0: v = 1; break; default: v = 2; } o[0] = v;",
        'int lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); o[lane] = sizeof(lane);',
        "__shared__ float s; if (threadIdx.x == 0) s = 1; __syncthreads(); o[0] = s;",
        "float sum[4]; float4 q; q.x = 1; o[0] = sum[1] + q.x; dim3 d; o[1] = d.x;",
        "int i; for (i = 0; i < n; i++) o[i] = 1; if (i == n) o[0] = i;",
    ],
)
def test_a_variable_that_has_a_value_is_not(body: str) -> None:
    assert of(body) == []


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("if (((uintptr_t)x & 15) == 0) o[0] = 1;", "alignment"),
        ("if ((reinterpret_cast<size_t>(x) & (sizeof(float4) - 1)) == 0) o[0] = 1;", "alignment"),
        ("if ((size_t)(x + 4) % WIDTH == 0) o[0] = 2;", "alignment"),
        ("const uintptr_t bits = (uintptr_t)x | (uintptr_t)o; if ((bits & 15) == 0) o[0] = 1;", "alignment"),
        ("const uintptr_t bits = (uintptr_t)x; if ((bits & 15) == 0) o[0] = bits >> 20;", "address"),
        ("if (((uintptr_t)x & 0xfff) == 0) o[0] = 1;", "address"),
        ("if ((unsigned long long)x >> 40 == 0) o[0] = 1;", "address"),
        ("int y = 1; if ((size_t)&y > 5) o[0] = y;", "address"),
        ("auto a = uintptr_t(x) * 3;", "address"),
        ("float s[4]; o[0] = (long)s;", "address"),
        ("if (x < o) o[0] = 1;", "comparison"),
        ("o[0] = x - o;", "comparison"),
        ("if (__isShared(x)) o[0] = 1;", "place"),
        ("if (__builtin_frame_address(0) != nullptr) o[0] = 1;", "place"),
    ],
)
def test_what_reads_an_address_is_known_by_what_it_asks(body: str, kind: str) -> None:
    assert {found for found, _ in of(body)} == {kind}


@pytest.mark.parametrize(
    "body",
    [
        "long long at = (long long)x[1] * (size_t)n + (size_t)m; o[at] = 0;",
        "for (const float *p = x; p < x + n; p++) o[0] += *p;",
        "const float4 *v = reinterpret_cast<const float4 *>(x); o[0] = v[0].x;",
        "if (x != nullptr) o[0] = (int)x[0]; unsigned u = unsigned(n);",
    ],
)
def test_ordinary_pointers_are_not(body: str) -> None:
    assert of(body) == []


def test_host_code_is_not_looked_at() -> None:
    assert doubts("int main() { int v; return v + (long)&v; }") == ()
