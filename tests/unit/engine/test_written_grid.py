"""The grid at other sizes as the host's text says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.judge.written_grid import WrittenGrid, written_grid
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source

_BLOCK = Dim3(128)
KERNEL = "struct Box { int nx, ny, nz; };\n__global__ void k(float *x, PARAMETERS) {}\n"


def read(parameters: str, host: str, own: dict[str, int], grid: Dim3, block: Dim3 = _BLOCK) -> WrittenGrid | None:
    text = KERNEL.replace("PARAMETERS", parameters) + host
    parsed = parse(Source(Path("a.cu"), text))
    return written_grid((parsed,), parsed.kernels[0].key, own, LaunchConfig(grid, block, 0))


@pytest.mark.parametrize(
    "host",
    [
        "void run(float *x, int n) { k<<<(n + 127) / 128, 128>>>(x, n); }",
        "#define LANES 8\nconstexpr int BLOCK = 1024, EACH = BLOCK / LANES;\nint main() { k<<<(rows + EACH - 1) / EACH, 128>>>(x, rows); }",
        "void run(float *x, int n) { int b = n; if (x) { k<<<(b + 127) / 128, 128>>>(x, b); } }",
        "int main() { dim3 b(128), g((n + b.x - 1) / b.x); k<<<g, b>>>(x, n); }",
        "int main() { int blocks = n / 128; blocks2 = 3; int grid = blocks + (n % 128 > 0); k<<<grid, 128>>>(x, n); }",
        "void other() { k<<<77, 128>>>(x, 9); }\nint main() { k<<<(n + 127) / 128, 128>>>(x, n); }",
    ],
)
def test_it_is_evaluated_with_what_the_kernel_is_passed(host: str) -> None:
    told = read("int n", host, {"n": 1000}, Dim3(8))
    assert told is not None and told.names == {"n"} and told.at({"n": 1300}) == (Dim3(11),)


CLUSTERS = ("cudaLaunchConfig_t config = {};\n", "config.gridDim = dim3((n + 127) / 128 / 4 * 4);\nconfig.blockDim = dim3(128);\n")
LAUNCH = "config.attrs = attributes;\ncudaLaunchKernelEx(&config, k, (float *)x, n);"


@pytest.mark.parametrize(
    "host",
    [
        f"void run(float *x, int n) {{ {CLUSTERS[0]}{CLUSTERS[1]}{LAUNCH} }}",
        f"void run(float *x, int n) {{ cudaLaunchConfig_t config = {{dim3((n + 127) / 128 / 4 * 4), 128, 0, stream}};\n{LAUNCH} }}",
        f"void run(float *x, int n) {{ cudaLaunchConfig_t config{{.gridDim = (n + 127) / 128 / 4 * 4, .blockDim = 128}};\n{LAUNCH} }}",
        f"void run(float *x, int n) {{ dim3 g((n + 127) / 128 / 4 * 4); {CLUSTERS[0]}"
        f"config.gridDim = g; config.blockDim = 128; {LAUNCH} }}",
    ],
)
def test_the_configuration_of_an_extended_launch_is_read(host: str) -> None:
    told = read("int n", host, {"n": 1000}, Dim3(8))
    assert told is not None and told.names == {"n"} and told.at({"n": 1300}) == (Dim3(8),) and told.at({"n": 1600}) == (Dim3(12),)


@pytest.mark.parametrize(
    "written",
    [
        CLUSTERS[0] + 2 * CLUSTERS[1],  # another launch's, too
        CLUSTERS[0] + "config.blockDim = 128;\nconfig.gridDim.x = n / 128;\n",
        "cudaLaunchConfig_t config = made_for(n);\n",
    ],
)
def test_a_configuration_that_is_not_written_once_is_not_read(written: str) -> None:
    assert read("int n", f"void run(float *x, int n) {{ {written}{LAUNCH} }}", {"n": 1000}, Dim3(8)) is None


def test_a_grid_of_one_block_is_read_that_is_one_at_twice_the_size_too() -> None:
    told = read("int n", "#define THREADS 256\nint main() { k<<<(n + THREADS - 1) / THREADS, THREADS>>>(x, n); }", {"n": 100}, Dim3(1))
    assert told is not None and told.names == {"n"} and told.at({"n": 503}) == (Dim3(2),)


def test_the_line_of_a_cell_is_read_as_launches_are() -> None:
    line = '// kernelopt launch: grid = ["ceil(n/128)", "ceil(h/4)"], block = [128, 4], shared = [0]\n'
    parsed = parse(Source(Path("a.cu"), line + KERNEL.replace("PARAMETERS", "int n, int h")))
    config = LaunchConfig(Dim3(8, 250), Dim3(128, 4), 0)
    told = written_grid((parsed,), parsed.kernels[0].key, {"n": 1000, "h": 1000}, config)
    assert told is not None and told.names == {"n", "h"} and told.at({"n": 1300, "h": 9}) == (Dim3(11, 3),)


def test_a_size_that_the_host_function_is_passed_may_be_the_grid() -> None:
    told = read("int rows", "void run(float *x, int rows) { k<<<rows, 128>>>(x, rows); }", {"rows": 40}, Dim3(40))
    assert told is not None and told.names == {"rows"} and told.at({"rows": 41}) == (Dim3(41),)


def test_members_of_a_grid_that_other_launches_share_are_read() -> None:
    host = "int main() { dim3 b(32, 8); dim3 grid((n + 31) / 32, (n + b.y - 1) / b.y);\n"
    host += "k<<<dim3((grid.x + 1) / 2, (grid.y + 7) / 8, grid.z), b>>>(x, n); }"
    told = read("int n", host, {"n": 64}, Dim3(1, 1), Dim3(32, 8))
    assert told is not None and told.names == {"n"} and told.at({"n": 89}) == (Dim3(2, 2),)


def test_a_launch_in_another_file_of_the_program_is_read() -> None:
    header = parse(Source(Path("k.cuh"), "#define BLOCK 128\n" + KERNEL.replace("PARAMETERS", "int n")))
    main = parse(Source(Path("main.cu"), '#include "k.cuh"\nint main() { k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, n); }'))
    told = written_grid((main, header), header.kernels[0].key, {"n": 1000}, LaunchConfig(Dim3(8), _BLOCK, 0))
    assert told is not None and told.names == {"n"} and told.at({"n": 1300}) == (Dim3(11),)
    assert written_grid((main,), header.kernels[0].key, {"n": 1000}, LaunchConfig(Dim3(8), _BLOCK, 0)) is None


def test_a_host_calls_by_its_last_name_what_several_structs_agree_on() -> None:
    host = "int main() { dim3 g((out.nx + 31) / 32, (out.nz * ny + 3) / 4); k<<<g, dim3(32, 4)>>>(x, in, out); }"
    own = {"in.nx": 90, "in.ny": 6, "in.nz": 20, "out.nx": 45, "out.ny": 6, "out.nz": 10}
    told = read("Box in, Box out", host, own, Dim3(2, 15), Dim3(32, 4))
    assert told is not None and {"out.nx", "out.nz"} <= told.names
    assert told.at({**own, "in.ny": 7, "out.ny": 7}) == (Dim3(2, 18),)
    assert told.at({**own, "in.ny": 7}) == (), "which of the two is meant is not known"


def test_members_of_structs_and_all_axes_count() -> None:
    host = "enum { R = 2, SLAB = 16 };\nint main() { Box d = {90, 70, 52}; dim3 b(32, 4);\n"
    host += "dim3 g((d.nx + 31) / 32, (d.ny + b.y - 1) / b.y, (d.nz - 2 * R + SLAB - 1) / SLAB); k<<<g, b>>>(x, d); }"
    own = {"d.nx": 90, "d.ny": 70, "d.nz": 52}
    told = read("Box d", host, own, Dim3(3, 18, 3), Dim3(32, 4))
    assert told is not None and told.names == own.keys()
    assert told.at({"d.nx": 127, "d.ny": 101, "d.nz": 73}) == (Dim3(4, 26, 5),)


@pytest.mark.parametrize(
    ("host", "grid"),
    [
        ("int main() { k<<<64, 128>>>(x, n); }", Dim3(64)),
        ("int main() { k<<<(n + 127) / 128, 128>>>(x, n); }", Dim3(9)),
        ("int main() { k<<<blocks_for(n), 128>>>(x, n); }", Dim3(8)),
    ],
)
def test_a_grid_of_constants_or_another_than_the_recorded_one_or_a_call_shows_nothing(host: str, grid: Dim3) -> None:
    assert read("int n", host, {"n": 1000}, grid) is None


def test_integers_that_the_host_does_not_distinguish_are_equal() -> None:
    told = read("int n, int m", "int main() { k<<<(n + 127) / 128, 128>>>(x, n, n); }", {"n": 1000, "m": 1000}, Dim3(8))
    assert told is not None and told.at({"n": 1300, "m": 1000}) == ()


def test_a_grid_of_constants_shows_nothing_where_two_sizes_are_passed_as_one_number() -> None:
    assert read("int w, int h", "int main() { k<<<dim3(6, 6), 128>>>(x, 96, 96); }", {"w": 96, "h": 96}, Dim3(6, 6)) is None
