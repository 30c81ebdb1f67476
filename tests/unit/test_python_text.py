"""Python text read by several threads at once, and who may read it by another way."""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from assistant.python_text import parse_expression, parse_module
from tests.unit.import_graph import MODULES

TEXT = "\n".join(f"def f{number}(a):\n    return [a + {number} * (a - {number}) for a in range({number})]" for number in range(50))
ALONE = "assistant.torch_worker."
"""A process that reads one text after the other."""


@pytest.fixture
def often_interrupted() -> Iterator[None]:
    """The garbage collector runs often, and while it does, other threads come to their turn."""

    def pause(*_: object) -> None:
        time.sleep(1e-4)

    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(200)
    gc.callbacks.append(pause)
    yield
    gc.callbacks.remove(pause)
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("often_interrupted")
def test_threads_read_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(parse_module, [TEXT] * 40))
    assert {len(tree.body) for tree in trees} == {50}


def test_an_expression_is_read_without_its_frame() -> None:
    assert ast.unparse(parse_expression("2 * n")) == "2 * n"
    with pytest.raises(SyntaxError):
        parse_expression("n = 2")


def test_no_other_module_reads_python_by_itself() -> None:
    users = {name for name, path in MODULES.items() if "ast.parse(" in path.read_text("utf-8")}
    assert {name for name in users if not name.startswith(ALONE)} == {"assistant.python_text"}
