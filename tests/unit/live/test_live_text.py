"""Functions and classes of this process as a file that defines the same: what it holds, and at which lines."""

from __future__ import annotations

import linecache
import math
import textwrap
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from assistant.errors import UsageError
from assistant.live.definitions import bound_in, definition_of, free_names
from assistant.live.live_text import LiveText, Root, cell_text, live_text
from assistant.live.own_lines import of_candidate, of_task
from assistant.live.pickled import literal
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.model.events import ComparisonMade, Event, JobEnded, Message, OperatorsFound
from assistant.model.profile import Severity
from assistant.model.verification import Outcome, VerificationFinding
from tests.unit.editor.test_operators import verdict

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run() -> Run:
    """The names of a script that was run, as a notebook's cell is: its text is known to ``linecache`` alone."""

    def ran(text: str, name: str = "<cell 1>", names: dict[str, Any] | None = None) -> dict[str, Any]:
        text = textwrap.dedent(text)
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        names = {"__name__": "__main__"} if names is None else names
        exec(compile(text, name, "exec", dont_inherit=True), names)
        return names

    return ran


def defined(made: LiveText) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(made.text, "<made>", "exec", dont_inherit=True), names)
    return names


SCRIPT = """\
    import math

    rows = 12
    UNUSED = 3


    def helper(x):
        return math.sqrt(x) + rows


    class Base:
        def call(self, x): return helper(x)


    class Model(Base):
        def call(self, x):
            return super().call(x) * 2
"""


def test_what_a_class_uses_stands_on_its_own_lines_and_nothing_else_does(run: Run) -> None:
    made = live_text((Root("Model", run(SCRIPT)["Model"]),))
    lines = made.text.splitlines()[made.line_count_above :]
    assert [line for line in lines if line] == [line for line in textwrap.dedent(SCRIPT).splitlines()[2:] if line and "UNUSED" not in line]
    assert made.own_line(made.text.splitlines().index("class Model(Base):") + 1) == 15
    assert defined(made)["Model"]().call(4.0) == 28.0


def test_a_value_that_changed_since_is_sent_as_it_is_now(run: Run) -> None:
    names = run(SCRIPT)
    names["rows"] = 100
    assert defined(live_text((Root("Model", names["Model"]),)))["Model"]().call(4.0) == 204.0


def test_closures_values_and_modules_travel(run: Run) -> None:
    scale, values = 3.0, (1, "a", None)

    def inner(x: float) -> object:
        return math.floor(x * scale), values

    made = live_text((Root("inner", inner),))
    assert defined(made)["inner"](1.5) == (4, (1, "a", None))


@pytest.mark.parametrize("text", ["f = lambda x: x + 1", "f, g = lambda x: x + 1, lambda x: x * 2"])
def test_a_function_without_a_name_travels(run: Run, text: str) -> None:
    assert defined(live_text((Root("called", run(text)["f"]),)))["called"](4) == 5


def test_a_decorated_function_brings_its_decorator(run: Run) -> None:
    names = run("""\
        def doubled(f):
            return lambda x: 2 * f(x)

        @doubled
        def one(x):
            return x

        def two(x):
            return one(x)
    """)
    made = live_text((Root("two", names["two"]),))
    assert defined(made)["two"](3) == 6


def test_a_function_of_an_installed_package_is_imported_and_a_module_too(run: Run) -> None:
    names = run("import os.path as p\nfrom json import dumps as d\n\ndef f(x): return d([p.basename(x)])\n")
    made = live_text((Root("f", names["f"]),))
    assert "from json import dumps as d" in made.text and defined(made)["f"]("a/b") == '["b"]'


def test_what_another_cell_defined_stands_above(run: Run) -> None:
    names = run("def helper(x): return x + 1")
    run("\n\ndef f(x):\n    return helper(x)\n", "<cell 2>", names)
    made = live_text((Root("f", names["f"]),))
    assert made.line_count_above == 1 and made.own_line(4) == 3 and made.own_line(1) is None
    assert defined(made)["f"](1) == 2


def test_annotations_that_nothing_evaluates_stay_so(run: Run) -> None:
    names = run("from __future__ import annotations\n\ndef f(x: Unknown) -> Unknown:\n    return x\n")
    assert defined(live_text((Root("f", names["f"]),)))["f"](1) == 1


def test_an_object_of_a_class_of_ones_own_is_a_pickle_that_names_the_class(run: Run) -> None:
    names = run("class Part:\n    def __init__(self):\n        self.x = 5\n    def get(self):\n        return self.x\n\npart = Part()\n")
    made = live_text((Root("kept", names["part"], "the part"),))
    assert "class Part:" in made.text and defined(made)["kept"].get() == 5


def test_a_text_over_several_lines_inside_a_function_is_written_anew() -> None:
    def inner() -> str:
        return """
at the margin
"""

    assert defined(live_text((Root("inner", inner),)))["inner"]() == "\nat the margin\n"


def test_what_cannot_be_sent_is_named(run: Run) -> None:
    names = run("def f():\n    return lock\n")
    names["lock"] = threading.Lock()
    with pytest.raises(UsageError, match="lock, which f uses, cannot be sent"):
        live_text((Root("f", names["f"]),))
    with pytest.raises(UsageError, match="17 MiB, too much to be sent"):
        live_text((Root("data", [bytearray(17 << 20)], "inputs"),))


def test_a_name_that_means_two_things_is_refused(run: Run) -> None:
    names = run("def helper(): return 1\n\ndef f(): return helper()\n")
    other = run("def helper(): return 2\n\ndef g(): return helper()\n", "<cell 2>")
    names["g"] = other["g"]
    run("def both(): return f(), g()\n", "<cell 3>", names)
    with pytest.raises(UsageError, match="helper means one thing in g and another"):
        live_text((Root("both", names["both"]),))


def test_a_name_of_ones_own_that_the_task_takes_is_refused(run: Run) -> None:
    names = run("class Model:\n    def f(self): return 1\n\ndef f(): return Model()\n")
    with pytest.raises(UsageError, match="rename your Model"):
        live_text((Root("f", names["f"]),), "class Model:\n    pass")


def test_an_extension_is_built_again_where_it_is_used(run: Run) -> None:
    """Its module is in no file that another process could import."""
    text = "import types\nNAME = 'fast'\nextension = types.ModuleType(\n    NAME,\n)\n\ndef f():\n    return extension.__name__\n"
    names = run(text)
    assert isinstance(names["extension"], ModuleType)
    made = live_text((Root("f", names["f"]),))
    assert made.text.endswith(text.partition("\n")[2].rstrip() + "\n") and defined(made)["f"]() == "fast"


def test_a_cell_brings_what_it_uses_and_keeps_its_lines() -> None:
    body = "import math\n\ndef f(x):\n    return math.sqrt(x) * scale\n"
    made = cell_text(body, {"scale": 2.0, "other": 3})
    assert made.text == f"scale = 2.0\n\n{body}" and made.own_line(5) == 4, "line 1 of the cell is the magic"
    assert cell_text(body, {}).text == f"\n{body}"


def test_imports_from_the_future_stay_first() -> None:
    body = "from __future__ import annotations\nx: Unknown = scale\n"
    made = cell_text(body, {"scale": 2.0})
    assert defined(made)["x"] == 2.0 and made.own_line(len(made.text.splitlines())) == 3


def test_a_cell_that_is_no_python_is_refused_by_its_line() -> None:
    with pytest.raises(UsageError, match="line 3 of the cell is no Python"):
        cell_text("x = 1\n%matplotlib inline\n", {})


def test_only_one_assignment_at_the_top_says_what_a_name_is(run: Run) -> None:
    run("n = 1\nm = 1\nm = 2\nfor k in range(3): pass\na, b = 1, 2\n")
    found = bound_in("<cell 1>", "n")
    assert found is not None and found[0].text == "n = 1"
    assert bound_in("<cell 1>", "m") is None and bound_in("<cell 1>", "k") is None and bound_in("<no such>", "n") is None


def test_names_that_a_text_looks_up() -> None:
    assert free_names("def f(a):\n    b = a + c\n    return len(b) + g(d)\n") == {"c", "d", "g"}
    assert definition_of(int) is None
    assert (literal(3), literal([1, (2.5, "x")]), literal(math)) == ("3", "[1, (2.5, 'x')]", None)


TEXT = LiveText("", 10, 20)


def test_lines_that_a_job_said_are_those_of_the_users_text() -> None:
    function = OperatorFunction("mul", 15, 1, 1, 1, 1.0, 1.0)
    group = OperatorGroup(("mul", "add"), (3, 15, 16), 1, 2, 1.0, 2.0)
    found = of_task(OperatorsFound("J", "Model", "h200", (function,), (group,), 1, 1.0, 2.0, "m"), TEXT, "f.py")
    assert isinstance(found, OperatorsFound) and found.functions[0].line == 5 and found.groups[0].lines == (5, 6)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("ValueError: no (f.py:15)", "ValueError: no (line 5)"),
        ("ValueError: no (f.py:3)", "ValueError: no"),
        ("ValueError: no (g.py:15)", "ValueError: no (g.py:15)"),
    ],
)
def test_places_in_sentences_are_those_of_the_users_text(said: str, expected: str) -> None:
    message = of_task(Message("J", Severity.ERROR, said), TEXT, "f.py")
    assert isinstance(message, Message) and message.message == expected
    judged = of_candidate(verdict("J", VerificationFinding("raised", Outcome.FAIL, said, line=12)), TEXT, "f.py")
    assert isinstance(judged, ComparisonMade)
    assert (judged.verification.findings[0].message, judged.verification.findings[0].line) == (expected, 2)


def test_other_events_stay_as_they_are() -> None:
    ended: Event = JobEnded("J", 0, "done")
    assert of_task(ended, TEXT, "f.py") is ended and of_candidate(ended, TEXT, "f.py") is ended
