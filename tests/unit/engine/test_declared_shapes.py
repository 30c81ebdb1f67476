"""Cases that a workload block declares."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.evaluate.cases import declared_cases
from assistant.engine.evaluate.judged_case import Effort
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.model.build import Flags

GATHER = """\
/* kernelopt
[workload.gather]
shapes = [{ rows = 40, cols = 9 }]
args   = { y = "zeros(rows)", col = "randint(0, cols - 1, rows)", x = "randn(cols)", rows = "rows" }
grid   = ["ceil(rows/32)"]
block  = [32]
*/
__global__ void gather(float *y, const int *col, const float *x, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) y[i] = x[col[i]];
}
"""
EFFORT = Effort(seeds=(1, 2, 3), repeats=1, mode="check", with_boundary=True, is_confirming=True)


def test_a_boundary_shape_at_which_the_generators_draw_nothing_is_none(tmp_path: Path) -> None:
    source = tmp_path / "gather.cu"
    source.write_text(GATHER)
    version = read_version(JobRequest(source, tmp_path), Flags())
    shapes = {case.new.origin.shape for case in declared_cases(version, version.declared[0], EFFORT)}
    assert "rows=40, cols=9" in shapes and len(shapes) > 5
    assert not any(shape.endswith("cols=1") for shape in shapes)
