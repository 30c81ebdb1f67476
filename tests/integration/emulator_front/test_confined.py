"""What a source makes a compiler read, write or take: its own program's files, and no more than a machine can give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.emulator.build import BuildReply, BuildRequest, BuiltProgram, build
from assistant.model.build import BuildFailure, DiagnosticSeverity
from assistant.serialize import dumps
from assistant.worker.landlock import landlock_abi
from tests.thorough import first_of

KERNEL = "__global__ void k(int* p) { *p = VALUE; }\nint main() { int* p; k<<<1, 1>>>(p); }\n"
SECRET = "hunter2-of-somebody"
pytestmark = pytest.mark.skipif(landlock_abi() is None, reason="this kernel has no Landlock: nothing limits what a compiler reads")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "src"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the user's next to the project; its text would be quoted in messages."""
    path = tmp_path / "private" / "key.txt"
    path.parent.mkdir()
    path.write_text(f"{SECRET} #define VALUE 1\n")
    return path


@pytest.fixture
def compiled(project: Path, cache_dir: Path) -> Callable[..., BuildReply]:
    def compile_text(head: str, *, name: str = "main.cu", **options: object) -> BuildReply:
        path = project / name
        if not path.is_symlink():
            path.write_text(head + KERNEL)
        return build(BuildRequest(sources=((path, head + KERNEL),), cache_dir=cache_dir, **options))  # type: ignore[arg-type]

    return compile_text


def message(reply: BuildReply) -> str:
    """The only error."""
    assert isinstance(reply, BuildFailure), reply
    (error,) = [found for found in reply.diagnostics if found.severity is DiagnosticSeverity.ERROR]
    return error.message


def refused(reply: BuildReply, path: Path) -> None:
    told = message(reply)
    assert str(path) in told and "was not read" in told and f"-I{path.parent}" in told
    assert SECRET not in dumps(reply.diagnostics if isinstance(reply, BuildFailure) else ())


@pytest.mark.parametrize(
    "include",
    ['#include "{path}"\n', "#include <{path}>\n", '#define NAMED "{path}"\n#include NAMED\n', '#include "{relative}"\n'],
    ids=["quoted", "in angles", "named by a macro", "relative"],
)
def test_a_file_outside_the_program_is_not_included(compiled: Callable[..., BuildReply], project: Path, secret: Path, include: str) -> None:
    refused(compiled(include.format(path=secret, relative=os.path.relpath(secret, project))), secret)


def test_a_link_in_the_project_opens_nothing_outside(compiled: Callable[..., BuildReply], project: Path, secret: Path) -> None:
    (project / "linked.h").symlink_to(secret)
    (project / "folder").symlink_to(secret.parent)
    for include in ("linked.h", "folder/key.txt"):
        reply = compiled(f'#include "{include}"\n')
        refused(reply, secret)
        assert str(project / include) in message(reply)


@pytest.mark.parametrize("host", ['asm(".incbin \\"{path}\\"");', 'asm(".section x; .include \\"{path}\\"");'])
def test_the_assembler_reads_no_more_than_the_compiler(compiled: Callable[..., BuildReply], secret: Path, host: str) -> None:
    reply = compiled(f"#define VALUE 1\n{host.format(path=secret)}\n")
    assert str(secret) in message(reply)
    assert SECRET not in message(reply)


def test_whether_a_file_exists_is_no_part_of_its_contents(compiled: Callable[..., BuildReply], secret: Path) -> None:
    reply = compiled(f'#if __has_include("{secret}")\n#define VALUE 1\n#endif\n')
    assert SECRET not in dumps(reply.diagnostics if isinstance(reply, BuildFailure | BuiltProgram) else ())


def test_a_line_of_a_named_file_is_not_quoted(compiled: Callable[..., BuildReply], secret: Path) -> None:
    """g++ shows the line that a message is about, and ``#line`` says whose it is."""
    reply = compiled(f'#define VALUE 1\n#line 1 "{secret}"\nundeclared x;\n')
    assert isinstance(reply, BuildFailure)
    assert SECRET not in dumps(reply.diagnostics)


@pytest.mark.parametrize("place", ["/proc/self/environ", "/etc/hostname"])
def test_what_the_system_keeps_is_never_a_header(compiled: Callable[..., BuildReply], place: str) -> None:
    told = message(compiled(f'#include "{place}"\n', include_dirs=(Path(place).parent,)))
    assert place in told and "was not read" in told and "-I" not in told


def test_credentials_are_never_a_header(compiled: Callable[..., BuildReply], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the flags of a downloaded project name their folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    key = tmp_path / "home" / ".ssh" / "id_rsa"
    key.parent.mkdir(parents=True)
    key.write_text(f"{SECRET}\n")
    reply = compiled('#include "id_rsa"\n', include_dirs=(key.parent,))
    assert "was not read" in message(reply) and SECRET not in message(reply)


def test_a_source_in_the_home_folder_does_not_open_what_is_below(cache_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "beside.h").write_text("#define VALUE 1\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.h").write_text("#define VALUE 1\n")
    (tmp_path / ".hidden.h").write_text("#define VALUE 1\n")

    def compiled(name: str) -> BuildReply:
        return build(BuildRequest(((tmp_path / "a.cu", f'#include "{name}"\n{KERNEL}'),), cache_dir, workspaces=(tmp_path,)))

    assert isinstance(compiled("beside.h"), BuiltProgram)
    assert "was not read" in message(compiled("below/a.h"))
    assert "was not read" in message(compiled(".hidden.h"))


def test_the_workspace_and_the_include_folders_are_the_programs(compiled: Callable[..., BuildReply], project: Path, tmp_path: Path) -> None:
    (tmp_path / "project" / "common.h").write_text("#define A 1\n")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "far.h").write_text("#define B 1\n")
    (tmp_path / "link").symlink_to(tmp_path / "library")
    (project / "beside.h").symlink_to("../common.h")
    head = '#include "../common.h"\n#include <far.h>\n#include "beside.h"\n#define VALUE A + B\n'
    reply = compiled(head, workspaces=(tmp_path / "project",), include_dirs=(tmp_path / "link",))
    assert isinstance(reply, BuiltProgram), reply


def test_a_source_that_is_a_link_finds_what_lies_next_to_the_link(
    compiled: Callable[..., BuildReply], project: Path, tmp_path: Path
) -> None:
    (project / "beside.h").write_text("#define VALUE 1\n")
    (tmp_path / "real.cu").write_text('#include "beside.h"\n' + KERNEL)
    (project / "link.cu").symlink_to(tmp_path / "real.cu")
    assert isinstance(compiled('#include "beside.h"\n', name="link.cu"), BuiltProgram)


def test_what_is_no_file_is_named_at_once(compiled: Callable[..., BuildReply], project: Path) -> None:
    os.mkfifo(project / "pipe.h")
    (project / "zero.h").symlink_to("/dev/zero")
    started = time.monotonic()
    assert "pipe.h cannot be included: it is a named pipe" in message(compiled('#include "pipe.h"\n'))
    assert "zero.h cannot be included: it is a device" in message(compiled('#include "zero.h"\n'))
    assert time.monotonic() - started < 10


def test_a_pipe_behind_a_macro_ends_with_the_time(project: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the compiler knows that it is opened."""
    os.mkfifo(project / "pipe.h")
    from assistant.emulator import build as building

    monkeypatch.setattr(building, "COMPILE_TIMEOUT_S", 1.5)
    reply = build(BuildRequest(((project / "a.cu", f'#define NAMED "pipe.h"\n#include NAMED\n{KERNEL}'),), cache_dir))
    assert "did not end within" in message(reply)


LIMITED = """
import json, resource, sys
from pathlib import Path
from assistant.emulator.build import *
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
print(reply_to_json(build(request_from_json(Path(sys.argv[1]).read_text()))))
"""
TENFOLD = "#define X0 int x;\n" + "".join(f"#define X{n + 1} {' '.join([f'X{n}'] * 10)}\n" for n in range(8))


@pytest.mark.parametrize(
    ("head", "words"),
    first_of([
        (f"{TENFOLD}namespace {{ struct S {{ X8 }}; }}\n", "memory"),
        ('asm(".fill 1000000000, 8, 0x41");\n', "wrote a file of more than 512 MiB"),
        ('#include "self.h"\n', "nested depth 200"),
        ('asm(".rept 1000000000\\n.quad 1\\n.endr");\n', "memory"),
        ("char large[20000000000] = {1};\n", "wrote a file of more than 512 MiB"),
        ("template<int N, int M> struct T { static const int v = T<N-1, M*2>::v + T<N-1, M*2+1>::v; };\n"
         "template<int M> struct T<0, M> { static const int v = 1; };\nint bomb = T<30, 1>::v;\n", "memory"),
    ], 3),
    ids=["macros", "an assembler's space", "a header that includes itself", "an assembler's loop", "an array", "templates"],
)  # fmt: skip
def test_what_multiplies_is_stopped_and_reported_in_one_sentence(
    project: Path, cache_dir: Path, tmp_path: Path, head: str, words: str
) -> None:
    (project / "self.h").write_text('#include "self.h"\n')
    build(BuildRequest(((project / "small.cu", f"#define VALUE 1\n{KERNEL}"),), cache_dir))  # the prelude is there
    request = tmp_path / "request.json"
    request.write_text(dumps(BuildRequest(((project / "main.cu", f"#define VALUE 1\n{head}{KERNEL}"),), cache_dir)))
    ran = subprocess.run((sys.executable, "-c", LIMITED, str(request)), capture_output=True, text=True, timeout=120, check=True)
    reply = json.loads(ran.stdout)
    errors = [found["message"] for found in reply["reply"]["diagnostics"] if found["severity"] == "error"]
    assert reply["outcome"] == "failed" and len(errors) == 1 and words in errors[0], reply
    kept = [path for path in (cache_dir / "builds").rglob("*") if path.stat().st_size > 1 << 26]
    assert kept == []


def test_what_a_limit_stopped_is_built_again(project: Path, cache_dir: Path) -> None:
    """Another machine, or another moment, has more memory: only what the source decides is kept."""
    request = BuildRequest(((project / "a.cu", f'#define VALUE 1\nasm(".fill 1000000000, 8, 0x41");\n{KERNEL}'),), cache_dir)
    assert "wrote a file" in message(build(request))
    assert not any("wrote a file" in path.read_text() for path in (cache_dir / "builds").glob("*/reply.json"))


def test_compilers_write_nothing_next_to_the_source(compiled: Callable[..., BuildReply], project: Path) -> None:
    assert isinstance(compiled("#define VALUE 1\n#pragma GCC optimize 2\n"), BuiltProgram)
    assert [path.name for path in project.iterdir()] == ["main.cu"]
