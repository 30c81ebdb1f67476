"""A candidate on a GPU may do what CUDA's driver needs, and reaches no other process by it."""

from __future__ import annotations

import sys
from pathlib import Path

from assistant.worker.child import Bounds, Command, run_child
from assistant.worker.sandbox import confine_to_gpu

SCRIPT = """
import errno, socket
def outcome_of(act):
    try:
        act()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def name_thread():
    with open("/proc/self/task/%d/comm" % __import__("os").getpid(), "w") as file:
        file.write("worker")
local = socket.socket(socket.AF_UNIX)
print(outcome_of(lambda: local.bind("\\0kernelopt-test")))
print(outcome_of(lambda: local.connect("\\0nobody")))
print(outcome_of(lambda: socket.socket(socket.AF_INET)))
print(outcome_of(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "\\0nobody")))
print(outcome_of(name_thread))
print(outcome_of(lambda: open("/proc/self/oom_score_adj", "w").write("0")))
"""


def test_local_sockets_can_be_made_and_connected_to_nothing(tmp_path: Path) -> None:
    command = Command((sys.executable, "-c", SCRIPT), tmp_path, {})
    with confine_to_gpu((tmp_path,)) as confinement:
        outcome = run_child(command, Bounds(wall_s=20), tmp_path / "out", tmp_path / "err", confinement)
    assert outcome.exit_status == 0, (tmp_path / "err").read_text()
    bind, connect, inet, send, thread, score = (tmp_path / "out").read_text().split()
    layers = {name.partition(":")[0] for name in confinement.layers.in_force}
    if "system calls" in layers:
        assert (bind, connect, inet, send) == ("done", "EPERM", "EPERM", "EPERM")
    if "files" in layers:
        assert (thread, score) == ("done", "EACCES")
    assert {"system calls", "files"} <= layers or confinement.layers.missing
