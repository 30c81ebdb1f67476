"""Which source a cell is, by its id and its text, in this process and after it."""

from __future__ import annotations

from pathlib import Path

from assistant.model.source import Source
from jupyter_ext.cells import cell_of
from jupyter_ext.lineage import Lineages, Remembered

NOTEBOOK = Path("/w/lab.ipynb")
HALVE = """\
__global__ void k(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / 2;
}
"""
EDITED = HALVE.replace("x[i] / 2", "0.5f * x[i]")
SUM = """\
__global__ void k(double *total, const double *values) {
  __shared__ double part[64];
  for (int s = 32; s; s >>= 1) part[s] += values[s];
}
"""
NOTHING = Remembered(frozenset(), ())


class Notebook:
    """Cells of one notebook, and what memory knows by their names."""

    def __init__(self, **memory: Remembered) -> None:
        self._memory = memory
        self.lineages = Lineages(self.remembered)

    def remembered(self, path: Path) -> Remembered:
        return self._memory.get(self.short(path).replace("-", "_"), NOTHING)

    def run(self, text: str, cell_id: str | None, line: str = "") -> str:
        return self.short(self.lineages.placed(cell_of(f"%%kernelopt {line}\n{text}", NOTEBOOK, cell_id), NOTEBOOK).path)

    @staticmethod
    def short(path: Path) -> str:
        return path.name.removeprefix("lab.ipynb.").removesuffix(".cu")


def test_a_cell_stays_its_source_however_it_is_edited() -> None:
    notebook = Notebook()
    assert [notebook.run(text, "a") for text in (HALVE, EDITED, SUM, HALVE)] == ["k"] * 4


def test_another_cell_with_a_kernel_of_that_name_is_another_source() -> None:
    notebook = Notebook()
    assert [notebook.run(text, cell) for text, cell in ((HALVE, "a"), (SUM, "b"), (EDITED, "a"), (EDITED, "c"))] == ["k", "k-2", "k", "k"]


def test_a_copy_is_its_original_until_one_of_both_is_edited() -> None:
    notebook = Notebook()
    ran = [notebook.run(text, cell) for text, cell in ((HALVE, "a"), (HALVE, "b"), (EDITED, "b"), (HALVE, "a"), (SUM, "a"))]
    assert ran == ["k", "k", "k-2", "k", "k"]


def test_where_no_front_end_says_which_cell_runs_its_text_does() -> None:
    notebook = Notebook()
    assert [notebook.run(text, None) for text in (HALVE, SUM, EDITED, SUM)] == ["k", "k-2", "k", "k-2"]


def test_a_restarted_kernel_finds_its_sources_by_hash_by_text_or_by_likeness() -> None:
    hashed = Remembered(frozenset({Source(NOTEBOOK, SUM).sha256}), ())
    notebook = Notebook(k=Remembered(frozenset(), (HALVE,)), k_2=hashed)
    assert [notebook.run(text, cell) for text, cell in ((SUM, "b"), (EDITED, "a"))] == ["k-2", "k"]
    another = Notebook(k=Remembered(frozenset(), (HALVE,)))
    assert another.run(SUM, "c") == "k-2"


def test_what_memory_knows_by_its_name_alone_is_taken_for_the_cell() -> None:
    assert Notebook(k=Remembered(frozenset({"0" * 64}), ())).run(HALVE, "a") == "k"


def test_one_text_is_another_source_for_each_kernel_that_a_line_names() -> None:
    """In one cell, in a copy of it, and where no front end tells cells apart: each kernel is judged on its own launches."""
    notebook, both = Notebook(), HALVE + SUM.replace(" k(", " total(")
    for cell in ("a", "b", None):
        ran = [notebook.run(both, cell, line) for line in ("k --block 64", "total<8> --block 64", "--block 64", "nosuch --block 64")]
        assert ran == ["k", "total", "k", "k"], cell
