"""What waits for what: streams, events, waits of the host, default streams, graphs."""

from __future__ import annotations

from assistant.model.recording import DeviceStep, Recording
from assistant.workload.stream_order import needs_in_order

KINDS = ("legacy", "blocking", "blocking", "non_blocking")


def work(stream: int, kind: str = "fill", is_waited: bool = False, is_pinned: bool | None = None) -> DeviceStep:
    return DeviceStep(kind, stream=stream, size_bytes=4, is_waited=is_waited, is_pinned=is_pinned)


def record(stream: int, event: int = 1) -> DeviceStep:
    return DeviceStep("record", stream=stream, event=event)


def awaits(stream: int, event: int = 1) -> DeviceStep:
    return DeviceStep("await", stream=stream, event=event)


def order(*steps: DeviceStep) -> tuple[tuple[int, ...], ...] | None:
    return needs_in_order(Recording((), (), (), (), steps=steps, stream_kinds=KINDS))


def test_streams_run_beside_each_other_and_an_event_joins_them() -> None:
    assert order(work(1), work(2), record(1), awaits(2), work(2), work(1)) == ((), (), (0, 1), (0,))


def test_an_event_that_was_never_recorded_holds_nothing_up() -> None:
    assert order(work(1), awaits(2), work(2)) == ((), ())


def test_the_default_stream_waits_for_blocking_streams_and_they_for_it() -> None:
    assert order(work(1), work(2), work(0), work(1)) == ((), (), (0, 1), (2,))
    assert order(work(3), work(0), work(3)) == ((), (), (0,))


def test_the_host_waits_for_a_stream_an_event_or_all() -> None:
    assert order(work(1), work(2), DeviceStep("wait", stream=1), work(3)) == ((), (), (0,))
    assert order(work(1), record(1), work(1), DeviceStep("wait", event=1), work(3)) == ((), (0,), (0,))
    assert order(work(1), work(2), DeviceStep("wait"), work(3)) == ((), (), (0, 1))
    assert order(work(1), work(2), DeviceStep("free"), work(3)) == ((), (), (0, 1))


def test_a_copy_that_the_host_waits_for_or_that_is_staged_holds_up_what_comes_next() -> None:
    assert order(work(1, is_waited=True), work(2)) == ((), (0,))
    assert order(work(1, "copy_to_device", is_pinned=False), work(2)) == ((), (0,))
    assert order(work(1, "copy_to_device", is_pinned=True), work(2)) == ((), ())


def test_what_follows_from_others_is_left_out() -> None:
    assert order(work(1), work(1), record(1), DeviceStep("wait", stream=1), awaits(2), work(2)) == ((), (0,), (1,))


def test_a_graphs_steps_wait_for_those_that_they_need() -> None:
    nodes = [DeviceStep("node"), work(1), DeviceStep("node", needs=(0,)), work(2), DeviceStep("node", needs=(0,)), work(1)]
    graph = [DeviceStep("graph", stream=3), *nodes, DeviceStep("graph_end", stream=3)]
    assert order(work(3), *graph, work(3)) == ((), (0,), (1,), (1,), (2, 3))


def test_without_events_and_waits_nothing_is_known() -> None:
    assert needs_in_order(Recording((), (), (), (), steps=(work(1),), are_waits_seen=False)) is None
