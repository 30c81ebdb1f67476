"""Programs that fail by themselves, hang, or use what the emulator does not have: what is told, and the exit code."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.thorough import first_of, only

RACE = """#include <cstdio>
__global__ void turn(float *out, const float *in)
{
    __shared__ float tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
int main()
{
    float host[128], *in, *out;
    for (int i = 0; i < 128; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    turn<<<1, 128>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; ++i)
        if (host[i] != 127 - i) {
            fprintf(stderr, "wrong value\\n");
            return 1;
        }
    return 0;
}
"""
RACY = RACE.replace("    __syncthreads();\n", "")
HANG = """__global__ void wait(volatile int *flag)
{
    while (*flag == 0) {
    }
}
int main()
{
    int *flag;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    wait<<<1, 32>>>(flag);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""
SURFACE = """__global__ void load(float *out, cudaSurfaceObject_t from) { out[threadIdx.x] = surf2Dread<float>(from, threadIdx.x * 4, 0); }
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
int main() { float *out; cudaMalloc(&out, 128); cudaMemset(out, 0, 128); twice<<<1, 32>>>(out); load<<<1, 32>>>(out, 0);
  return cudaDeviceSynchronize(); }
"""


def test_check_shows_the_race_that_makes_a_program_fail_its_own_test(cli: Cli) -> None:
    ended = cli.run("check", cli.write("race.cu", RACY), "--json")
    kinds = {problem["kind"] for problem in ended.one("check")["problems"]}
    assert ended.code == 1, ended.said
    assert "shared_race" in kinds
    assert any("status 1: wrong value" in event["message"] for event in ended.all("message"))


def test_a_program_that_fails_without_a_problem_of_its_kernels_cannot_be_answered_for(cli: Cli) -> None:
    ended = cli.run("check", cli.write("fails.cu", RACE.replace("return 0;", "return 7;")), "--json")
    assert (ended.code, ended.one("check")["problems"]) == (3, []), ended.said
    assert "status 7" in ended.one("job_ended")["reason"]


LOCK_STEP = """__global__ void sum(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
    }
    if (t == 0) *out = s[0];
}
int main()
{
    int *out, host;
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    return host == 4 ? 0 : 7;
}
"""


@pytest.mark.thorough
def test_profile_of_a_program_that_fails_shows_its_counters_and_says_so(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("fails.cu", RACE.replace("return 0;", "return 7;")))
    assert ended.code == 3 and "these counters are of a program that did not succeed" in ended.said
    assert "global load" in ended.out


@pytest.mark.thorough
def test_code_that_relies_on_lock_step_is_profiled_with_its_finding_and_no_exact_count_where_it_races(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("lock_step.cu", LOCK_STEP), "--json")
    (launch,) = ended.all("profile")
    grades = {line["line"]: line["grade"] for line in launch["lines"] if line["op"].startswith("shared")}
    assert ended.code == 3 and "KO207" in {found["code"] for found in launch["findings"]}, ended.said
    assert (grades[5], grades[9]) == ("exact", "estimated")


@pytest.mark.thorough
def test_a_b_that_fails_its_own_test_is_fail_with_its_race(cli: Cli) -> None:
    ended = cli.run("compare", cli.write("a.cu", RACE), cli.write("b.cu", RACY), "--json")
    made = ended.one("comparison")
    findings = {finding["code"]: finding for finding in made["verification"]["findings"]}
    assert (ended.code, made["verification"]["outcome"], made["speed"]) == (1, "FAIL", None), ended.said
    assert "status 1" in findings["bad_status"]["message"]
    assert findings["race"]["line"] in (5, 6)


def test_a_b_that_does_not_compile_is_fail(cli: Cli) -> None:
    ended = cli.run("compare", cli.write("a.cu", RACE), cli.write("b.cu", RACE.replace("in[", "missing[")), "--json")
    made = ended.one("comparison")
    assert (ended.code, made["verification"]["outcome"], made["speed"]) == (1, "FAIL", None), ended.said
    assert made["verification"]["findings"][0]["code"] == "not_built"
    assert "missing" in ended.one("diagnostics")["diagnostics"][0]["message"]


@pytest.mark.parametrize(("command", "code"), only([("check", 1), ("optimize", 3)], [("check", 1), ("profile", 3), ("optimize", 3)]))
def test_a_source_that_does_not_compile_is_an_error_found_by_check_and_no_answer_of_the_others(cli: Cli, command: str, code: int) -> None:
    ended = cli.run(command, cli.write("broken.cu", RACE.replace("in[", "missing[")))
    assert ended.code == code, ended.said
    assert "broken.cu:" in ended.out and "missing" in ended.out


@pytest.mark.parametrize("command", first_of(["check", "profile"]))
def test_a_build_is_offered_only_for_an_error_that_it_could_explain(cli: Cli, command: str) -> None:
    cli.write("Makefile", "app: app.cu\n\tnvcc -o $@ $<\n")
    (cli.folder / "kernelopt.toml").touch()
    mistake = cli.run(command, cli.write("app.cu", RACE.replace(";", "", 1)))
    assert mistake.code and "error" in mistake.out and "--record" not in mistake.said, mistake.said
    missing = cli.run(command, cli.write("app.cu", '#include "made_by_make.h"\n' + RACE))
    assert missing.code and "Makefile was found" in missing.said and "--record" in missing.said, missing.said


@pytest.mark.thorough
def test_an_a_that_does_not_compile_cannot_be_compared_with_and_both_files_are_named(cli: Cli) -> None:
    a, b = cli.write("a.cu", RACE.replace("in[", "missing[")), cli.write("b.cu", RACE)
    ended = cli.run("compare", a, b)
    assert ended.code == 3, ended.said
    assert ended.out.splitlines()[0] == f"kernelopt compare {a} {b}"


@pytest.mark.parametrize("command", first_of(["check", "profile", "optimize", "compare"]))
def test_what_the_emulator_does_not_have_is_no_mistake_of_the_source(cli: Cli, command: str) -> None:
    source = cli.write("surface.cu", SURFACE)
    ended = cli.run(command, source, *([source] if command == "compare" else []))
    assert ended.code == 3, ended.said
    assert "not run by the emulator: surface accesses (surface.cu:1); what depends on it is not right" in ended.out
    assert ("twice(float *): no problem found" in ended.out) is (command == "check")
    assert ("twice(float*)  launch 0" in ended.out) is (command == "profile")


@pytest.mark.thorough
def test_one_of_a_kind_is_said_in_the_singular(cli: Cli) -> None:
    ended = cli.run("check", cli.write("hang.cu", HANG), "--timeout", "3")
    assert ended.out.splitlines()[-1] == "1 problem"
    assert cli.run("inspect", cli.write("race.cu", RACE)).out.splitlines()[-1].startswith("1 kernel, ")


@pytest.mark.thorough
def test_what_is_wrong_with_the_original_is_to_be_fixed_first(cli: Cli) -> None:
    path = cli.write("racing.cu", RACE.replace("    __syncthreads();\n", "").replace("return 1;", "break;"))
    ended = cli.run("optimize", path, "--accept", "none", "--device", "cpu", "--json")
    said = [message["message"] for message in ended.all("message") if message["severity"] == "warning"]
    assert any(text.startswith("fix this first, turn(float*, float const*) is wrong already: KO202 line") for text in said), ended.said
    assert "fix the original first (KO202 in turn" in ended.one("job_ended")["reason"]


MIXED = """#include <cstdio>
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#define CHECK(call) do { if ((call) != CUBLAS_STATUS_SUCCESS) { puts("cuBLAS failed"); return 1; } } while (0)
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
__global__ void more(float *x) { x[threadIdx.x] += 1; }
__global__ void later(float *x) { x[threadIdx.x] -= 1; }
float least(float *x) { thrust::device_vector<float> v(x, x + 32); thrust::sort(v.begin(), v.end()); return v[0]; }
int main()
{
    float *x, alpha = 2;
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    twice<<<1, 32>>>(x);
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    more<<<1, 32>>>(x);
    HERE;
    later<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
"""
WITHOUT_THRUST = "\n".join("" if "thrust" in line else line for line in MIXED.split("\n"))
"""Its lines have the same numbers; reading Thrust's headers takes most of a run."""


@pytest.mark.parametrize(
    ("command", "here", "where"),
    first_of(
        [
            ("check", "CHECK(cublasSscal(handle, 32, &alpha, x, 1))", "cublasSscal of cuBLAS (mixed.cu:19)"),
            ("profile", "thrust::device_vector<float> v(x, x + 32)", "Thrust (mixed.cu:19)"),
        ]
    ),
)
def test_a_program_is_shown_up_to_the_call_that_is_not_run(cli: Cli, command: str, here: str, where: str) -> None:
    text = MIXED if "thrust" in here else WITHOUT_THRUST
    ended = cli.run(command, cli.write("mixed.cu", text.replace("HERE", here)), "--json")
    shown = [event["kernel"] for event in ended.all("check" if command == "check" else "profile")]
    assert (ended.code, shown) == (3, ["twice(float *)", "more(float *)"]), ended.said
    messages = [event["message"] for event in ended.all("message")]
    assert f"the program was stopped at {where}, which the emulator does not run" in messages
    assert "not reached, as the program was stopped: later(float *)" in messages
    if command == "profile":
        assert ended.all("profile")[0]["lines"][0]["grade"] == "exact", "device code is compiled though nvcc has no cuBLAS here"


@pytest.mark.thorough
def test_what_is_not_called_stops_nothing(cli: Cli) -> None:
    ended = cli.run("check", cli.write("mixed.cu", MIXED.replace("HERE", "(void)alpha")), "--json")
    assert (ended.code, len(ended.all("check"))) == (0, 3), ended.said
