"""What ``check`` claims of repeatability, and of which kernel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.cli.harness import Cli

_NOISY = """
#include <cstdio>
#include <unistd.h>
__global__ void steady(int *x) { x[threadIdx.x] += 3; }
__global__ void noisy(long long *t) { t[threadIdx.x] = clock64(); }
__global__ void fed(int *x, int by) { x[threadIdx.x] *= by; }
int main() {
    int *x, *y; long long *t;
    cudaMalloc(&x, 128); cudaMalloc(&y, 128); cudaMalloc(&t, 256);
    cudaMemset(x, 1, 128); cudaMemset(y, 1, 128); cudaMemset(t, 0, 256);
    steady<<<1, 32>>>(x);
    noisy<<<1, 32>>>(t);
    fed<<<1, 32>>>(y, getpid());
    long long h[32];
    cudaMemcpy(h, t, 256, cudaMemcpyDeviceToHost);
    printf("%lld\\n", h[0]);
}
"""
_RACY = """
__global__ void first(int *x) { x[threadIdx.x] = 1; }
__global__ void racy(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int *x;
    cudaMalloc(&x, 256);
    first<<<1, 64>>>(x);
    racy<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
"""
_REFUSED = """
__global__ void fine(int *x) { x[threadIdx.x] = 1; }
__global__ void wide(int *x) { x[threadIdx.x] = 2; }
int main() {
    int *x;
    cudaMalloc(&x, 8192);
    fine<<<1, 64>>>(x);
    wide<<<1, 2048>>>(x);
    wide<<<0, 64>>>(x);
    cudaDeviceSynchronize();
}
"""


def _checks(cli: Cli, text: str) -> dict[str, Any]:
    ended = cli.run("check", cli.write("a.cu", text), "--json")
    return {check["kernel"].split("(")[0]: check for check in ended.all("check")}


def test_each_kernel_answers_for_itself(cli: Cli) -> None:
    checks = _checks(cli, _NOISY)
    assert {name: check["is_deterministic"] for name, check in checks.items()} == {"steady": True, "noisy": False, "fed": None}
    assert "inputs already differed" in checks["fed"]["repeatability"]


@pytest.mark.thorough
def test_nothing_is_claimed_of_a_kernel_that_races(cli: Cli) -> None:
    checks = _checks(cli, _RACY)
    assert (checks["first"]["is_deterministic"], checks["racy"]["is_deterministic"]) == (True, None)
    assert checks["racy"]["repeatability"] == "not claimed: it races"


@pytest.mark.thorough
def test_refused_launches_are_counted_as_refused_and_claim_nothing(cli: Cli) -> None:
    checks = _checks(cli, _REFUSED)
    assert [(c["launch_count"], c["refused_count"], c["is_deterministic"]) for c in checks.values()] == [(1, 0, True), (2, 2, None)]
    assert checks["fine"]["problems"] == []
    assert [problem["kind"] for problem in checks["wide"]["problems"]] == ["bad_launch", "bad_launch"]
    said = cli.run("check", cli.folder / "a.cu").out
    assert "2 launches, all refused" in said and "equal in two runs, 1 launch\n" in said


_GARBAGE = """
__global__ void unset(int *x, int *y) { y[threadIdx.x] = x[threadIdx.x]; }
int main() {
    int *x, *y;
    cudaMalloc(&x, 256); cudaMalloc(&y, 256);
    unset<<<1, 64>>>(x, y);
    cudaDeviceSynchronize();
}
"""


def test_nothing_is_claimed_of_a_kernel_that_reads_garbage(cli: Cli) -> None:
    check = _checks(cli, _GARBAGE)["unset"]
    assert (check["is_deterministic"], check["repeatability"]) == (None, "not claimed: it has memory errors")


def test_a_profile_names_refused_launches_and_counts_the_others(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", _REFUSED), "--json")
    assert (ended.code, [event["kernel"].split("(")[0] for event in ended.all("profile")]) == (0, ["fine"])
    refused = [(event["line"], event["severity"]) for event in ended.all("message") if "is refused" in event["message"]]
    assert refused == [(8, "error"), (9, "error")]
