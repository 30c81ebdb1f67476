"""What a program could do to its user's files, processes and machine, tried under the limits of candidates and compilers.

Each attack (``tests/data/attacks/attacks.cpp``) is tried confined first and then free, on the same object: the second run shows that the
attack works where nothing stops it, and that the first one changed nothing.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pty
import socket
import subprocess
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from assistant.worker.child import Bounds, Command, run_child
from assistant.worker.landlock import SIGNALS_ABI, FileAccess, everything_but_devices, landlock_abi
from assistant.worker.launcher import Launcher, Streams
from assistant.worker.sandbox import Confinement, confine, confine_compiler, confine_to_gpu, probe_layers

SOURCE = Path(__file__).parents[2] / "data" / "attacks" / "attacks.cpp"
pytestmark = [
    pytest.mark.skipif((landlock_abi() or 0) < SIGNALS_ABI, reason="this kernel lacks rules for files or signals (Linux 6.12 has them)"),
    pytest.mark.skipif(bool(probe_layers().missing), reason="this machine lacks a layer, which doctor and verdicts name"),
]

ON_A_PROCESS = (
    *("kill", "tkill", "tgkill", "queue-signal", "pidfd-signal", "signal-by-input", "ptrace", "vm-read", "vm-write", "proc-mem"),
    *("proc-environ", "proc-maps", "limits-of-another", "scheduler", "scheduling-parameter", "scheduling-attributes", "priority"),
    "io-priority",
)
ON_A_FILE = (
    *("write", "write-new", "write-by-proc", "write-by-link", "truncate", "open-truncated", "move", "link", "replace"),
    *("make-folder", "make-pipe", "make-link", "hole", "attribute", "extended-attribute", "set-xattr", "lease", "open-by-handle", "remove"),
)
ON_NOTHING = (
    *("kill-all", "priority-of-user", "io-priority-of-user", "shm-new", "memfd", "socket-inet", "socket-inet6", "socket-netlink"),
    *("socket-packet", "user-namespace", "unshare", "mount", "chroot", "io-uring", "bpf", "perf", "keyring", "session", "process-group"),
    *("outlive-parent", "privileges", "core", "large-file", "old-convention", "x32-convention"),
)
ON_AN_OBJECT = (
    *("shm", "shm-remove", "sem", "sem-timed", "sem-remove", "msg-send", "msg-receive", "mq-receive", "mq-remove", "posix-shm"),
    *("terminal-input", "terminal-typing"),
)
NOT_EVERYWHERE = {
    *("attribute", "extended-attribute", "set-xattr", "lease", "open-by-handle", "hole"),  # kinds of file systems
    # kernels, and the rights of users
    *("old-convention", "x32-convention", "user-namespace", "unshare", "io-uring", "bpf", "perf", "keyring", "mount", "chroot"),
    *("socket-packet", "terminal-typing", "ptrace", "proc-mem"),
    "large-file",  # disks
}  # fmt: skip
"""What does not work for every user on every machine without limits, either."""
TOO_MUCH_TO_TRY = {"priority-of-user", "io-priority-of-user", "mount", "keyring"}
"""Without limits they would change what is not the test's."""
NEEDED = (
    *("own-affinity", "own-priority", "own-signal", "own-child", "own-pair", "own-lock", "own-mode", "own-terminal-question", "random"),
)
STOPPED = ("EPERM", "EACCES", "ENOSYS", "ENOTTY", "EXDEV", "EFBIG", "EAFNOSUPPORT")

Run = Callable[..., str]


@pytest.fixture(scope="module")
def attacks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("attacks") / "attacks"
    subprocess.run(("g++", "-std=c++17", "-O1", "-w", str(SOURCE), "-o", str(program)), check=True)
    return program


@pytest.fixture(scope="module")
def launcher() -> Generator[Launcher]:
    made = Launcher()
    yield made
    made.close()


@contextmanager
def confinement_of(kind: str, scratch: Path) -> Generator[Confinement | None]:
    with ExitStack() as stack:
        if kind == "free":
            yield None
        elif kind == "a candidate":
            yield stack.enter_context(confine((scratch,)))
        elif kind == "a candidate on a GPU":
            yield stack.enter_context(confine_to_gpu((scratch,)))
        else:
            yield stack.enter_context(confine_compiler(FileAccess(run=everything_but_devices(), write=(scratch,))))


@pytest.fixture
def attack(attacks: Path, launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Run:
    def attempt(kind: str, name: str, target: object = "") -> str:
        """What the attack of that name prints under a confinement."""
        scratch = tmp_path_factory.mktemp("scratch")
        out, err = scratch.with_suffix(".out"), scratch.with_suffix(".err")
        command = Command((str(attacks), name, str(target)), scratch, {"PATH": "/usr/bin:/bin"})
        with confinement_of(kind, scratch) as confinement:
            outcome = run_child(command, Bounds(wall_s=20), out, err, confinement, launcher)
        return out.read_text().strip() or f"{outcome} {err.read_text()}"

    return attempt


CONFINED = pytest.mark.parametrize("kind", ["a candidate", "a candidate on a GPU", "a compiler"])


def check_stopped(attack: Run, kind: str, name: str, target: object = "") -> None:
    said = attack(kind, name, target)
    assert said in STOPPED, said
    if name in TOO_MUCH_TO_TRY:
        return
    free = attack("free", name, target)
    assert free == "done" or name in NOT_EVERYWHERE, free


@pytest.fixture
def process() -> Generator[int]:
    """Another of the user's, which a signal ends."""
    with subprocess.Popen(("sleep", "100")) as sleeping:
        yield sleeping.pid
        sleeping.kill()


@CONFINED
@pytest.mark.parametrize("name", ON_A_PROCESS)
def test_another_process_is_not_reached(attack: Run, kind: str, name: str, process: int) -> None:
    check_stopped(attack, kind, name, process)


@CONFINED
def test_the_processors_of_another_process_stay(attack: Run, kind: str, process: int) -> None:
    before = os.sched_getaffinity(process)
    os.sched_setaffinity(process, before)
    attack(kind, "affinity", process)
    assert os.sched_getaffinity(process) == before
    assert attack("free", "affinity", process) == "done"
    assert os.sched_getaffinity(process) == {0}


@pytest.fixture
def users_file(tmp_path: Path) -> Path:
    folder = tmp_path / "users"
    folder.mkdir()
    (folder / "data.txt").write_text("precious\n")
    return folder / "data.txt"


@CONFINED
@pytest.mark.parametrize("name", ON_A_FILE)
def test_a_file_of_the_users_is_not_changed(attack: Run, kind: str, name: str, users_file: Path) -> None:
    before = users_file.stat()
    said = attack(kind, name, users_file)
    after = users_file.stat()
    assert said != "done" and users_file.read_text() == "precious\n" and [path.name for path in users_file.parent.iterdir()] == ["data.txt"]
    assert (before.st_mode, before.st_mtime_ns, before.st_ctime_ns) == (after.st_mode, after.st_mtime_ns, after.st_ctime_ns)
    check_stopped(attack, kind, name, users_file)


@pytest.mark.parametrize("kind", ["a candidate", "a candidate on a GPU"])
@pytest.mark.parametrize("name", ["lock", "record-lock", "file-lock"])
def test_a_lock_on_a_file_of_the_users_holds_nothing_up(
    attacks: Path, launcher: Launcher, kind: str, name: str, users_file: Path, tmp_path: Path
) -> None:
    """As on the file of the memory, which all of the user's sessions lock."""
    held = hold_lock(attacks, launcher, kind, name, users_file, tmp_path / "confined")
    assert held == (True, True)
    free = hold_lock(attacks, launcher, "free", name, users_file, tmp_path / "free")
    assert False in free, "the same attack holds up the user where it is not confined"


def hold_lock(attacks: Path, launcher: Launcher, kind: str, name: str, file: Path, scratch: Path) -> tuple[bool, bool]:
    """Whether this process gets (flock, a record lock for writing) while the attacker has the file."""
    scratch.mkdir()
    out = scratch / "out"
    command = Command((str(attacks), "hold", f"{name}:{file}"), scratch, {})
    with confinement_of(kind, scratch) as confinement, out.open("wb") as sink, Path(os.devnull).open("rb") as null:
        running = launcher.start(command, Streams(null.fileno(), sink.fileno(), sink.fileno()), None, confinement)
        try:
            running.wait(0.3)
            assert out.read_text() == "held\n", out.read_text()
            return got(file, lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)), got(
                file, lambda descriptor: fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            )
        finally:
            running.end()


def got(file: Path, lock: Callable[[int], None]) -> bool:
    with file.open("r+b") as opened:
        try:
            lock(opened.fileno())
        except BlockingIOError:
            return False
        return True


@CONFINED
@pytest.mark.parametrize("name", ON_NOTHING)
def test_the_system_is_not_reached(attack: Run, kind: str, name: str) -> None:
    check_stopped(attack, kind, name)


class Objects:
    """Of System V and POSIX, the user's."""

    def __init__(self, stack: ExitStack) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._stack = stack

    def __call__(self, name: str) -> object:
        match name.partition("-")[0]:
            case "shm":
                return self._kept(self._libc.shmget(0, 4096, 0o1600), lambda made: self._libc.shmctl(made, 0, None))
            case "sem":
                return self._kept(self._libc.semget(0, 1, 0o1600), lambda made: self._libc.semctl(made, 0, 0))
            case "msg":
                made = self._kept(self._libc.msgget(0, 0o1600), lambda made: self._libc.msgctl(made, 0, None))
                self._libc.msgsnd(made, ctypes.create_string_buffer(b"\x01" + b"\0" * 7 + b"hello"), 5, 0)
                return made
            case "mq":
                named = f"/kernelopt-test-{os.getpid()}".encode()
                one_message = (ctypes.c_long * 8)(0, 1, 64)  # struct mq_attr: all queues of a user may hold 800 kB together
                made = self._libc.mq_open(named, os.O_CREAT | os.O_RDWR, 0o600, one_message)
                queue = self._kept(made, lambda _: self._libc.mq_unlink(named))
                self._libc.mq_send(queue, b"hello", 5, 0)
                return named.decode()
            case "posix":
                named = f"/kernelopt-test-{os.getpid()}"
                Path(f"/dev/shm{named}").write_text("precious")
                self._stack.callback(Path(f"/dev/shm{named}").unlink)
                return named
            case _:
                own, others = pty.openpty()
                self._stack.callback(os.close, own)
                self._stack.callback(os.close, others)
                os.write(own, b"password\n")
                return os.ttyname(others)

    def _kept(self, made: int, remove: Callable[[int], object]) -> int:
        assert made >= 0, os.strerror(ctypes.get_errno())
        self._stack.callback(remove, made)
        return made


@pytest.fixture
def objects() -> Generator[Objects]:
    with ExitStack() as stack:
        yield Objects(stack)


@CONFINED
@pytest.mark.parametrize("name", ON_AN_OBJECT)
def test_an_object_of_the_users_is_not_used(attack: Run, kind: str, name: str, objects: Objects) -> None:
    check_stopped(attack, kind, name, objects(name))


@CONFINED
def test_a_local_socket_reaches_no_server(attack: Run, kind: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "server"))
        server.listen(1)
        check_stopped(attack, kind, "socket-unix", tmp_path / "server")


@CONFINED
@pytest.mark.parametrize("name", NEEDED)
def test_what_programs_need_works(attack: Run, kind: str, name: str) -> None:
    assert attack(kind, name) == "done"
