"""Arrays as a recording, and what a run left put back into them."""

from pathlib import Path

import numpy as np

from assistant.live.binding import Bound, bind
from assistant.live.snapshot import regions_of, restore, write_launch
from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.recordings import RecordingReader
from tests.unit.live.test_binding import SCALE, signature

CONFIG = LaunchConfig(Dim3(2), Dim3(64), 0)


def check(folder: Path, bound: Bound) -> RecordingReader:
    """The recording that is read back is the one that was written."""
    written = write_launch(folder, bound, CONFIG, "/nb.ipynb.k.cu")
    reader = RecordingReader(folder)
    assert reader.recording == written
    return reader


def test_contents_types_and_arguments_of_a_launch_are_recorded(tmp_path: Path) -> None:
    x, out = np.arange(3_000_000, dtype=np.float32), np.zeros(3_000_000, np.float32)
    reader = check(tmp_path / "launch", bind(SCALE, {"out": out, "x": x, "n": x.size}))
    launch = reader.recording.launches[0]
    by_parameter = {p.name: a for p, a in zip(SCALE.parameters, launch.arguments, strict=True)}
    states = {state.buffer: state.before for state in launch.buffers}
    assert reader.blob(states[by_parameter["x"].pointers[0].buffer]) == x.tobytes()
    assert {buffer.element_type for buffer in reader.recording.buffers} == {"float"}
    assert launch.kernel == "k(float*, float const*, int)" and launch.config == CONFIG
    assert by_parameter["n"].data_hex == x.size.to_bytes(4, "little").hex()


def test_views_of_the_same_array_are_one_buffer(tmp_path: Path) -> None:
    whole = np.arange(16, dtype=np.float32)
    bound = bind(SCALE, {"out": whole, "x": whole[4:8], "n": 4})
    reader = check(tmp_path / "views", bound)
    assert [buffer.size_bytes for buffer in reader.recording.buffers] == [64]
    assert [a.pointers[0].buffer_offset_bytes for a in reader.recording.launches[0].arguments if a.pointers] == [0, 16]


def test_halves_that_overlap_are_one_buffer_of_unknown_type_where_their_types_differ(tmp_path: Path) -> None:
    whole = np.arange(16, dtype=np.float32)
    of = signature("float *a, const int *b")
    reader = check(tmp_path / "halves", bind(of, {"a": whole[:12], "b": whole[8:].view(np.int32)}))
    assert [(buffer.size_bytes, buffer.element_type) for buffer in reader.recording.buffers] == [(64, None)]
    assert reader.blob(reader.recording.launches[0].buffers[0].before) == whole.tobytes()


def test_what_a_run_left_is_put_back_and_read_only_arrays_stay(tmp_path: Path) -> None:
    x, out = np.ones(2_000_000, np.float32), np.zeros(2_000_000, np.float32)
    x.flags.writeable = False
    bound = bind(SCALE, {"out": out, "x": x, "n": 1})
    left = tmp_path / "left"
    left.write_bytes(np.full(out.size, 7, np.float32).tobytes())
    restore(regions_of(bound), [(region.id, left) for region in regions_of(bound)])
    assert (out == 7).all() and (x == 1).all()


def test_equal_bytes_are_not_written_again(tmp_path: Path) -> None:
    out = np.full(4, np.nan, np.float32)
    bound = bind(signature("float *out"), {"out": out})
    left = tmp_path / "left"
    left.write_bytes(out.tobytes())
    restore(regions_of(bound), [(0, left)])
    assert np.isnan(out).all()
