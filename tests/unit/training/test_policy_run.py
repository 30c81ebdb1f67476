"""Which programs train a policy, which only try it, and what a run without anything to learn from says."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.config import LoadedSettings, load_settings
from assistant.engine import OptimizeOptions, Session
from assistant.engine.session import within_settings
from assistant.errors import UsageError
from assistant.training.lab import SearchLimits
from assistant.training.learning import TrainingSettings
from assistant.training.policy_run import AskedPolicy, PolicyRun
from assistant.training.programs import drawn_programs

ROWS = """\
__global__ void sums(const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; c++) sum += x[row * columns + c];
  y[row] = sum;
}
"""
SCALE = "__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 2 * x[i]; }\n"


def no_session(_memory: Path) -> Session:
    raise AssertionError("nothing is searched")


def run(tmp_path: Path, **changes: object) -> PolicyRun:
    values = {
        "out": tmp_path / "out",
        "folders": (tmp_path / "programs",),
        "leave_out": ("*.expected",),
        "drawn": 0,
        "draw_seed": 7,
        "seeds": 1,
        "settings": TrainingSettings(),
        "limits": SearchLimits(),
        "device": "cpu",
        "target": None,
        "is_searching": False,
    } | changes
    return PolicyRun(AskedPolicy(**values), no_session)  # pyright: ignore[reportArgumentType]  # fields by name


def test_a_program_with_a_kernel_of_a_held_out_family_is_never_trained_on(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("scale", SCALE), ("rows", ROWS), ("both", SCALE + ROWS), ("scale.expected", SCALE), ("none", "")):
        (programs / f"{name}.cu").write_text(f"{text}int main() {{}}\n")
    split = run(tmp_path).split()
    assert [program.name for program in split.training] == ["programs/scale"]
    assert [program.name for program in split.trial] == ["programs/both", "programs/rows"]


def test_other_families_can_be_held_out_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "rows.cu").write_text(f"{ROWS}int main() {{}}\n")
    assert run(tmp_path, held_out=("elementwise",)).split().trial == ()


async def test_a_family_that_there_is_not_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'knitting' is no family"):
        await run(tmp_path, held_out=("knitting",)).run(print)


def test_drawn_programs_are_the_same_again_and_of_as_many_structures(tmp_path: Path) -> None:
    one, again = (drawn_programs(tmp_path, seed=7, count=12) for _ in range(2))
    assert one == again
    assert len({program.name for program in one}) == 12
    assert all("int main" in program.files[0].read_text("utf-8") for program in one)


def test_the_setting_says_which_policy_and_an_option_stands_above_it(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path)
    assert within_settings(OptimizeOptions(), loaded).policy == "off"
    settings = loaded.settings.model_copy(update={"recall": loaded.settings.recall.model_copy(update={"policy": "shipped"})})
    assert within_settings(OptimizeOptions(), LoadedSettings(settings, loaded.origins, ())).policy == "shipped"
    assert within_settings(OptimizeOptions(policy="off"), LoadedSettings(settings, loaded.origins, ())).policy == "off"
