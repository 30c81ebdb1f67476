"""What the kernel of several passes is called and made of, and programs in which nothing could launch it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Source
from assistant.plan.expert.shared_passes import SharedPasses
from assistant.plan.expert.transformation import TransformationContext

KERNEL = """\
// kernel=pass line=5 finding=KO102
__global__ void pass(float *w, int half)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int i = p / half * 2 * half + p % half;
    float a = w[i], b = w[i + half];
    w[i] = a + b;
    w[i + half] = a - b;
}
"""
HOST = """\

void run(float *w, int n)
{
    for (int half = 1; half < n; half *= 2) pass<<<n / 512, 256>>>(w, half);
}
"""
Edited = Callable[[str], str]
Reason = Callable[..., DeclineReason]


@pytest.fixture
def edited(context_of: Callable[..., TransformationContext], applied: Callable[[str, Rewrite], str]) -> Edited:
    def check(text: str) -> str:
        rewrites = SharedPasses().rewrite(context_of(text))
        assert not isinstance(rewrites, Decline), rewrites.reason
        (only,) = rewrites
        return applied(text, only)

    return check


@pytest.fixture
def reason(context_of: Callable[..., TransformationContext]) -> Reason:
    def check(text: str, *others: Source) -> DeclineReason:
        declined = SharedPasses().rewrite(context_of(text, others=others))
        assert isinstance(declined, Decline) and declined.code is not None, declined
        return declined.code

    return check


def test_names_that_are_taken_are_left_alone(edited: Edited) -> None:
    taken = KERNEL.replace("int p =", "int tile = 0, first = 0;\n    int p =")
    text = edited(f"{taken}{HOST}void pass_tile();\n")
    assert "__shared__ float w_tile[2 * 256];" in text and "int base = 2 * blockIdx.x * blockDim.x;" in text
    assert "pass_tile2<<<n / 512, 256>>>(w);" in text


def test_the_size_of_a_block_goes_by_the_name_that_the_kernel_sees(edited: Edited) -> None:
    named = KERNEL.replace("__global__", "const int BLOCK = 256;\n__global__")
    host = HOST.replace("256", "BLOCK")
    assert "float tile[2 * BLOCK];" in edited(named + host)
    assert "float tile[2 * 256];" in edited(f"{KERNEL}const int BLOCK = 256;\n{host}")


def test_a_pass_may_be_half_of_what_the_loop_counts(edited: Edited) -> None:
    halves = HOST.replace("half = 1; half < n", "len = 2; len <= n").replace("half *= 2", "len *= 2").replace("half)", "len / 2)")
    text = edited(KERNEL + halves)
    assert "for (int len = 2; len <= 2 * blockDim.x; len *= 2) {\n        __syncthreads();\n        const int half = len / 2;" in text
    assert "if (len == 2 && 2 * 256 <= n) {" in text and "len = 2 * 256;\n            continue;" in text


def test_a_loop_that_the_kernel_is_launched_in_for_other_reasons_is_no_matter(context_of: Callable[..., TransformationContext]) -> None:
    for steps in ("int t = 0; t < n; ++t", "int t = n; t > 0; t -= 2"):
        host = HOST.replace("int half = 1; half < n; half *= 2", steps)
        assert SharedPasses().rewrite(context_of(KERNEL + host)) == ()
    assert SharedPasses().rewrite(context_of(KERNEL + "void run(float *w, int n) { pass<<<n / 512, 256>>>(w, 1); }\n")) == ()


def test_layers_that_only_count_are_no_passes(context_of: Callable[..., TransformationContext]) -> None:
    layers = "void run(float *w, int n) { for (int l = 1; l < 9; ++l) pass<<<n / 512, 256>>>(w, l); }\n"
    assert SharedPasses().rewrite(context_of(KERNEL.replace("p / half * 2 * half + p % half", "p + half") + layers)) == ()


def test_a_distance_that_a_tile_ends_within_is_asked_for_on_the_host(edited: Edited) -> None:
    falling = HOST.replace("half = 1; half < n; half *= 2", "half = n / 2; half > 0; half /= 2")
    assert "if (256 % half == 0) {" in edited(KERNEL + falling)


@pytest.mark.parametrize(
    ("check", "call"),
    [
        ("static void ok(const char *what) { cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) exit(1); }", 'ok("pass");'),
        ("#define LAUNCHED() do { if (cudaPeekAtLastError() != cudaSuccess) abort(); } while (0)", "LAUNCHED();"),
        ("", "cudaDeviceSynchronize();"),
        ("", "CHECK(cudaGetLastError());"),
    ],
)
def test_a_look_for_errors_is_repeated_behind_the_new_launch(edited: Edited, check: str, call: str) -> None:
    host = HOST.replace(
        "half *= 2) pass<<<n / 512, 256>>>(w, half);", f"half *= 2) {{\n        pass<<<n / 512, 256>>>(w, half);\n        {call}\n    }}"
    )
    assert f"pass_tile<<<n / 512, 256>>>(w);\n            {call}\n            half = 256;" in edited(f"{KERNEL}{check}\n{host}")


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        ("void swap_buffers() { cudaMemcpy(0, 0, 4, cudaMemcpyDeviceToDevice); if (cudaGetLastError()) exit(1); }", "swap_buffers();"),
        ("void count() { passes++; }", "count();"),
        ("", "unknown();"),
        ("", "n -= 1;"),
    ],
)
def test_anything_else_between_the_passes_keeps_them_apart(reason: Reason, helper: str, call: str) -> None:
    host = HOST.replace("half *= 2) pass<<<n / 512, 256>>>(w, half);", f"half *= 2) {{ pass<<<n / 512, 256>>>(w, half); {call} }}")
    assert reason(f"{KERNEL}{helper}\n{host}") is DeclineReason.LOOP_FORM


def test_a_kernel_is_written_before_what_launches_it(reason: Reason) -> None:
    head, _, kernel = KERNEL.partition("\n")
    assert reason(f"{head}\n__global__ void pass(float *w, int half);\n{HOST}{kernel}") is DeclineReason.LAUNCH_FORM


def test_a_file_that_only_declares_the_kernel_would_not_know_the_new_one(reason: Reason) -> None:
    host = Source(Path("/run.cu"), f"__global__ void pass(float *w, int half);\n{HOST}")
    assert reason(KERNEL, host) is DeclineReason.LAUNCH_FORM


def test_an_element_that_a_macro_holds_is_not_moved(reason: Reason) -> None:
    hidden = KERNEL.replace("__global__", "#define FIRST w[i]\n__global__").replace("float a = w[i]", "float a = FIRST")
    assert reason(hidden + HOST) in (DeclineReason.POINTER_UNCLEAR, DeclineReason.HIDDEN_BY_MACRO)


@pytest.mark.parametrize("more", ["atomicAdd(total, 1);", "__syncthreads();", "if (a > b) return;", "total[0] = 1;", "half += 1;"])
def test_what_else_a_pass_does_keeps_it_a_launch_of_its_own(reason: Reason, more: str) -> None:
    kernel = KERNEL.replace("int half)", "int *total, int half)").replace("    w[i] =", f"    {{ {more} }}\n    w[i] =")
    reason(kernel + HOST.replace("(w, half)", "(w, total, half)").replace("float *w, int n", "float *w, int *total, int n"))
