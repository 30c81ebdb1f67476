"""Functions and classes of this process as a Python file that defines the same: by their source, with everything that they use.

What comes from the text that the first of them is defined in keeps its lines, so that what is said of the file can be said of that text;
what comes from elsewhere stands above it. Example::

    made = live_text((Root("Model", Model), Root("get_inputs", get_inputs)))
    made.text                           # 'import torch\n\n\nrows = 8\n\nclass Model(torch.nn.Module):\n …'
    made.own_line(7)                    # 5: the line in the text where Model is defined
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from types import FunctionType, ModuleType

from assistant.errors import UsageError
from assistant.live.definitions import Definition, bound_in, definition_of, free_names, is_found, is_installed, names_used_by
from assistant.live.pickled import UNPICKLED, literal, pickled
from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["LiveText", "Root", "cell_text", "live_text"]

_Named = ast.ClassDef | ast.FunctionDef
_LATE_ANNOTATIONS = "from __future__ import annotations"


class Root(Record):
    """A name that a file has to give its value."""

    name: str
    value: object
    what: str = ""
    """Of a value that is no function or class: its name in a refusal."""

    @property
    def is_written(self) -> bool:
        return not self.what


class LiveText(Record):
    """A file's text, and which of its lines somebody wrote."""

    text: str
    line_count_above: int
    """Of what was written for it; the own text follows."""
    own_line_count: int

    def own_line(self, line: int | None) -> int | None:
        """The line in the text that somebody wrote; None for what was written for it."""
        if line is None:
            return None
        own = line - self.line_count_above
        return own if 1 <= own <= self.own_line_count else None


def live_text(roots: Sequence[Root], tail: str = "") -> LiveText:
    """A file that gives each root's name its value, then ``tail``. Raises UsageError for what cannot be sent."""
    writer = _Writer(_origin([root.value if root.is_written else type(root.value) for root in roots]))
    for root in roots:
        if root.is_written:
            writer.add(root.name, root.value, _User(root.name))
        else:
            writer.add_value(root.name, root.value, root.what)
    return writer.written(tail)


def cell_text(body: str, namespace: Mapping[str, object]) -> LiveText:
    """The Python below a cell's magic as a file, with what it uses of this process; lines are the cell's, whose first is the magic.

    Raises UsageError for a value that cannot be sent, and for a text that is no Python.
    """
    try:
        names, own = free_names(body), symtable.symtable(body, "<cell>", "exec").get_symbols()
    except SyntaxError as error:
        message = f"line {(error.lineno or 0) + 1} of the cell is no Python: {error.msg}"
        raise UsageError(message, "keep lines that begin with % or ! in another cell") from None
    assigned = {symbol.get_name() for symbol in own if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()}
    writer = _Writer(None)
    for name in sorted(names - assigned):
        if name in namespace:
            writer.add(name, namespace[name], _User("the cell"))
    made = writer.written("")
    own_text, future = _apart_from_future(body) if made.text else (body, "")
    return LiveText(f"{future}{made.text}\n{own_text}", made.line_count_above + future.count("\n"), body.count("\n") + 2)


def _apart_from_future(body: str) -> tuple[str, str]:
    """The body with its imports from ``__future__`` blank, and these: nothing may stand above them."""
    lines, found = body.split("\n"), list[str]()
    for node in parse_module(body).body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            found.append(f"{ast.unparse(node)}\n")
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "\n".join(lines), "".join(found)


def _origin(values: Sequence[object]) -> str | None:
    """The text whose lines are kept: that of the first value that is written out."""
    written = (value for value in values if isinstance(value, type | FunctionType) and not is_installed(value))
    found = next((found for value in written if (found := definition_of(value)) is not None), None)
    return None if found is None else found.origin


class _User(Record):
    """What needs a name."""

    name: str
    """In the message of a refusal."""
    origin: str | None = None
    """The text that it is in."""
    names: Mapping[str, object] = field(default_factory=dict[str, object])
    """What the names of that text stand for."""


class _Writer:
    """Writes each name once, what it uses before it."""

    def __init__(self, origin: str | None) -> None:
        self._origin = origin
        self._known: dict[str, object] = {}
        self._above: list[str] = []
        self._own: dict[int, str] = {}
        """Lines of the origin."""
        self._below: list[str] = []
        """Values that need what stands there."""
        self._has_late_annotations = False

    def add(self, name: str, value: object, user: _User) -> None:
        """Raises UsageError for what cannot be sent, and for a name that means two things."""
        if name in self._known:
            if self._known[name] is not value and (literal(value) is None or literal(value) != literal(self._known[name])):
                raise UsageError(f"{name} means one thing in {user.name} and another in what it uses", "rename one of the two")
            return
        self._known[name] = value
        if isinstance(value, type | FunctionType):
            self._function_or_class(name, value, user)
        elif isinstance(value, ModuleType) and is_found(value):
            self._above.append(f"import {value.__name__} as {name}" if value.__name__ != name else f"import {name}")
        else:
            self._value(name, value, user)

    def add_value(self, name: str, value: object, what: str) -> None:
        """``what``: its name in a refusal. Raises UsageError."""
        if literal(value) is not None:
            self._above.append(f"{name} = {literal(value)}")
            return
        made = pickled(value, what)
        for each, defined in made.named:
            self.add(each, defined, _User(what))
        if UNPICKLED not in self._above:
            self._above.append(UNPICKLED)
        (self._below if made.named else self._above).append(f"{name} = {made.expression}")

    def written(self, tail: str) -> LiveText:
        """Raises UsageError where ``tail`` defines a name once more."""
        taken = next((node.name for node in parse_module(tail).body if isinstance(node, _Named) and node.name in self._known), None)
        if taken is not None:
            raise UsageError(f"{taken} is a name of every task, and of something that this one uses", f"rename your {taken}")
        head = [_LATE_ANNOTATIONS] if self._has_late_annotations else []
        lines = "".join(f"{part}\n" for part in (*head, *self._above))
        last = max(self._own, default=0)
        own = "".join(f"{self._own.get(line, '')}\n" for line in range(1, last + 1))
        below = "".join(f"\n\n{part}\n" for part in (*self._below, *([tail] if tail else [])))
        return LiveText(f"{lines}{own}{below}", lines.count("\n"), last)

    def _function_or_class(self, name: str, value: type | FunctionType, user: _User) -> None:
        if is_installed(value):
            self._above.append(f"from {value.__module__} import {value.__name__} as {name}")
            return
        found = definition_of(value)
        if found is None:
            self.add_value(name, value, _what(name, user))
            return
        self._add_used(found, _User(name, found.origin, names_used_by(value)), value.__name__)
        is_lambda = not value.__name__.isidentifier()
        alias = "" if is_lambda or value.__name__ == name else f"{name} = {value.__name__}"
        self._place(replace(found, text=f"{name} = {found.text}") if is_lambda else found, alias)

    def _value(self, name: str, value: object, user: _User) -> None:
        """As its text assigns it where that is its value still, or where its value cannot be sent."""
        bound = None if user.origin is None else bound_in(user.origin, name)
        if bound is not None and _is_still(bound[1], value):
            self._place(bound[0])
            return
        if bound is not None and isinstance(value, ModuleType):
            self._add_used(bound[0], user, name)  # an extension, which is built again
            self._place(bound[0])
        else:
            self.add_value(name, value, _what(name, user))

    def _add_used(self, found: Definition, user: _User, own_name: str) -> None:
        for each in sorted(free_names(found.text) - {own_name}):
            if each in user.names:
                self.add(each, user.names[each], user)

    def _place(self, found: Definition, alias: str = "") -> None:
        """On its own lines where they are the kept text's and free, else above them."""
        self._has_late_annotations = self._has_late_annotations or found.has_late_annotations
        lines = [*found.text.split("\n"), *([alias] if alias else [])]
        places = range(found.first_line, found.first_line + len(lines))
        if found.origin == self._origin and not any(place in self._own for place in places):
            self._own.update(zip(places, lines, strict=True))
        else:
            self._above += lines


def _is_still(written: ast.expr, value: object) -> bool:
    """Whether the text says the value that the name has now."""
    try:
        return literal(value) is not None and literal(ast.literal_eval(written)) == literal(value)
    except (ValueError, TypeError, SyntaxError):
        return False


def _what(name: str, user: _User) -> str:
    return name if name == user.name else f"{name}, which {user.name} uses,"
