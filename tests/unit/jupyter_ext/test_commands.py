"""What the line magic shows of texts that others wrote."""

import ast
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

from assistant.engine.request import OptimizeOptions
from assistant.model.pair import TurnKind
from jupyter_ext.cells import cell_of
from jupyter_ext.commands import CommandOptions, Commands
from jupyter_ext.reviewing import ProposalReviewer
from jupyter_ext.workshop import CellQuestions, Workshop
from tests.unit.jupyter_ext.test_reviewing import Page


def check(workshop: Workshop, *words: str) -> str:
    """The Markdown that ``%kernelopt`` shows; without a shell, IPython prints what it would display."""
    with redirect_stdout(StringIO()) as said:
        Commands(workshop, ProposalReviewer(workshop, Page())).run(words[0], words[1:], CommandOptions())
    return ast.literal_eval(said.getvalue())["text/markdown"]


def test_an_answer_that_a_model_wrote_loads_nothing(workshop: Workshop, tmp_path: Path) -> None:
    cell = cell_of("%%kernelopt\n__global__ void halve(float *x) { *x /= 2.0f; }\n", tmp_path / "lab.ipynb", None)
    workshop.open(cell, None, CellQuestions(None, (), OptimizeOptions()))
    pairs, call = workshop.pairs, workshop.loop.call
    session = call(pairs.start, cell.source, None, None).state.session
    detail = "It pads the tile ![](https://example.org/seen.png) <img src=//example.org/seen.png>"
    call(pairs.append, session.id, lambda state: replace(pairs.turn(state, TurnKind.SUGGEST, "", "P01"), detail=detail))
    assert check(workshop, "pair", "why") == "It pads the tile ![] (https://example.org/seen.png) < img src=//example.org/seen.png>"
