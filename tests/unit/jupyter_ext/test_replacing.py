"""A cell as a source, and what pages may answer to a request to replace one."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import UsageError
from jupyter_ext.cells import Cell, CellEdit, Replacement, cell_of, replace_cell, same_cell

CODE = "%%kernelopt --grid 1\n__global__ void halve(float *x) { x[0] /= 2.0; }\n"
EDIT = CellEdit("c1", "before", "after", "P1")


def cell(code: str = CODE) -> Cell:
    return cell_of(code, Path("/w/train.ipynb"), "c1")


class Page:
    """A comm whose page says these things, one after the other."""

    def __init__(self, *messages: dict[str, str] | None) -> None:
        self._messages = messages
        self.later: list[bool] = []
        self.is_closed = False
        self.opened: dict[str, Any] = {}

    def __call__(self, target: str, data: dict[str, Any]) -> "Page":
        self.opened = {"target": target, **data}
        return self

    def on_msg(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        self.say = lambda data: callback({"content": {"data": data}})

    def on_close(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        def speak() -> None:
            """Sends the page's messages; None closes the page."""
            for message in self._messages:
                if message is None:
                    callback({})
                else:
                    self.say(message)

        threading.Thread(target=speak).start()

    def close(self) -> None:
        self.is_closed = True


def check(page: Page) -> Replacement:
    return replace_cell(EDIT, page, page.later.append, wait_s=0.2)


def test_a_cell_goes_by_its_notebook_and_first_kernel() -> None:
    assert cell().path == Path("/w/train.ipynb.halve.cu")
    assert cell("%%cu\n__global__ void __launch_bounds__(128) f(int);").path.name == "train.ipynb.f.cu"
    assert cell("%%cuda\n__device__ int g;").path.name == "train.ipynb.cuda.cu"
    with pytest.raises(UsageError, match="holds no CUDA text"):
        cell("print(1)")


def test_the_magics_line_stays_where_the_text_is_replaced() -> None:
    edited = cell().with_text(cell().text.replace("2.0", "2.0f"))
    assert edited == CODE.replace("2.0", "2.0f")
    assert same_cell(cell(), cell().text.replace("2.0", "2.0f")).code == edited


def test_a_page_that_replaced_the_cell_reports_undo_and_redo() -> None:
    page = Page({"status": "done"})
    assert check(page) == Replacement(True) and not page.is_closed
    page.say({"status": "undone"})
    page.say({"status": "done"})
    assert page.later == [False, True]
    assert page.opened["target"] == "kernelopt.cells" and page.opened["expected"] == "before" and page.opened["protocol"] == 1


def test_a_refusal_is_reported_with_its_reason() -> None:
    page = Page({"status": "refused", "reason": "changed", "message": "typed in"})
    assert check(page) == Replacement(False, "changed", "typed in") and page.is_closed


def test_a_page_without_the_cell_gives_way_to_one_that_has_it() -> None:
    missing = {"status": "refused", "reason": "missing"}
    assert check(Page(missing, {"status": "done"})) == Replacement(True)
    assert check(Page(missing)).reason == "missing"


def test_a_front_end_without_the_extension_closes_or_says_nothing() -> None:
    assert check(Page(None)) == Replacement(False, "", "the front end has no kernelopt extension")
    assert check(Page()).message == "no page with this cell answered"
