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
    """As an assessment: one instance of each kernel, launched once, and what else there is."""

    def __init__(self, instance: str, threads: int, *others: _Launched) -> None:
        self.others = others
        self.instance = instance
        self.launches = (self,)
        self.profile = self
        self.config = LaunchConfig(Dim3(4), Dim3(threads))

    def of(self, kernel: object) -> tuple[_Launched, ...]:
        return (self, *self.others)


@pytest.mark.parametrize(
    ("bound", "threads", "limit"),
    [("128", 128, 128), ("128", 256, None), ("DIM", 64, 64), ("2 * DIM", 100, 128), ("DIM", 65, None), ("other()", 32, None)],
)
def test_a_bound_is_known_by_what_the_instance_is_made_with(tmp_path: Path, bound: str, threads: int, limit: int | None) -> None:
    found = bounds(tmp_path, bound, _Launched("void k<64>(float*)", threads))
    assert found == (() if limit is None else (("k", limit),))


@pytest.mark.parametrize(
    ("others", "limit"),
    [
        ([("void k<128>(float*)", 32)], 64),
        ([("void k<32>(float*)", 32)], 32),
        ([("void k<32>(float*)", 64)], None),
        ([("void k<N>(float*)", 32)], None),
    ],
)
def test_of_several_instances_the_least_bound_counts_where_all_are_known(
    tmp_path: Path, others: list[tuple[str, int]], limit: int | None
) -> None:
    found = bounds(tmp_path, "DIM", _Launched("void k<64>(float*)", 32, *(_Launched(*other) for other in others)))
    assert found == (() if limit is None else (("k", limit),))


def bounds(folder: Path, bound: str, launched: _Launched) -> tuple[tuple[str, int], ...]:
    path = folder / "a.cu"
    path.write_text(f"template <int DIM> __global__ void __launch_bounds__({bound}) k(float *x) {{ x[0] = DIM; }}\nint main() {{}}\n")
    version = read_version(JobRequest(path, folder), choose_flags(command_line=None, project=None, database=None))
    return kept_bounds(version, launched)  # pyright: ignore[reportArgumentType]
