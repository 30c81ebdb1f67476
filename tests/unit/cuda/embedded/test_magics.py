"""Cell magics: which cells are CUDA, what their arguments are, and where the text begins."""

from __future__ import annotations

import pytest

from assistant.cuda.embedded.find import find_embedded
from assistant.model.embedded import Container, EmbeddedText, EmbeddingKind, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span

K = EmbeddingKind


@pytest.mark.parametrize(
    ("cell", "kind", "arguments", "text"),
    [
        ("%%kernelopt k --grid 1,1\nT\n", K.KERNELOPT_MAGIC, "k --grid 1,1", "T\n"),
        ("%%cu\nT", K.CU_MAGIC, "", "T"),
        ("\n \r\n%%cuda --name a.cu \r\nT\r\nU", K.CUDA_MAGIC, "--name a.cu", "T\r\nU"),
        ("%%writefile k.cu\n// 😀 計\n", K.WRITEFILE_MAGIC, "k.cu", "// 😀 計\n"),
        ('%%writefile -a "my kernels/k.cuh"\nT', K.WRITEFILE_MAGIC, '-a "my kernels/k.cuh"', "T"),
        ("%%file k.cu\nT", K.WRITEFILE_MAGIC, "k.cu", "T"),
        ("%%cu", K.CU_MAGIC, "", ""),
        ("%%cu\n", K.CU_MAGIC, "", ""),
    ],
)
def test_a_cuda_cell_is_found(cell: str, kind: EmbeddingKind, arguments: str, text: str) -> None:
    (found,) = find_embedded(cell, Container.NOTEBOOK_CELL)
    assert isinstance(found, EmbeddedText)
    assert (found.kind, found.arguments, found.text) == (kind, arguments, text)
    assert cell[found.use.start : found.use.end].strip() == cell.strip().splitlines()[0].strip()
    assert found.to_container(0) == len(cell) - len(text)
    assert found.span_to_container(Span(0, len(text))) == Span(len(cell) - len(text), len(cell))
    assert found.to_embedded(len(cell)) == len(text)
    assert found.to_embedded(found.use.start) in (None, 0)


@pytest.mark.parametrize(
    "cell",
    [
        "%%bash\ncp.RawKernel('T')",
        "%%writefile k.txt\nT",
        "%%cu?\nT",
        "%%cu\t-n\nT",
        "# note\n%%cu\nT",
        "%%",
        "%%curl x\nT",
        "%%writefile\nT",
    ],
)
def test_other_cells_are_not(cell: str) -> None:
    assert find_embedded(cell, Container.NOTEBOOK_CELL) == ()


def test_a_magic_is_nothing_special_in_a_file() -> None:
    assert find_embedded("%%cu\nT", Container.PYTHON_FILE) == ()


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%writefile a.py"])
def test_strings_are_found_below_a_magic_whose_cell_is_python(magic: str) -> None:
    cell = f"{magic} it's\nk = cp.RawKernel('T', 'k')" if magic == "%%time" else f"{magic}\nk = cp.RawKernel('T', 'k')"
    (found,) = find_embedded(cell, Container.NOTEBOOK_CELL)
    assert isinstance(found, EmbeddedText)
    assert (found.text, cell[found.to_container(0)], found.container_text) == ("T", "T", cell)


def test_an_indented_magic_is_declined() -> None:
    (found,) = find_embedded("  %%cu\n  T", Container.NOTEBOOK_CELL)
    assert isinstance(found, EmbeddingProblem)
    assert (found.code, found.span) == (EmbeddingProblemCode.INDENTED_MAGIC, Span(2, 6))


def test_a_cell_with_half_of_a_surrogate_pair_is_declined() -> None:
    (found,) = find_embedded("%%cu\n// \ud83d", Container.NOTEBOOK_CELL)
    assert isinstance(found, EmbeddingProblem)
    assert (found.code, found.span) == (EmbeddingProblemCode.SURROGATE, Span(5, 9))
