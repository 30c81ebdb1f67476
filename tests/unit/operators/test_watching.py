"""Who computes for a candidate, as its own process counts it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="what is counted are PyTorch's functions")


@pytest.mark.parametrize("is_of_launcher", [False, True])
def test_functions_that_compute_are_counted_in_every_thread_that_is_begun_meanwhile(is_of_launcher: bool) -> None:
    import torch

    from assistant.torch_worker.side.watching import computing_calls

    x, before = torch.ones(3), threading.Thread.start
    with computing_calls(is_of_launcher=is_of_launcher) as counts:
        torch.softmax(x, -1)
        thread = threading.Thread(target=lambda: (x + 1.0).reshape(1, 3))
        thread.start()
        thread.join()
    torch.softmax(x, -1)
    assert dict(counts) == {"_softmax": 1, "add": 1}, "what is afterwards, and what computes nothing, does not count"
    assert threading.Thread.start is before


def test_a_launcher_is_watched_without_what_compiles_pytorch() -> None:
    """It takes as long to import as PyTorch itself, for every version that is judged."""
    program = """
import sys, torch
from assistant.torch_worker.side.watching import Fingerprint, computing_calls
torch.set_deterministic_debug_mode("warn")
fingerprint = Fingerprint()
with computing_calls(is_of_launcher=True) as counts:
    torch.relu(torch.ones(3))
assert dict(counts) == {"relu": 1}
print("torch._dynamo" in sys.modules)
import torch._dynamo
print(fingerprint.changed())
"""
    ended = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == ["False", "[]"], ended.stderr
