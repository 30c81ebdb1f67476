"""Who computes for a candidate, as its own process counts it."""

from __future__ import annotations

import importlib.util
import threading

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="what is counted are PyTorch's functions")


def test_functions_that_compute_are_counted_in_every_thread_that_is_begun_meanwhile() -> None:
    import torch

    from assistant.torch_worker.side.watching import computing_calls

    x, before = torch.ones(3), threading.Thread.start
    with computing_calls() as counts:
        torch.softmax(x, -1)
        thread = threading.Thread(target=lambda: (x + 1.0).reshape(1, 3))
        thread.start()
        thread.join()
    torch.softmax(x, -1)
    assert dict(counts) == {"_softmax": 1, "add": 1}, "what is afterwards, and what computes nothing, does not count"
    assert threading.Thread.start is before
