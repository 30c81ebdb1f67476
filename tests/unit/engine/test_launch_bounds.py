"""Bounds that launches keep, those of templates too."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.flags import choose_flags
from assistant.engine.evaluate.label_facts import kept_bounds
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.model.launch import Dim3, LaunchConfig


class _Launched:
    """As an assessment: one instance of each kernel, launched once."""

    def __init__(self, instance: str, threads: int) -> None:
        self.instance = instance
        self.launches = (self,)
        self.profile = self
        self.config = LaunchConfig(Dim3(4), Dim3(threads))

    def of(self, kernel: object) -> tuple[_Launched, ...]:
        return (self,)


@pytest.mark.parametrize(
    ("bound", "threads", "limit"),
    [("128", 128, 128), ("128", 256, None), ("DIM", 64, 64), ("2 * DIM", 100, 128), ("DIM", 65, None), ("other()", 32, None)],
)
def test_a_bound_is_known_by_what_the_instance_is_made_with(tmp_path: Path, bound: str, threads: int, limit: int | None) -> None:
    path = tmp_path / "a.cu"
    path.write_text(f"template <int DIM> __global__ void __launch_bounds__({bound}) k(float *x) {{ x[0] = DIM; }}\nint main() {{}}\n")
    version = read_version(JobRequest(path, tmp_path), choose_flags(command_line=None, project=None, database=None))
    found = kept_bounds(version, _Launched("void k<64>(float*)", threads))  # pyright: ignore[reportArgumentType]
    assert found == (() if limit is None else (("k", limit),))
