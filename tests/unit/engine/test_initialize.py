"""The block that ``kernelopt init`` starts a person with, and when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.initialize import initialized
from assistant.errors import CannotAnswerError, UsageError
from assistant.workload.blocks import find_blocks

SCALE = "__global__ void scale(float *out, const float *x, int n)\n{\n    out[threadIdx.x] = x[threadIdx.x];\n}\n"
SHIFT = SCALE.replace("scale", "shift")
HEAD = "#include <cuda.h>\n\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "k.cu"


def test_the_block_stands_before_its_kernel_and_nothing_else_changes(path: Path) -> None:
    path.write_text(HEAD + SCALE + SHIFT)
    made = initialized(path, "shift")
    assert (made.path, made.names, made.unfilled) == (path, ("shift",), ())
    before, block, after = made.text.partition(made.block.rstrip())
    assert (before, after) == (HEAD + SCALE, f"\n\n{SHIFT}")
    assert "[workload.shift]" in block and len(find_blocks(made.text)) == 1
    made.write()
    assert path.read_text() == made.text


def test_the_only_kernel_need_not_be_named(path: Path) -> None:
    path.write_text(SCALE)
    assert initialized(path, None).names == ("scale",)


def test_every_kernel_gets_a_block_where_none_is_named(path: Path) -> None:
    path.write_text(HEAD + SCALE + "struct P { float x; };\n" + SCALE.replace("scale(float", "points(P") + SHIFT)
    made = initialized(path, None)
    assert made.names == ("scale", "shift")
    assert made.left_out[0].startswith("a workload block cannot hold out (P *) of points")
    assert [made.text.index("[workload.scale]") < made.text.index("scale(float"), len(find_blocks(made.text))] == [True, 2]


def test_types_behind_other_names_are_known(path: Path) -> None:
    head = "typedef float real;\nusing number = real;\n#define COUNT int\n"
    path.write_text(head + SCALE.replace("float *out, const float *x, int n", "real *out, const number *x, COUNT n"))
    made = initialized(path, None)
    assert (made.names, made.left_out) == (("scale",), ())
    assert 'x = "randn(' in made.block


def test_an_array_that_is_only_read_is_not_called_written(path: Path) -> None:
    path.write_text(SCALE.replace("const float *x", "float *x").replace("out[threadIdx.x] =", "out[threadIdx.x] +="))
    block = initialized(path, None).block
    written = {line.partition(" = ")[0] for line in block.splitlines() if "read and written" in line}
    assert written == {"out"}


@pytest.mark.parametrize(("text", "selector"), [(SCALE, "shift"), (HEAD, None)])
def test_a_kernel_that_is_not_there_gets_no_block(path: Path, text: str, selector: str | None) -> None:
    path.write_text(text)
    with pytest.raises(UsageError, match=r"^.*has no kernel that could be meant") as raised:
        initialized(path, selector)
    assert "--kernel" in (raised.value.remedy or "") and ("none" in (raised.value.remedy or "")) is (text == HEAD)


def test_a_block_that_is_there_is_not_written_again(path: Path) -> None:
    path.write_text(SCALE)
    initialized(path, None).write()
    with pytest.raises(UsageError, match=r"^.*already declares a workload"):
        initialized(path, None)


def test_arrays_of_structures_cannot_be_declared(path: Path) -> None:
    path.write_text("struct P { float x; };\n" + SCALE.replace("const float *x", "const P *x, P *more"))
    with pytest.raises(CannotAnswerError, match=r"^.*cannot hold x \(const P \*\) and more \(P \*\) of scale"):
        initialized(path, None)


def test_what_a_person_must_fill_in_is_listed(path: Path) -> None:
    path.write_text("struct P { float x; };\ntemplate <typename T> " + SCALE.replace("float *out", "T *out, const T by, P p"))
    (left,) = initialized(path, None).unfilled
    assert left.startswith("p = 0 is a placeholder for a P: ")
