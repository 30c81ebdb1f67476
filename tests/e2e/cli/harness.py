"""Runs the real command line in folders of its own, and sees every process that it starts.

Each test gets a memory of its own; the build cache is shared by all tests and kept between runs, as it is for users. What is built is
kept by path and content, so tests work in folders whose paths come again (``working_cli``). The test process adopts orphans
(``PR_SET_CHILD_SUBREAPER``), so a worker or an emulated program that outlives its command is found even if it left its session and its
process group.

Example::

    ended = cli.run("check", "transpose.cu", "--json")
    assert ended.code == 0 and ended.one("check")["problems"] == []
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.caches import shared_cache
from tests.deadlines import GONE_WITHIN_S, HANG_S
from tests.e2e.cli.prepared import Prepared
from tests.places import quick_folder

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
_FEWER_ELEMENTS = {
    "accumulator.cu": (": 256;", ": 32;"),
    "bank_conflicts.cu": ("n = 512", "n = 128"),
    "block_size.cu": ("1 << 20", "1 << 16"),
    "pipeline.cu": ("width = 384, height = 256", "width = 128, height = 96"),
    "row_walk.cu": ("rows = 240, cols = 400", "rows = 120, cols = 200"),
    "transpose.cu": ("width = 500, height = 300", "width = 160, height = 96"),
}
"""Emulating the elements is most of a search's work."""
CHEATS = ROOT / "tests" / "cheats"
DATA = ROOT / "tests" / "data"
NO_NETWORK = ROOT / "tests" / "network"
"""Has Python refuse to reach beyond this machine."""

COMMAND = (sys.executable, "-P", "-m", "assistant")
"""What the ``kernelopt`` script runs, for the tree that these tests are in."""
DEADLINE_S = HANG_S
_POLL_S = 0.02
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    """As a shell sees it; negative where a signal ended it."""
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """What ``--json`` printed; a line that is not strict JSON is an error."""
        return [json.loads(line, parse_constant=_refuse_constant) for line in self.out.splitlines()]

    def all(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]

    def one(self, name: str) -> dict[str, Any]:
        """The only event of that name."""
        found = self.all(name)
        assert len(found) == 1, f"{len(found)} {name} events in:\n{self.out}\n{self.err}"
        return found[0]

    @property
    def said(self) -> str:
        """Everything a person would have read."""
        return self.out + self.err


@dataclass(frozen=True)
class Alive:
    """A process that descends from the tests."""

    pid: int
    name: str
    command: str
    variables: frozenset[str]
    """Names of its environment variables."""


@dataclass
class Cli:
    """The command line with a home, a working folder and a temporary folder of its own."""

    folder: Path
    home: Path
    temporary: Path
    variables: dict[str, str] = field(default_factory=dict[str, str])
    neighbours: frozenset[int] = field(default_factory=lambda: frozenset(process.pid for process in alive()))
    """Processes that were there before it: a server may outlive the tests that share it."""
    is_loaded: bool = True
    """Whether ``run``, and what starts a language server, fork a process that has loaded everything; else each is started anew."""

    def run(
        self,
        *arguments: str | Path,
        deadline_s: float = DEADLINE_S,
        folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
        limit: Callable[[], None] | None = None,
    ) -> Ended:
        """Run to the end. ``limit``: called in the child, which is then started anew."""
        if self.is_loaded and limit is None:
            return Ended(*prepared().run([*map(str, arguments)], self.environment(variables), folder or self.folder, deadline_s))
        return finish(self.start(*arguments, folder=folder, variables=variables, limit=limit), deadline_s)

    def start(
        self,
        *arguments: str | Path,
        variables: Mapping[str, str] | None = None,
        limit: Callable[[], None] | None = None,
        folder: Path | None = None,
    ) -> subprocess.Popen[str]:
        """Start without waiting; its own process group, no terminal."""
        return subprocess.Popen(
            (*COMMAND, *map(str, arguments)),
            cwd=folder or self.folder,
            env=self.environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            preexec_fn=lambda: _prepare(limit),
        )

    def environment(self, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KERNELOPT_", "PYTEST_"))}
        own = {
            "KERNELOPT_HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": _python_path(),
            "COLUMNS": "80",
            "PYTHONDONTWRITEBYTECODE": "",  # compiled once, next to the sources, as where it is installed
        }
        return kept | own | self.variables | dict(variables or {})

    def write(self, name: str, text: str) -> Path:
        """A source in the working folder."""
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    def example(self, name: str) -> Path:
        """A copy of an example in the working folder."""
        return self.write(name, (EXAMPLES / name).read_text("utf-8"))

    def small(self, name: str) -> Path:
        """An example in the working folder, with fewer elements: for tests that are not about their number."""
        return self.write(name, small_text(name))

    def quick(self) -> Path:
        """The transpose with a workload in place of ``main()``: for tests in which a search is only a means.

        What is found may depend on the declared block: ``--accept best-predicted`` leaves it to a person.
        """
        return self.write("transpose.cu", quick_text())

    def with_new_memory(self) -> Cli:
        """Works in the same folder and has seen nothing of it."""
        home = self.home.with_name("other-home")
        home.mkdir()
        (home / "cache").symlink_to(shared_cache())
        return replace(self, home=home)

    def open_proposals(self) -> list[dict[str, Any]]:
        return self.run("proposals", "--json").events

    def left_running(self) -> list[Alive]:
        """What is still alive of what was started since, after it had time to end; empty is right."""
        return wait_until_gone(self.neighbours)

    def left_behind(self) -> list[str]:
        """What the command left in the temporary folder."""
        return sorted(path.name for path in self.temporary.iterdir())


def small_text(name: str) -> str:
    """An example with fewer elements, line for line the same."""
    text, (many, few) = (EXAMPLES / name).read_text("utf-8"), _FEWER_ELEMENTS[name]
    assert many in text
    return text.replace(many, few)


def quick_text() -> str:
    """A kernel that has one edit to be found and is judged on one shape; nothing of a program is run again and again.

    Its lines are those of the example, up to the end of the kernel.
    """
    kernel = small_text("transpose.cu").partition("int main()")[0]
    return kernel.replace("#include", "// no #include").replace("blockDim.x", "32").replace("blockDim.y", "32") + _ONE_SHAPE


_ONE_SHAPE = """\
/* kernelopt
[workload.transpose]
args     = { out = "empty(width*height)", in = "randn(width*height)", width = "width", height = "height" }
grid     = ["ceil(width/32)", "ceil(height/32)"]
block    = [32, 32]
shapes   = [{ width = 160, height = 96 }]
boundary = false
*/
"""


def finish(process: subprocess.Popen[str], deadline_s: float = DEADLINE_S) -> Ended:
    """Wait for the end; a command that does not come to one is killed and named."""
    try:
        out, err = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"no end after {deadline_s:.0f} s: {process.args}\n{out}\n{err}") from None
    return Ended(process.returncode, out, err)


def make_cli(folder: Path) -> Cli:
    """A command line below ``folder`` that shares the tests' build cache."""
    (folder / "work").mkdir()
    return _cli_in(folder / "work", folder)


@contextlib.contextmanager
def working_cli(folder: Path, place: str = "test") -> Generator[Cli]:
    """As ``make_cli``, but what it works in has a path that comes again: what one test built of an example, the next need not.

    Afterwards it is found as ``folder / "work"``. ``place``: another one while a first is in use.
    """
    work = _own_places() / place
    assert not work.exists(), f"{place} is in use"
    work.mkdir()
    try:
        yield _cli_in(work, folder)
    finally:
        shutil.move(work, folder / "work")


def _cli_in(work: Path, folder: Path) -> Cli:
    prepared()  # there before any test looks at what it started
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    (folder / "home" / "cache").symlink_to(shared_cache())
    return Cli(work, folder / "home", folder / "tmp")


def _python_path() -> str:
    """This tree and what forbids the network before all else; behind them where the packages may be on a machine without an environment."""
    found = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join((str(ROOT), str(NO_NETWORK), *filter(None, found.split(os.pathsep))))


@cache
def prepared() -> Prepared:
    """This test process's, for as long as it lives; what it forks becomes a child of this process."""
    adopt_orphans()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KERNELOPT_", "PYTEST_"))}
    return Prepared(environment | {"PYTHONPATH": _python_path()})


@cache
def _own_places() -> Path:
    """An empty folder that is this process's until it ends; the next process gets the same one."""
    parent = quick_folder() / f"kernelopt-e2e-work-{os.getuid()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    for number in itertools.count():
        lock = os.open(parent / f"{number}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        folder = parent / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder
    raise AssertionError


def adopt_orphans() -> None:
    """From now on a process whose parent ends becomes a child of this one."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


_TEST_RUNNERS_OWN = "multiprocessing.resource_tracker"
"""Lives as long as the test process once any test in it has used multiprocessing; nothing of the command line starts one."""


def alive(ancestor: int | None = None, *, but_below: frozenset[int] = frozenset()) -> list[Alive]:
    """Every process that descends from ``ancestor`` (None: this one), except those that have ended already, and those of ``but_below``
    with all that descends from them."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
                state, parent = rest.split()[:2]
                if state not in "ZX":
                    parents[int(entry.name)] = (int(parent), name)
    ancestors = {pid: _ancestors(pid, parents) for pid in parents}
    found = [
        _alive(pid, parents[pid][1])
        for pid, above in ancestors.items()
        if (ancestor or os.getpid()) in above and but_below.isdisjoint((pid, *above))
    ]
    return [process for process in found if _TEST_RUNNERS_OWN not in process.command and not _is_own_guard(process, parents)]


def _is_own_guard(process: Alive, parents: Mapping[int, tuple[int, str]]) -> bool:
    """Started by a test that builds in its own process, which keeps what starts compilers until it ends. The guard of a command that has
    ended would have this process as its parent as well, but the command's session."""
    if "assistant.worker.guard" not in process.command or parents[process.pid][0] != os.getpid():
        return False
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(process.pid) == os.getsid(0)
    return True


def wait_until_gone(before: frozenset[int]) -> list[Alive]:
    """What is still alive after everything had time to end, except for those of ``before`` and what they started; empty is right."""
    deadline = time.monotonic() + GONE_WITHIN_S
    while True:
        left = alive(but_below=before)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(_POLL_S)


def wait_for(what: Callable[[Alive], bool], process: subprocess.Popen[str]) -> Alive:
    """The command's first descendant that fits; fails when it ends without one."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        for found in alive(process.pid):
            if what(found):
                return found
        time.sleep(_POLL_S)
    ended = finish(process, deadline_s=1)
    raise AssertionError(f"the phase never came: {ended.code}\n{ended.said}")


@contextlib.contextmanager
def no_orphans() -> Generator[None]:
    """Fails if anything that was started inside is alive at the end; kills it, too."""
    prepared()  # runs commands of later tests, too
    before = frozenset(process.pid for process in alive())  # a server that tests share goes on working
    yield
    left = wait_until_gone(before)
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    assert not left, f"still alive: {[(process.pid, process.command[:200]) for process in left]}"


def _prepare(limit: Callable[[], None] | None) -> None:
    """In the child: Ctrl-C works even where the tests run in a shell's background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if limit is not None:
        limit()


def _alive(pid: int, name: str) -> Alive:
    folder = Path("/proc", str(pid))
    command, variables = b"", b""
    with contextlib.suppress(OSError):
        command = (folder / "cmdline").read_bytes()
        variables = (folder / "environ").read_bytes()
    names = frozenset(item.partition(b"=")[0].decode("utf-8", "replace") for item in variables.split(b"\0"))
    return Alive(pid, name, command.replace(b"\0", b" ").decode("utf-8", "replace"), names)


def _ancestors(pid: int, parents: Mapping[int, tuple[int, str]]) -> list[int]:
    found: list[int] = []
    while pid in parents:
        pid = parents[pid][0]
        found.append(pid)
    return found


def _refuse_constant(name: str) -> float:
    raise AssertionError(f"{name} is no JSON number")
