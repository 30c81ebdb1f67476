"""Input that cannot be answered: a clear sentence, the right exit code, nothing left behind, no user file touched."""

from __future__ import annotations

import ctypes
import re
import resource
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.cli.harness import EXAMPLES, Cli, Ended
from tests.e2e.conftest import Offered
from tests.thorough import first_of, only

PROGRAM = """#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}
__global__ void unused(float *out) { out[0] = 1.0f; }
int main(int argc, char **argv)
{
    const int n = 1000;
    static float host[n];
    float *in, *out;
    BEFORE
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<(n + 127) / 128, 128>>>(out, in, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    AFTER
    return 0;
}
"""
EVERY_COMMAND = ("inspect", "check", "profile", "optimize")


def program(before: str = "", after: str = "") -> str:
    return PROGRAM.replace("BEFORE", before).replace("AFTER", after)


NO_CUDA = [
    ("letter.txt", b"Dear reader,\nthis is not CUDA.\n", "no __global__ function"),
    ("program.exe", b"\x7fELF\0\0\0\0", "not a text file"),
    ("empty.cu", b"", "is empty"),
    ("host.cu", b"int main() { return 0; }\n", "no __global__ function"),
]


@pytest.mark.parametrize(
    ("command", "name", "content", "words"),
    [("inspect", *case) for case in NO_CUDA] + [(command, *case) for command in EVERY_COMMAND[1:] for case in NO_CUDA[:2]],
)
def test_what_is_no_cuda_source_is_misuse(cli: Cli, command: str, name: str, content: bytes, words: str) -> None:
    path = cli.folder / name
    path.write_bytes(content)
    ended = cli.run(command, path)
    assert ended.code == 2
    assert words in ended.err and name in ended.err
    _is_clean(cli, ended, path, content)


@pytest.mark.thorough
def test_a_byte_order_mark_is_no_part_of_the_program(cli: Cli) -> None:
    path = cli.folder / "marked.cu"
    path.write_bytes(b"\xef\xbb\xbf" + program().encode())
    ended = cli.run("check", path)
    assert ended.code == 0, ended.said


@pytest.mark.parametrize(("name", "words"), [("missing.cu", "does not exist"), (".", "is a folder")])
def test_what_is_no_file_is_misuse(cli: Cli, name: str, words: str) -> None:
    ended = cli.run("profile", name)
    assert ended.code == 2 and words in ended.err


def test_an_unknown_kernel_is_misuse_and_names_the_known_ones(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("a.cu", program()), "--kernel", "thrice")
    assert ended.code == 2 and "thrice" in ended.err and "twice(" in ended.err


@pytest.mark.parametrize("device", ["gpu:0", "toaster"])
def test_a_device_that_is_not_there_is_named(cli: Cli, device: str) -> None:
    ended = cli.run("check", cli.write("a.cu", program()), "--device", device)
    assert ended.code == (3 if device.startswith("gpu") else 2)
    assert device in ended.err


@pytest.mark.parametrize("option", [("--target", "tpu"), ("--count", "some"), ("--launches", "0")])
def test_an_impossible_option_is_misuse(cli: Cli, option: tuple[str, str]) -> None:
    ended = cli.run("profile", cli.write("a.cu", program()), *option)
    assert ended.code == 2 and option[1] in ended.err, ended.said
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(("command", "code"), first_of([("inspect", 1), ("check", 1), ("optimize", 3)], 2))
def test_a_line_that_is_being_typed_is_a_diagnostic_on_that_line(cli: Cli, command: str, code: int) -> None:
    text = program().replace("out[i] = 2.0f * in[i];", "out[i] = 2.0f * in[")
    path = cli.write("typing.cu", text)
    ended = cli.run(command, path)
    assert ended.code == code
    assert re.search(r"typing\.cu:[78]:\d+: error", ended.out), "on the line, or where the compiler noticed: the next one"
    _is_clean(cli, ended, path, text.encode())


@pytest.mark.parametrize("name", first_of(["a$b.cu", 'a"b.cu', "a\\b.cu", "a`b.cu"], 2))
def test_a_path_that_nvcc_does_not_take_is_named_and_the_program_checked_without_it(cli: Cli, name: str) -> None:
    path = cli.write(name, program())
    ended = cli.run("check", path, "--json")
    assert ended.code == 0 and all(check["problems"] == [] for check in ended.all("check"))
    (said,) = (event for event in ended.all("message") if "no CUDA compiler" in event["message"])
    assert f"nvcc was not given {path}" in said["message"] and said["remedy"].startswith("rename it, or move it")


FAILURES = {
    "crashes": ("*(volatile int *)nullptr = 1;", "", "SIGSEGV"),
    "aborts": ("abort();", "", "SIGABRT"),
    "fails at the end": ("", "return 7;", "7"),
    "needs arguments": ('if (argc < 2) { fprintf(stderr, "usage: a SIZE\\n"); return 2; }', "", "usage: a SIZE"),
    "needs a file": ('if (!fopen("weights.bin", "rb")) { perror("weights.bin"); return 1; }', "", "weights.bin"),
    "allocates too much": ("if (cudaMalloc(&in, 1ull << 44) != cudaSuccess) return 9;", "", "9"),
}


@pytest.mark.parametrize(
    ("command", "name"),
    only(
        [("check", "crashes"), ("check", "needs arguments"), ("optimize", "fails at the end")],
        [*(("check", name) for name in FAILURES), ("optimize", "crashes"), ("optimize", "fails at the end")],
    ),
)
def test_a_program_that_fails_cannot_be_judged(cli: Cli, command: str, name: str) -> None:
    before, after, words = FAILURES[name]
    text = program(before, after)
    path = cli.write("failing.cu", text)
    ended = cli.run(command, path)
    assert ended.code == 3, ended.said
    assert words in ended.said
    _is_clean(cli, ended, path, text.encode())


def test_a_program_that_never_ends_is_stopped(cli: Cli) -> None:
    text = program("for (volatile int i = 0;;) i = i;")
    path = cli.write("endless.cu", text)
    started = time.monotonic()
    ended = cli.run("check", path, "--timeout", "2")
    assert time.monotonic() - started < 60
    assert ended.code == 3, ended.said
    assert "2 s" in ended.said and "--timeout" in ended.said
    _is_clean(cli, ended, path, text.encode())


@pytest.mark.thorough
def test_a_kernel_that_never_ends_is_a_problem_with_a_place(cli: Cli) -> None:
    text = program().replace("if (i < n)", "for (volatile int spin = 1; spin;) ;\n    if (i < n)")
    path = cli.write("endless.cu", text)
    ended = cli.run("check", path, "--timeout", "2", "--json")
    problem = ended.all("check")[0]["problems"][0]
    assert (ended.code, problem["kind"], problem["file"], problem["line"]) == (1, "timeout", str(path), 7), ended.said
    _is_clean(cli, ended, path, text.encode())


def test_a_program_that_prints_without_end_is_cut_off(cli: Cli) -> None:
    path = cli.write("loud.cu", program(after='for (int i = 0; i < (1 << 20); i++) puts("a line of forty characters, without meaning");'))
    ended = cli.run("check", path)
    assert ended.code in (0, 3), ended.said
    assert len(ended.out) < 10_000
    assert "output" in ended.said or ended.code == 0


@pytest.mark.thorough
def test_a_kernel_that_is_never_launched_is_named(cli: Cli) -> None:
    path = cli.write("a.cu", program())
    ended = cli.run("profile", path)
    assert ended.code == 0 and "unused(float *) is never launched" in ended.out
    for command in ("profile", "optimize"):
        ended = cli.run(command, path, "--kernel", "unused")
        assert ended.code == 3, ended.said
    assert "never launched" in cli.run("check", path, "--kernel", "unused").out


def test_a_source_without_main_and_without_a_workload_says_how_to_get_one(cli: Cli) -> None:
    path = cli.write("library.cu", program().split("int main")[0])
    ended = cli.run("profile", path)
    assert ended.code == 3
    assert "kernelopt init" in ended.said


def test_a_broken_workload_block_is_named_with_its_line(cli: Cli) -> None:
    text = (EXAMPLES / "declared_blur.cu").read_text("utf-8")
    ended = cli.run("check", cli.write("b.cu", text.replace('"empty(n*n)"', '"__import__(1)"')))
    assert ended.code == 3, ended.said
    assert "b.cu:" in ended.said and "Traceback" not in ended.said


def test_an_unknown_setting_is_named_with_the_nearest_one(cli: Cli) -> None:
    cli.write("kernelopt.toml", 'taget = "h200"\n')
    ended = cli.run("inspect", cli.write("a.cu", program()))
    assert ended.code in (2, 3)
    assert "taget" in ended.said and "target" in ended.said


def test_init_leaves_a_read_only_folder_alone(cli: Cli) -> None:
    path = cli.write("library.cu", "__global__ void k(float *out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 1.0f; }\n")
    before = path.read_bytes()
    with _read_only(cli.folder):
        ended = cli.run("init", path, limit=_without_root_rights)
    assert ended.code == 3 and "try:" in ended.err, ended.said
    _is_clean(cli, ended, path, before)
    assert [found.name for found in cli.folder.iterdir()] == [path.name]


@pytest.mark.thorough
def test_accept_leaves_a_read_only_folder_alone(offered: Offered) -> None:
    with _read_only(offered.cli.folder):
        ended = offered.cli.run("accept", offered.id, limit=_without_root_rights)
    assert ended.code == 3 and "try:" in ended.err, ended.said
    _is_clean(offered.cli, ended, offered.source, offered.original.encode())
    assert [found.name for found in offered.cli.folder.iterdir()] == [offered.source.name]
    assert [found["id"] for found in offered.cli.open_proposals()] == [offered.id]


def test_accept_leaves_a_read_only_file_alone(offered: Offered) -> None:
    offered.source.chmod(0o444)
    ended = offered.cli.run("accept", offered.id, limit=_without_root_rights)
    offered.source.chmod(0o644)
    assert ended.code == 3 and "read-only" in ended.err
    _is_clean(offered.cli, ended, offered.source, offered.original.encode())
    assert [found["id"] for found in offered.cli.open_proposals()] == [offered.id]


def test_a_file_that_cannot_be_read_is_misuse(cli: Cli) -> None:
    path = cli.write("secret.cu", program())
    path.chmod(0)
    ended = cli.run("inspect", path, limit=_without_root_rights, variables={"COLUMNS": "300"})
    assert ended.code == 2 and "readable" in ended.err and "secret.cu" in ended.err


@pytest.mark.parametrize("command", only(["inspect", "optimize"], EVERY_COMMAND))
def test_a_home_that_cannot_be_written_is_named(cli: Cli, command: str) -> None:
    text = program()
    path = cli.write("a.cu", text)
    (cli.home / "cache").unlink()
    with _read_only(cli.home):
        ended = cli.run(command, path, limit=_without_root_rights)
    assert ended.code == 3, ended.said
    assert str(cli.home) in ended.said
    _is_clean(cli, ended, path, text.encode())


@pytest.mark.parametrize("size", first_of([4096, 0, 65536]))
def test_a_full_disk_is_named_and_loses_nothing(cli: Cli, size: int) -> None:
    """A file-size limit stands for the disk: every write beyond it fails."""
    text = program("// a text that no cache holds")
    path = cli.write("a.cu", text)
    ended = cli.run("optimize", path, limit=_files_at_most(size))
    assert ended.code == 3, ended.said
    _is_clean(cli, ended, path, text.encode())
    after = cli.run("history", path)
    assert after.code == 0, after.said


_LARGE = """
__global__ void k(int *x) { x[blockIdx.x * 256 + threadIdx.x] = blockIdx.x * threadIdx.x; }
int main() { int *x; cudaMalloc(&x, 1 << 20); k<<<1024, 256>>>(x); cudaDeviceSynchronize(); }
"""


@pytest.mark.parametrize("command", first_of(["check", "profile"]))
def test_a_recording_that_does_not_fit_is_no_fault_of_the_program(cli: Cli, command: str) -> None:
    path = cli.write("large.cu", _LARGE)
    assert cli.run(command, path).code == 0  # what was compiled is kept
    ended = cli.run(command, path, limit=_files_at_most(500_000))
    assert ended.code == 3, ended.said
    assert "no space left in " in ended.said and "no problem found" not in ended.said
    _is_clean(cli, ended, path, _LARGE.encode())


def test_an_accept_on_a_full_disk_leaves_the_old_text(offered: Offered) -> None:
    assert len(offered.original) > 1000
    ended = offered.cli.run("accept", offered.id, limit=_files_at_most(1000))
    assert ended.code == 3, ended.said
    _is_clean(offered.cli, ended, offered.source, offered.original.encode())
    assert [found.name for found in offered.cli.folder.iterdir()] == [offered.source.name]
    assert [found["id"] for found in offered.cli.open_proposals()] == [offered.id]


@pytest.mark.parametrize("content", [b"not a database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_memory_is_named_and_not_overwritten(cli: Cli, content: bytes) -> None:
    memory = cli.home / "memory.sqlite3"
    memory.write_bytes(content)
    ended = cli.run("history")
    assert ended.code == 3 and str(memory) in ended.err and "try:" in ended.err, ended.said
    assert memory.read_bytes() == content


def test_a_memory_locked_by_another_program_is_waited_for_or_named(cli: Cli) -> None:
    path = cli.write("a.cu", program())
    assert cli.run("history").code == 0
    holder = sqlite3.connect(cli.home / "memory.sqlite3")
    holder.execute("begin immediate")
    try:
        ended = cli.run("optimize", path)
    finally:
        holder.rollback()
        holder.close()
    assert ended.code == 3, ended.said
    assert "memory.sqlite3" in ended.said and "Traceback" not in ended.said


def _is_clean(cli: Cli, ended: Ended, path: Path, content: bytes) -> None:
    assert "Traceback" not in ended.said, ended.said
    assert path.read_bytes() == content
    assert cli.left_behind() == []


@contextmanager
def _read_only(folder: Path) -> Generator[None]:
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(0o755)


def _without_root_rights() -> None:
    """Root obeys file permissions, too; for others this changes nothing."""
    drop_from_bounding_set, override, read_search, owner = 24, 1, 2, 3  # linux/prctl.h, linux/capability.h
    libc = ctypes.CDLL(None)
    for capability in (override, read_search, owner):
        libc.prctl(drop_from_bounding_set, capability, 0, 0, 0)


def _files_at_most(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit
