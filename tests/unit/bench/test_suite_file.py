"""``suite.toml``: what its rows mean, and what is said of one that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.suite_file import read_suite
from assistant.errors import UsageError

ROW = """[[program]]
name = "scale"
files = ["scale.cu"]
parameters = ["n", "steps"]
sizes = [[8, 2], [64, 2]]
arithmetic = "double"
bytes = "8*n"
step_bytes = "8*n*steps"
operations = "n*steps"
derivation = "x read"
"""


def written(folder: Path, text: str) -> Path:
    (folder / "scale.cu").write_text("int main() {}\n")
    path = folder / "suite.toml"
    path.write_text(text)
    return path


def test_a_row_has_sizes_and_what_the_algorithm_needs_at_each(tmp_path: Path) -> None:
    (program,) = read_suite(written(tmp_path, ROW))
    needed = program.requirements(program.sizes[1])
    assert (program.name, program.files, program.sizes) == ("scale", ("scale.cu",), ((8, 2), (64, 2)))
    assert needed is not None
    assert (needed.size_bytes, needed.step_bytes, needed.operation_count, needed.arithmetic) == (512.0, 1024.0, 128.0, "double")


def test_a_row_without_bytes_has_no_requirements(tmp_path: Path) -> None:
    (program,) = read_suite(written(tmp_path, '[[program]]\nname = "scale"\nfiles = ["scale.cu"]\n'))
    assert program.sizes == ((),) and program.requirements(()) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[program]", "cannot be read"),
        ("", "program: Field required"),
        (ROW + 'colour = "red"\n', "program.0.colour: Extra inputs"),
        (ROW.replace('"double"', '"quarter"'), "program.0.arithmetic"),
        (ROW + ROW, "two programs are called scale"),
        (ROW.replace('"scale.cu"', '"gone.cu"'), "there is no file gone.cu"),
        (ROW.replace('"scale.cu"', '"../scale/scale.cu"'), "there is no file|not below"),
        (ROW.replace("[64, 2]", "[64]"), r"the size \[64\] has not one value"),
        (ROW.replace('"8*n"', '"8*m"'), "scale: a formula speaks of 'm'"),
        (ROW.replace('"scale"', '"../scale"'), "program.0.name"),
    ],
)
def test_one_that_cannot_be_used_is_refused_with_the_reason(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_suite(written(tmp_path, text))


def test_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_suite(tmp_path / "suite.toml")
