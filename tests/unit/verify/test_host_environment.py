"""Host code that asks where it runs is labelled; what any program does is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.verify.host_environment import host_environment_label

PROGRAM = """#include <cstdio>
#include <fstream>
HEAD
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = DEVICE; }
int main(MAIN)
{
    float *x; cudaMalloc(&x, 400);
    HOST
    k<<<1, 100>>>(x, 100);
}
"""
ASKS = {
    'int n = getenv("DISPLAY") ? 8 : 64;': 'the host asks for its environment: getenv("DISPLAY")',
    "auto f = getenv;": "the host asks for its environment: getenv",
    'FILE *f = fopen("/proc/driver/nvidia/version", "r");': 'the host asks for a file: fopen("/proc/driver/nvidia/version","r")',
    'std::ifstream f("a");': "the host asks for a file: ifstream",
    "int n = access(path, 0);": "the host asks for a file: access(path,0)",
    "int n = time(0) > 1900000000 ? 8 : 64;": "the host asks what time it is, or for chance: time(0)",
    "auto t = std::chrono::steady_clock::now();": "the host asks what time it is, or for chance: steady_clock::now()",
    "int n = getpid() % 2;": "the host asks which machine or process it runs in: getpid()",
    "size_t f, t; cudaMemGetInfo(&f, &t);": "the host asks which machine it runs on: cudaMemGetInfo(&f,&t)",
    "int v; cudaDriverGetVersion(&v);": "the host asks which machine it runs on: cudaDriverGetVersion(&v)",
    'cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n = strstr(p.name, "mulator") ? 64 : 8;': (
        "the host asks which machine it runs on: p.name"
    ),
    "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n = ((char *)&p)[0];": "the host asks which machine it runs on: p",
}


def program(host: str = "", main: str = "", head: str = "", device: str = "1.0f") -> ParsedSource:
    text = PROGRAM.replace("HOST", host).replace("MAIN", main).replace("HEAD", head).replace("DEVICE", device)
    return parse(Source(Path("/p.cu"), text))


@pytest.mark.parametrize(("host", "message"), ASKS.items())
def test_what_only_the_edit_asks_is_a_decision(host: str, message: str) -> None:
    found = host_environment_label(program(), program(host))
    assert found is not None and (found.label, found.message, found.line) == (Label.ASSUMPTION, message, 8)
    assert host_environment_label(program(host), program(f"{host} int more;")) is None


def test_another_variable_of_the_environment_is_another_question() -> None:
    old, new = (program(f'int n = getenv("{name}") ? 1 : 2;') for name in ("HOME", "DISPLAY"))
    assert host_environment_label(old, new) is not None


def test_the_arguments_of_main_are_only_those_that_were_given() -> None:
    named = program(main="int argc, char **argv")
    assert host_environment_label(program(), named) is None
    found = host_environment_label(program(), program("int n = argc > 1 ? 8 : 64;", "int argc, char **argv"))
    assert found is not None
    assert found.message == "the host asks how it is called, of which only the given arguments are tried: argc"
    listed = program("int n = argc > 1 ? atoi(argv[1]) : 64;", "int argc, char *argv[]")
    assert host_environment_label(named, listed) is not None and host_environment_label(listed, listed) is None
    moved = program("const int m = argc > 1 ? atoi(argv[1]) : 64; int n = m;", "int argc, char *argv[]")
    assert host_environment_label(listed, moved) is None


@pytest.mark.parametrize(
    "host",
    [
        "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n = p.multiProcessorCount * p.maxThreadsPerMultiProcessor;",
        "int n; cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0);",
        "int n; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 100, 0);",
        'printf("time(s) of getenv(x) in fopen: %d", 1);',
        "double v = sim.time(3) + sim->clock();",
        "cudaEvent_t e; cudaEventCreate(&e);",
        "if (cudaMemset(x, 0, 400) != cudaSuccess) return 1;",
    ],
)
def test_what_shapes_a_launch_or_only_reads_alike_is_none(host: str) -> None:
    assert host_environment_label(program(), program(host)) is None


def test_functions_of_the_texts_own_and_device_code_are_none() -> None:
    own = "int access(int i, int j) { return i + j; }\nfloat time(int step) { return step * 0.1f; }"
    assert host_environment_label(program(), program("float t = time(access(1, 2));", head=own)) is None
    assert host_environment_label(program(), program(device="clock()")) is None
    shared = "__host__ __device__ int place() { return getpid(); }"
    assert host_environment_label(program(), program(head=shared)) is not None
