"""What was recorded in a process, made a recording by the capture worker. Recording itself needs a GPU: ``tests/gpu``."""

from __future__ import annotations

from pathlib import Path

from assistant.lab.recorder import LaunchRecorder
from assistant.model.recording import Recording
from assistant.ports.lab import LabFailure

LOG = (
    "buffer 0 4096 4 device factor -",
    "launch 0 _Z5scalePf 2 1 1 32 1 1 0 0 -",
    "argument 8 0010000000000000",
    "before 0 aa",
    "skipped 1 _ZN2at6native 2 1 1 32 1 1 0 it%20is%20a%20library%27s%20own%20kernel",
)


async def test_a_log_is_moved_and_read_with_the_types_of_the_texts(tmp_path: Path) -> None:
    raw = tmp_path / "raw/0"
    (raw / "blobs").mkdir(parents=True)
    (raw / "blobs/aa").write_bytes(b"1234")
    (raw / "log").write_text("\n".join(LOG))
    recorder = LaunchRecorder(tmp_path, tmp_path / "cache")
    recording = await recorder.collect(tmp_path / "raw", tmp_path / "recording", ("__constant__ float factor;",))
    nothing = await recorder.collect(tmp_path / "missing", tmp_path / "other", ())
    await recorder.close()
    assert isinstance(recording, Recording)
    assert [launch.kernel for launch in recording.launches] == ["scale(float*)"]
    assert recording.buffers[0].element_type == "float"
    assert "it is a library's own kernel" in recording.not_captured[0]
    assert isinstance(nothing, LabFailure) and "missing" in nothing.message
    assert not (tmp_path / "raw").exists() and len(list((tmp_path / "recording/blobs").iterdir())) == 1
