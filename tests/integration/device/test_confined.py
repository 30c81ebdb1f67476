"""What a source makes CUDA's compilers read or take: its own program's files, and no more than a machine can give. NVRTC and nvcc alike."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.worker.landlock import landlock_abi
from tests.integration.device.test_worker import compile_message, exchange, start
from tests.thorough import first_of

KERNEL = "__global__ void k(int *p) { *p = VALUE; }\n"
SECRET = "hunter2-of-somebody"
WANTS = pytest.mark.parametrize("want", [(), ("resources",), ("resources", "sass")], ids=["diagnostics", "resources", "code"])
pytestmark = pytest.mark.skipif(landlock_abi() is None, reason="this kernel has no Landlock: nothing limits what a compiler reads")

Compiled = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def worker() -> Iterator[Any]:
    with start({**os.environ}) as process:
        yield process
        process.terminate()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "src"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "key.txt"
    path.parent.mkdir()
    path.write_text(f"{SECRET} #define VALUE 1\n")
    return path


@pytest.fixture
def compiled(worker: Any, project: Path) -> Compiled:
    def compile_text(head: str, *want: str, arguments: tuple[str, ...] = (), **more: object) -> dict[str, Any]:
        path = project / "main.cu"
        path.write_text(head + KERNEL)
        message = compile_message(str(path), head + KERNEL, *want, flags={"arguments": list(arguments)}, **more)
        return exchange(worker, message)["result"]["result"]

    return compile_text


def errors(result: dict[str, Any]) -> list[str]:
    return [found["message"] for found in result["diagnostics"] if found["severity"] == "error"]


@WANTS
def test_a_file_outside_the_program_is_not_included(compiled: Compiled, secret: Path, project: Path, want: tuple[str, ...]) -> None:
    (project / "linked.h").symlink_to(secret)
    for include in (f'"{secret}"', f'"{os.path.relpath(secret, project)}"', '"linked.h"', f"<{secret}>"):
        result = compiled(f"#include {include}\n", *want)
        (told,) = errors(result)
        assert SECRET not in json.dumps(result)
        assert str(secret) in told and "was not read" in told and f"-I{secret.parent}" in told


def test_what_nvcc_preprocesses_is_held_to_the_same_files(worker: Any, project: Path, secret: Path) -> None:
    def preprocessed(text: str) -> dict[str, Any]:
        (project / "main.cu").write_text(text)
        return exchange(worker, compile_message(str(project / "main.cu"), text) | {"op": "preprocess"})["result"]

    outside = preprocessed(f'#include "{secret}"\n{KERNEL}')
    assert SECRET not in json.dumps(outside)
    assert all("Permission denied" in outside[side]["reason"] for side in ("device", "host"))
    os.mkfifo(project / "pipe.h")
    assert "it is a named pipe" in preprocessed('#include "pipe.h"\n')["device"]["reason"]
    assert all("lines" in side for side in preprocessed(f"#define VALUE 1\n{KERNEL}").values())


@WANTS
def test_the_flags_name_what_else_is_the_programs(compiled: Compiled, tmp_path: Path, want: tuple[str, ...]) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "far.h").write_text("#define VALUE 1\n")
    flags = (f"-I{tmp_path / 'library'}",)
    assert errors(compiled("#include <far.h>\n", *want, arguments=flags)) == []
    assert errors(compiled('#include "../../library/far.h"\n', *want, arguments=flags)) == []


def test_the_workspace_is_the_programs(compiled: Compiled, project: Path) -> None:
    (project.parent / "common.h").write_text("#define VALUE 1\n")
    assert errors(compiled('#include "../common.h"\n', workspaces=[str(project.parent)])) == []
    (told,) = errors(compiled('#include "../common.h"\n'))
    assert "was not read" in told


@WANTS
@pytest.mark.parametrize("place", ["/proc/self/environ", "/etc/hostname"])
def test_what_the_system_keeps_is_never_a_header(compiled: Compiled, place: str, want: tuple[str, ...]) -> None:
    (told,) = errors(compiled(f'#include "{place}"\n', *want))
    assert place in told and "was not read" in told and "-I" not in told


def test_the_assembler_reads_no_more_than_the_compiler(compiled: Compiled, secret: Path) -> None:
    for host in (f'asm(".incbin \\"{secret}\\"");', f'asm(".section x; .include \\"{secret}\\"");'):
        result = compiled(f"#define VALUE 1\n{host}\n", "resources", "sass")
        assert SECRET not in json.dumps(result)


@WANTS
def test_a_line_of_a_named_file_is_not_quoted(compiled: Compiled, secret: Path, want: tuple[str, ...]) -> None:
    result = compiled(f'#define VALUE 1\n#line 1 "{secret}"\nundeclared x;\n', *want)
    assert errors(result) and SECRET not in json.dumps(result)


@WANTS
def test_what_is_no_file_is_named_at_once(compiled: Compiled, project: Path, want: tuple[str, ...]) -> None:
    os.mkfifo(project / "pipe.h")
    (project / "zero.h").symlink_to("/dev/zero")
    started = time.monotonic()
    assert "pipe.h cannot be included: it is a named pipe" in errors(compiled('#include "pipe.h"\n', *want))[0]
    assert "zero.h cannot be included: it is a device" in errors(compiled('#include "zero.h"\n', *want))[0]
    assert time.monotonic() - started < 5


def test_a_pipe_behind_a_macro_ends_with_the_time(compiled: Compiled, project: Path) -> None:
    os.mkfifo(project / "pipe.h")
    started = time.monotonic()
    (told,) = errors(compiled('#define NAMED "pipe.h"\n#include NAMED\n', timeout_s=1.5))
    assert "did not end within 1.5 s" in told
    assert time.monotonic() - started < 10
    assert errors(compiled("#define VALUE 1\n")) == [], "the worker answers the next request"


def test_an_unreadable_header_behind_a_macro_is_named(compiled: Compiled, project: Path) -> None:
    (project / "zero.h").symlink_to("/dev/zero")
    (told,) = errors(compiled('#define NAMED "zero.h"\n#include NAMED\n'))
    assert "zero.h" in told and "/dev/zero" in told and "was not read" in told


@WANTS
def test_a_header_that_includes_itself_is_one_error(compiled: Compiled, project: Path, want: tuple[str, ...]) -> None:
    (project / "self.h").write_text('#include "self.h"\n')
    assert len(errors(compiled('#define VALUE 1\n#include "self.h"\n', *want))) == 1


@pytest.mark.parametrize("mark", first_of(["nvrtc_server", "cicc"]))
@pytest.mark.parametrize("is_killed", first_of([True, False]), ids=["kill -9", "terminated"])
def test_no_compiler_outlives_its_worker(project: Path, mark: str, is_killed: bool) -> None:
    """NVRTC's process, and what nvcc starts two levels below."""
    text = "#define VALUE " + "+".join(f"p[{n}] * p[{n + 1}]" for n in range(30_000)) + "\n" + KERNEL  # takes seconds
    want = () if mark == "nvrtc_server" else ("resources", "sass")
    (project / "main.cu").write_text(text)
    with start({**os.environ}) as worker:
        assert worker.stdin is not None
        worker.stdin.write(json.dumps(compile_message(str(project / "main.cu"), text, *want)) + "\n")
        worker.stdin.flush()
        found = await_descendant(worker.pid, mark)
        worker.send_signal(signal.SIGKILL if is_killed else signal.SIGTERM)
        worker.wait(10)
    deadline = time.monotonic() + 5
    while any(alive(process) for process in found) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [process for process in found if alive(process)] == []


def await_descendant(root: int, mark: str) -> list[int]:
    """Ids of all descendants, once one runs whose command line has ``mark``."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = descendants(root)
        if any(mark in command_line(process) for process in found):
            return found
        time.sleep(0.01)
    raise AssertionError(f"no {mark} was seen")


def descendants(root: int) -> list[int]:
    running = [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]
    parents = {int(name): parent for name in running if (parent := parent_of(name)) is not None}
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def parent_of(name: str) -> int | None:
    try:
        return int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def command_line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
