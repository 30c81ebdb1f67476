"""What a candidate may not do, the user's own program may; limits that the machine lacks are named."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.worker.environment import restricted_environment
from assistant.worker.sandbox import probe_layers

LAYERS = probe_layers()
"""Of this machine: where one is missing, the test demands that the reply says so."""

Try = Callable[..., "Attempt"]


class Attempt:
    """One script run as the user's own program and as a candidate."""

    def __init__(self, own: dict[str, Any], candidate: dict[str, Any]) -> None:
        self.own = own
        self.candidate = candidate

    def check_refused_by(self, layer: str, allowed: str, refused: str) -> None:
        """``allowed`` is what the script prints when it is let, ``refused`` when the layer stops it."""
        assert output(self.own) == allowed
        if any(name.startswith(f"{layer}:") for name in LAYERS.in_force):
            assert output(self.candidate) == refused
            assert any(name.startswith(f"{layer}:") for name in self.candidate["confinement"])
        else:
            assert any(name.startswith(f"{layer}:") for name in self.candidate["missing"])


def output(reply: dict[str, Any]) -> str:
    return Path(reply["stdout_path"]).read_text().strip() or Path(reply["stderr_path"]).read_text()[-500:]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    def write(body: str) -> Path:
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\nimport os, sys\n{body}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def attempt(run: Any, script: Any) -> Try:
    def both(body: str, *arguments: str) -> Attempt:
        tried = f"try:\n {body}\n print('done')\nexcept OSError as error:\n print(error.__class__.__name__)"
        program = script(tried)
        own = run(program, *arguments, mode="plain")
        return Attempt(own, run(program, *arguments, mode="plain", is_candidate=True))

    return both


@pytest.fixture
def users_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("user") / "data.txt"
    path.write_text("precious\n")
    return path


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_UNIX"])
def test_no_socket_is_opened(attempt: Try, family: str) -> None:
    kind = "SOCK_RAW" if family in ("AF_NETLINK", "AF_PACKET") else "SOCK_STREAM"
    attempt(f"import socket; socket.socket(socket.{family}, socket.{kind})").check_refused_by("system calls", "done", "PermissionError")


def test_a_listening_server_is_not_reached(attempt: Try) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        attempt(f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)").check_refused_by(
            "system calls", "done", "PermissionError"
        )


def test_connected_pairs_of_sockets_are_allowed(run: Any, script: Any) -> None:
    body = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))"
    assert output(run(script(body), is_candidate=True)) == "b'x'"


@pytest.mark.parametrize(
    "body",
    [
        "open(sys.argv[1], 'w').close()",
        "open(sys.argv[1], 'a').write('x')",
        "open(sys.argv[1] + '.new', 'w').close()",
        "os.truncate(sys.argv[1], 0)",
        "os.remove(sys.argv[1])",
        "os.rename(sys.argv[1], sys.argv[1] + '.moved')",
        "os.symlink('/', sys.argv[1] + '.link')",
        "os.mkdir(sys.argv[1] + '.folder')",
        "os.link(sys.argv[1], 'here')",
    ],
)
def test_a_file_outside_scratch_is_not_touched(run: Any, script: Any, users_file: Path, body: str) -> None:
    tried = f"try:\n {body}\n print('done')\nexcept OSError :\n print('refused')"
    reply = run(script(tried), str(users_file), is_candidate=True)
    if any(name.startswith("files:") for name in LAYERS.in_force):
        assert output(reply) == "refused"
        assert users_file.read_text() == "precious\n"
        assert names(users_file.parent) == ["data.txt"]
    else:
        assert any(name.startswith("files:") for name in reply["missing"])
    assert output(run(script(tried), str(users_file))) == "done"


def test_attributes_of_a_file_are_not_changed(run: Any, script: Any, users_file: Path) -> None:
    body = "file = os.open(sys.argv[1], os.O_RDONLY); os.fchmod(file, 0o700); os.chmod(sys.argv[1], 0o700); os.utime(sys.argv[1], (1, 1))"
    before = users_file.stat()
    reply = run(script(body), str(users_file), is_candidate=True)
    after = users_file.stat()
    is_kept = (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
    assert is_kept == any(name.startswith("system calls:") for name in LAYERS.in_force)
    assert reply["exit_status"] == 0
    run(script(body), str(users_file))
    assert (users_file.stat().st_mode & 0o777, users_file.stat().st_mtime) == (0o700, 1)


def test_what_outlives_a_program_is_not_made(attempt: Try) -> None:
    body = "import ctypes; c = ctypes.CDLL(None, use_errno=True); i = c.shmget(0, 4096, 0o1600); e = ctypes.get_errno()"
    attempt(f"{body}; c.shmctl(i, 0, None); os.strerror(e) if i >= 0 else os.close(-1)").check_refused_by("system calls", "done", "OSError")


def test_the_signal_at_its_parents_death_stays(attempt: Try) -> None:
    body = "import ctypes; ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) and os.close(-1)"
    attempt(body).check_refused_by("system calls", "done", "OSError")


def test_output_is_written_by_its_name(run: Any, script: Any) -> None:
    assert output(run(script("open('/dev/stdout', 'w').write('named'); open('/dev/null', 'w').write('x')"), is_candidate=True)) == "named"


def test_a_file_is_copied_within_the_folder(run: Any, script: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    assert output(run(script("import shutil; shutil.copy2('a.txt', 'b.txt'); print(open('b.txt').read())"), is_candidate=True)) == "a"


def test_files_are_read_everywhere_and_programs_started(run: Any, script: Any, users_file: Path) -> None:
    reply = run(
        script("sys.stdout.flush(); os.system(f'cat {sys.argv[1]} > /dev/null && cat {sys.argv[1]}')"), str(users_file), is_candidate=True
    )
    assert output(reply) == "precious"


def test_a_candidate_works_on_a_private_copy_of_its_folder(run: Any, script: Any, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text("input")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "old.txt").write_text("old")
    body = (
        "text = open('input.txt').read(); os.remove('input.txt'); os.remove('sub/old.txt'); open('new.txt', 'w').write(text); print(text)"
    )
    reply = run(script(body), is_candidate=True)
    assert output(reply) == "input"
    assert names(tmp_path) == ["input.txt", "program", "sub"]
    assert (tmp_path / "sub" / "old.txt").read_text() == "old"


def test_a_path_above_the_folder_is_found(run: Any, script: Any, tmp_path: Path, users_file: Path) -> None:
    relative = os.path.relpath(users_file, tmp_path)
    assert relative.startswith("../")
    assert output(run(script("print(open(sys.argv[1]).read())"), relative, is_candidate=True)) == "precious"


def test_a_file_too_large_to_copy_is_linked_and_named(run: Any, script: Any, tmp_path: Path) -> None:
    with (tmp_path / "large.bin").open("wb") as large:
        large.truncate(65 << 20)
    reply = run(script("print(os.path.getsize('large.bin')); open('small.txt', 'w').close()"), is_candidate=True)
    assert output(reply) == str(65 << 20)
    assert any("large.bin" in note for note in reply["missing"])
    assert not (tmp_path / "small.txt").exists()


def test_a_folder_with_too_many_files_is_only_read(attempt: Try, tmp_path: Path) -> None:
    for number in range(2001):
        (tmp_path / f"{number}").touch()
    tried = attempt("open('new.txt', 'w').close()")
    tried.check_refused_by("files", "done", "PermissionError")
    assert any("more than 2000 entries" in note for note in tried.candidate["missing"])


def test_temporary_files_are_its_own(run: Any, script: Any) -> None:
    reply = run(script("import tempfile; f = tempfile.NamedTemporaryFile(delete=False); f.write(b'x'); print(f.name)"), is_candidate=True)
    assert reply["exit_status"] == 0
    assert not Path(output(reply)).exists()


def test_its_parent_is_not_traced(attempt: Try) -> None:
    seize = "import ctypes; c = ctypes.CDLL(None, use_errno=True); r = c.ptrace(0x4206, os.getppid(), 0, 0); e = ctypes.get_errno()"
    body = f"{seize}; c.ptrace(17, os.getppid(), 0, 0) if r == 0 else None; print('errno', e if r else 0)"
    tried = attempt(body)
    if any(name.startswith("system calls:") for name in LAYERS.in_force):
        assert output(tried.candidate).startswith("errno 1\n")
    else:
        assert any(name.startswith("system calls:") for name in tried.candidate["missing"])


def test_other_processes_are_not_signalled(attempt: Try) -> None:
    attempt("os.kill(os.getppid(), 0)").check_refused_by("signals", "done", "PermissionError")


def test_its_own_children_are_signalled(run: Any, script: Any) -> None:
    body = "import subprocess, signal; p = subprocess.Popen(['sleep', '60']); p.kill(); print(p.wait())"
    assert output(run(script(body), is_candidate=True)) == str(-signal.SIGKILL)


def test_it_does_not_leave_its_process_group(attempt: Try) -> None:
    attempt("os.fork() and (os.wait(), os._exit(0)); os.setsid()").check_refused_by("system calls", "done", "PermissionError")


def test_a_program_that_starts_too_many_processes_is_killed(run: Any, script: Any) -> None:
    body = "import time\nfor _ in range(200):\n if os.fork() == 0: time.sleep(60)\ntime.sleep(60)"
    reply = run(script(body), is_candidate=True, limits={"task_count": 50})
    assert (reply["tasks_exceeded"], reply["timed_out"], reply["signal"]) == (True, False, "SIGKILL")


def test_a_candidate_that_fills_memory_is_killed(run: Any, script: Any) -> None:
    body = "import time\nx = b'x' * (400 << 20)\ntime.sleep(30)"
    reply = run(script(body), is_candidate=True, limits={"memory_bytes": 200 << 20})
    assert (reply["memory_exceeded"], reply["timed_out"]) == (True, False)


def test_a_candidate_sees_the_users_environment(run: Any, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBLEM_SIZE", "1024")
    assert output(run(script("print(os.environ['PROBLEM_SIZE'])"), is_candidate=True)) == "1024"


def test_a_candidate_sees_no_keys_and_the_users_program_does(run: Any, script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("OPENAI_API_KEY", "My_Key", "GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY")
    for name in names:
        monkeypatch.setenv(name, "s3cret")
    body = f"print([name for name in {names!r} if name in os.environ], 's3cret' in open(f'/proc/self/environ').read())"
    assert output(run(script(body), is_candidate=True)) == "[] False"
    assert output(run(script(body))) == f"{list(names)} True"


def test_a_replay_sees_a_short_environment() -> None:
    assert restricted_environment({"PATH": "/bin", "LC_ALL": "C", "SOME_API_KEY": "s3cret"}) == {"PATH": "/bin", "LC_ALL": "C"}


def test_the_users_own_program_is_not_confined(run: Any, script: Any, tmp_path: Path) -> None:
    reply = run(script("open('result.txt', 'w').write('kept')"))
    assert (reply["confinement"], reply["missing"]) == ([], [])
    assert (tmp_path / "result.txt").read_text() == "kept"
