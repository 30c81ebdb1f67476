"""Smaller sizes and equal values, made from a recorded launch: one thing changes, everything else stays."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.judge.probes import integers_of, refilled, resized, with_ties
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Parameter, Span
from assistant.model.workload import CaseOrigin
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase, blob_name

PARAMETERS = tuple(
    Parameter(name, kind, Span(0, 0), kind.endswith("*"), False, False, kind[:-2] if kind.endswith("*") else None)
    for name, kind in (("out", "float *"), ("keys", "int *"), ("n", "int"), ("gain", "float"), ("flag", "int"))
)


def recorded(values: np.ndarray, element_type: str) -> NewCase:
    """A launch k(out, keys, 1000, 0.5f, 1) whose only readable buffer holds ``values``."""
    arguments = (
        RecordedArgument(8, bytes(8).hex(), (PointerField(0, 0, 0),)),
        RecordedArgument(8, bytes(8).hex(), (PointerField(0, 1, 0),)),
        RecordedArgument(4, struct.pack("<i", 1000).hex(), ()),
        RecordedArgument(4, struct.pack("<f", 0.5).hex(), ()),
        RecordedArgument(4, struct.pack("<i", 1).hex(), ()),
    )
    data = {0: bytes(16), 1: values.tobytes()}
    states = tuple(BufferState(number, blob_name(content), None) for number, content in data.items())
    launch = RecordedLaunch(0, "k", LaunchConfig(Dim3(4), Dim3(64)), arguments, states, "k.cu", 9)
    buffers = (
        RecordedBuffer(0, 16, 0, None, "device", (), "float", is_poisoned=True),
        RecordedBuffer(1, len(data[1]), 0, None, "device", (), element_type),
    )
    blobs = {blob_name(content): content for content in data.values()}
    return NewCase(Recording(buffers, (launch,), (), ()), blobs, (0,), CaseOrigin("resampled", "n=1000", 3, 1.0, 0.0))


KEYS = np.random.default_rng(1).permutation(64).astype(np.int32) + 1


def test_an_integer_argument_becomes_smaller_and_nothing_else_changes() -> None:
    case = recorded(KEYS, "int")
    made = resized(case, PARAMETERS, lambda name: None)
    assert [integers_of(probe, PARAMETERS) for probe in made] == [{"n": 999, "flag": 1}, {"n": 501, "flag": 1}]
    assert [probe.origin.shape for probe in made] == ["n=999, flag=1", "n=501, flag=1"]
    for probe in made:
        assert probe.origin.kind == "resized" and probe.origin.weight == 0.0
        assert contents_of(probe) == contents_of(case)
        assert probe.recording.launches[0].config == case.recording.launches[0].config


def test_a_small_integer_also_becomes_one_larger() -> None:
    case = recorded(KEYS, "int")
    (launch,) = case.recording.launches
    for radius, wanted in ((5, [999, 4, 501, 3, 6]), (4, [999, 3, 501]), (33, [999, 32, 501, 17])):
        arguments = (*launch.arguments[:4], RecordedArgument(4, struct.pack("<i", radius).hex(), ()))
        other = replace(case, recording=replace(case.recording, launches=(replace(launch, arguments=arguments),)))
        made = [integers_of(probe, PARAMETERS) for probe in resized(other, PARAMETERS, lambda name: None)]
        assert [one["n"] if one["n"] != 1000 else one["flag"] for one in made] == wanted, radius


def test_an_integer_that_two_blocks_share_is_not_made_larger() -> None:
    case = recorded(KEYS, "int")
    (launch,) = case.recording.launches
    arguments = (*launch.arguments[:4], RecordedArgument(4, struct.pack("<i", 2).hex(), ()))
    for blocks, is_larger in ((1, True), (2, False), (3, True), (4, False)):
        config = replace(launch.config, grid=Dim3(1, blocks))
        other = replace(case, recording=replace(case.recording, launches=(replace(launch, arguments=arguments, config=config),)))
        assert (3 in [integers_of(probe, PARAMETERS)["flag"] for probe in resized(other, PARAMETERS, lambda name: None)]) is is_larger


def test_a_number_next_to_an_array_also_becomes_as_many_as_it_holds() -> None:
    case = recorded(KEYS, "int")
    layout = layout_named("struct Taps { float c[256]; int n; };", "Taps")
    taps = Parameter("taps", "Taps", Span(0, 0), False, False, False, None)
    for count, wanted in ((64, [63, 33, 256]), (256, [255, 129])):
        argument = RecordedArgument(1028, (bytes(1024) + struct.pack("<i", count)).hex(), ())
        launch = replace(case.recording.launches[0], arguments=(argument,))
        made = resized(replace(case, recording=replace(case.recording, launches=(launch,))), (taps,), {"Taps": layout}.get)
        assert [struct.unpack("<i", bytes.fromhex(one.recording.launches[0].arguments[0].data_hex)[-4:])[0] for one in made] == wanted


def test_distinct_keys_and_values_repeat() -> None:
    for values, name in ((KEYS, "int"), (KEYS.astype(np.float32) / 3, "float")):
        tied = with_ties(recorded(values, name), seed=5)
        after = np.frombuffer(contents_of(tied)[1], values.dtype)
        assert len(after) == len(values) and set(after) < set(values) and len(set(after)) <= 8
        assert tied.origin.kind == "tied"


def test_sorted_and_small_buffers_keep_their_values() -> None:
    for values in (np.sort(KEYS), KEYS[:8]):
        case = recorded(values, "int")
        assert contents_of(with_ties(case, seed=5)) == contents_of(case)


def test_zeros_stay_where_they_are() -> None:
    values = np.where(KEYS % 2 == 0, 0, KEYS)
    after = np.frombuffer(contents_of(with_ties(recorded(values, "int"), seed=5))[1], np.int32)
    assert ((after == 0) == (values == 0)).all()


def test_memory_that_was_zero_holds_small_values_and_other_memory_is_kept() -> None:
    made = refilled(recorded(np.zeros(64, np.float32), "float"), {0: "out", 1: "keys"}, seed=5)
    assert made is not None and (made.origin.kind, made.origin.values) == ("refilled", "keys not zero")
    after = np.frombuffer(contents_of(made)[1], np.float32)
    assert after.min() >= 1 and after.max() < 8
    assert refilled(recorded(KEYS, "int"), {0: "out", 1: "keys"}, seed=5) is None
