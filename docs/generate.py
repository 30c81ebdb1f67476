"""Writes the pages and tables of docs/reference that come from code; ``tests/unit/docs`` holds them to it.

``python docs/generate.py`` writes them. Commands and options come from the typer application, events from ``assistant.model``,
techniques from ``prompts/techniques``, prompts from ``prompts``. In ``cli.md``, ``language-server.md`` and ``prompts.md`` only what stands
between ``<!-- generated -->`` and ``<!-- end -->`` is replaced; in ``editors.md`` what follows ``<!-- file NAME -->``, by the file.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import types
import typing
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from typer.main import get_command

from assistant.cli.app import build_app
from assistant.cli.servers import Servers
from assistant.model import events
from assistant.plan.catalogue import load_catalogue
from assistant.plan.llm.code.library import load_prompts
from lsp.server import build_server

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"

_GENERATED = re.compile(r"(?<=<!-- generated -->\n).*?(?=<!-- end -->)", re.S)
_FILE = re.compile(r"<!-- file (\S+) -->\n.*?<!-- end -->", re.S)
_VALUE_NAMES = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "PATH", datetime: "YYYY-MM-DD"}
_JSON_TYPES: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", Path: "string"}
_EVENTS_HEAD = """\
# Events: what `--json` prints

Generated from `assistant/model/`; do not edit (`python docs/generate.py`).

With `--json` a command prints one JSON object a line and nothing else on standard output. Every object names itself in `event` and
carries the version of this format in `schema` (now {schema}) and the id of its job in `job`. Numbers are finite; what does not exist is
`null`, except the counters of a profile line, which are absent where that kind of access has none. The same as a JSON schema:
[events.schema.json](../../tests/data/events.schema.json).

A job begins with [`job_started`](#job_started) and ends with [`job_ended`](#job_ended), whose `exit_code` is that of the command. An
error that keeps a job from starting (no such file, say) goes to standard error, as text, and no event is printed.

| command | events between the two |
|---|---|
| `inspect` | `stage_started`, `stage_ended`, `message`, `diagnostics`, `kernel` |
| `check` | `stage_started`, `stage_ended`, `message`, `diagnostics`, `check` |
| `profile` | `stage_started`, `stage_ended`, `message`, `diagnostics`, `profile` per launch, `profile_summary` per kernel and shape |
| `compare` | `stage_started`, `stage_ended`, `message`, `comparison` per kernel pair, and an overall one if there are several |
| `optimize` | `findings`, `plan`, `candidate`, `stage_started`, `message`, `proposal`, `decision` |
| `proposals`, `show` | `proposal` without a job around it |
| `history replay` | as of `compare` |
| `accept`, `reject`, `undo` | `decision`; a job as of `compare` before it where the text had to be judged |
"""
_CODE_MAP_HEAD = """\
# Code map

Generated from the first sentence of each module; do not edit (`python docs/generate.py`). How the parts work together:
[architecture](../architecture.md).

"""
_PYTHON_HEAD = """\
# The Python interface

Generated from `kernelopt/`; do not edit (`python docs/generate.py`). How it is used: [use kernels from Python](../how-to/python.md).

`kernelopt.aio` has each of the calls that take time as a coroutine.

"""
_CODE_FOLDERS = ("kernelopt", "assistant", "lsp", "jupyter_ext")
_CLIENT_FOLDERS = ("vscode-client/src", "jupyterlab-client/src")
_FIRST_COMMENT = re.compile(r"\s*(?:/\*\*\s*(?P<block>.*?)\s*\*/|//(?P<line>[^\n]*))", re.S)
_SENTENCE = re.compile(r"(.*?[.:])(?:\s|$)", re.S)
_TECHNIQUES_HEAD = """\
# Techniques

Generated from `prompts/techniques/*.md`; do not edit (`python docs/generate.py`).

What the planner can propose. Each technique answers findings, and each page says when it applies, why it works, how the edit looks and
what it risks. A technique that answers a finding but cannot be applied safely is declined, and the plan says why.

| technique | what it does | answers | labels |
|---|---|---|---|
"""


def main() -> None:
    """Write every generated page."""
    for path, text in generated():
        path.write_text(text, "utf-8")


def generated() -> Iterator[tuple[Path, str]]:
    """Each page and what it should hold."""
    cli = REFERENCE / "cli.md"
    yield cli, _GENERATED.sub(lambda _: _commands(), cli.read_text("utf-8"))
    yield REFERENCE / "language-server.md", _language_server((REFERENCE / "language-server.md").read_text("utf-8"))
    prompts = REFERENCE / "prompts.md"
    yield prompts, _GENERATED.sub(lambda _: _prompts(), prompts.read_text("utf-8"))
    editors = ROOT / "docs" / "how-to" / "editors.md"
    yield editors, _FILE.sub(_quoted_file, editors.read_text("utf-8"))
    yield REFERENCE / "events.md", _events()
    yield REFERENCE / "techniques.md", _techniques()
    yield REFERENCE / "code-map.md", _code_map()
    yield REFERENCE / "python.md", _python_names()


def _prompts() -> str:
    """A row for each template of prompts/."""
    rows = "".join(
        f"| [`{template.id}`](../../prompts/{template.id}.md.j2) | {template.version} | {', '.join(sorted(template.inputs)) or 'none'} |\n"
        for template in load_prompts()
    )
    return f"| template | version | inputs |\n|---|---|---|\n{rows}"


def _quoted_file(match: re.Match[str]) -> str:
    """A file of docs/how-to, fenced."""
    path = ROOT / "docs" / "how-to" / match[1]
    return f"<!-- file {match[1]} -->\n```{path.suffix[1:]}\n{path.read_text('utf-8')}```\n<!-- end -->"


def _language_server(page: str) -> str:
    """The page with the tables of what a server registers: commands first, methods second."""
    tables = iter((_server_commands(), _server_methods()))
    return _GENERATED.sub(lambda _: next(tables), page)


def language_server() -> Any:
    """A server without a client: it knows its commands and methods."""
    server = build_server(_never, _never)
    server.load()
    return server


def _never(*_: object) -> Any:
    raise AssertionError("nothing is served here")


def _server_commands() -> str:
    rows = ""
    noted: dict[str, type] = {}
    for name, run in language_server().protocol.fm.commands.items():
        item = next(iter(typing.get_type_hints(run).values()))
        noted[item.__name__] = item
        fields = (f"`{f.name}`" if f.default is dataclasses.MISSING else f"`{f.name}?`" for f in dataclasses.fields(item))
        rows += f"| `{name}` | {', '.join(fields)} |\n"
    notes = {name: note for item in noted.values() for name, note in _field_notes(item).items()}
    meanings = "".join(f"| `{name}` | {_escaped(note)} |\n" for name, note in notes.items())
    return f"| command | fields (`?`: may be left out) |\n|---|---|\n{rows}\n| field | |\n|---|---|\n{meanings}"


def _server_methods() -> str:
    features = language_server().protocol.fm
    names = dict.fromkeys((*features.builtin_features, *features.features))
    return "".join(f"- `{name}`\n" for name in sorted(names, key=str.lower) if not name.startswith("kernelopt/"))


def command_paths() -> dict[tuple[str, ...], Any]:
    """Every command that can be run, by its words (``("memory", "path")``)."""
    return dict(_walk((), get_command(build_app(Servers(lambda _: 0, lambda _: 0)))))


def _walk(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield words, command
        return
    for name, child in inner.items():
        yield from _walk((*words, name), child)


def _commands() -> str:
    return "\n".join(_command(words, command) for words, command in command_paths().items())


def _command(words: tuple[str, ...], command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = ["[OPTIONS]"] if len(command.params) > len(arguments) else []
    usage = " ".join(["kernelopt", *words, *(_argument_name(p) for p in arguments), *options])
    hints = typing.get_type_hints(inspect.unwrap(command.callback))
    rows = "".join(f"| {_parameter(p, hints[p.name])} | {_escaped(_help(p))} |\n" for p in command.params)
    table = f"\n| | |\n|---|---|\n{rows}" if rows else ""
    return f"## {' '.join(words)}\n\n    {usage}\n\n{' '.join((command.help or '').split())}\n{table}"


def _argument_name(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _parameter(parameter: Any, hint: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument_name(parameter)}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    kind = next(leaf for leaf in _leaves(hint) if leaf is not type(None))
    if kind is bool:
        return names
    value = " or ".join(kind) if issubclass(kind, StrEnum) else parameter.metavar or _VALUE_NAMES[kind]
    return f"{names} {value}"


def _help(parameter: Any) -> str:
    text = " ".join((parameter.help or "").split())
    default = getattr(parameter.default, "value", parameter.default)
    if parameter.param_type_name == "argument" or default is None or isinstance(default, bool) or parameter.multiple:
        return text
    return f"{text} (default: {default})"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _events() -> str:
    every = typing.get_args(events.Event)
    sections = [_section(event, f"## {_event_name(event)}") for event in every]
    nested = dict.fromkeys(inner for event in every for inner in _nested(event))
    sections += [_section(item, f"## {item.__name__}") for item in nested]
    return _EVENTS_HEAD.format(schema=events.SCHEMA) + "\n" + "\n".join(sections)


def _event_name(event: type) -> str:
    return next(str(f.default) for f in dataclasses.fields(event) if f.name == "event")


def _section(item: type, heading: str) -> str:
    own = f"{item.__doc__}\n\n".replace("``", "`") if item.__doc__ and not item.__doc__.startswith(f"{item.__name__}(") else ""
    types_of, notes = typing.get_type_hints(item), _field_notes(item)
    rows = "".join(
        f"| `{field.name}` | {_type_name(types_of[field.name])} | {_escaped(notes.get(field.name, ''))} |\n"
        for field in dataclasses.fields(item)
        if field.name not in ("event", "schema", "job") or (field.name == "job" and "None" in str(types_of["job"]))
    )
    return f"{heading}\n\n{own}| field | type | |\n|---|---|---|\n{rows}"


def _field_notes(item: type) -> dict[str, str]:
    """The docstrings below a dataclass's fields, which exist only in its source."""
    source = Path(typing.cast(str, __import__(item.__module__, fromlist=["_"]).__file__)).read_text("utf-8")
    body = next(n.body for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ClassDef) and n.name == item.__name__)
    notes: dict[str, str] = {}
    for before, after in itertools.pairwise(body):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(after, ast.Expr):
            notes[before.target.id] = " ".join(str(ast.literal_eval(after.value)).replace("``", "`").split())
    return notes


def _nested(item: type) -> Iterator[type]:
    """Dataclasses inside the fields of ``item``, depth first."""
    for hint in typing.get_type_hints(item).values():
        for inner in _leaves(hint):
            if isinstance(inner, type) and hasattr(inner, "__dataclass_fields__"):
                yield inner
                yield from _nested(inner)


def _leaves(hint: Any) -> Iterator[Any]:
    arguments = typing.get_args(hint)
    if not arguments or typing.get_origin(hint) is typing.Literal:
        yield hint
    for argument in arguments if typing.get_origin(hint) is not typing.Literal else ():
        yield from _leaves(argument)


def _type_name(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_type_name(a) for a in arguments)
    if origin is tuple and (len(arguments) == 2 and arguments[1] is Ellipsis):
        return f"list of {_type_name(arguments[0])}"
    if origin is tuple:
        return f"list of {len(arguments)}: {', '.join(dict.fromkeys(_type_name(a) for a in arguments))}"
    if origin is dict:
        return f"object of {_type_name(arguments[1])}"
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return ", ".join(f"`{member.value}`" for member in hint)
    return _JSON_TYPES[hint]


def _techniques() -> str:
    catalogue = load_catalogue(ROOT / "prompts" / "techniques")
    rows = ""
    for technique in catalogue.techniques:
        page = f"../../prompts/techniques/{technique.id}.md"
        findings = ", ".join(f"[{code}](findings/{code}.md)" for code in technique.findings)
        labels = ", ".join(str(label) for label in technique.labels)
        rows += f"| [`{technique.id}`]({page}) | {technique.title} | {findings} | {labels} |\n"
    return _TECHNIQUES_HEAD + rows


def _code_map() -> str:
    folders = [folder for name in _CODE_FOLDERS for folder in _packages(ROOT / name)]
    clients = [folder for name in _CLIENT_FOLDERS for folder in (ROOT / name, *sorted(p for p in (ROOT / name).rglob("*") if p.is_dir()))]
    sections = [_folder_map(folder, "*.py", _python_summary) for folder in folders]
    sections += [_folder_map(folder, "*.ts", _typescript_summary) for folder in clients]
    return _CODE_MAP_HEAD + "\n".join(section for section in sections if section)


def _python_names() -> str:
    """A section for each public name of ``kernelopt``, in the order of the alphabet."""
    exported = [node for node in ast.walk(_parsed("kernelopt")) if isinstance(node, ast.ImportFrom)]
    names = {alias.name: node.module for node in exported for alias in node.names if alias.asname == alias.name and node.module}
    sections = (_python_name(name, names[name]) for name in sorted(names, key=str.lower))
    return _PYTHON_HEAD + "\n".join(sections)


def _python_name(name: str, module: str) -> str:
    if module == "kernelopt":  # a module of its own
        tree = _parsed(f"kernelopt.{name}")
        functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_")
        rows = "".join(_row(f"{name}.{node.name}{_signature(node)}", ast.get_docstring(node) or "") for node in functions)
        return f"## {name}\n\n{_first_sentence(ast.get_docstring(tree) or '')}\n\n{rows}"
    defined = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = next(node for node in _parsed(module).body if isinstance(node, defined) and node.name == name)
    text = " ".join((ast.get_docstring(found) or "").replace("``", "`").split())
    if not isinstance(found, ast.ClassDef):
        return f"## {name}\n\n`kernelopt.{name}{_signature(found)}`\n\n{text}\n"
    bases = ", ".join(f"`{ast.unparse(base)}`" for base in found.bases if ast.unparse(base) not in ("Record", "Exception"))
    return f"## {name}\n\n{text}{f' A {bases}.' if bases else ''}\n\n{''.join(_members(found))}"


def _members(found: ast.ClassDef) -> Iterator[str]:
    """Fields with what stands below them, then properties and methods."""
    first = next((node.body for node in found.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), list[ast.stmt]())
    for before, after in itertools.pairwise([*found.body, *first]):
        named = before.target if isinstance(before, ast.AnnAssign) else before.targets[0] if isinstance(before, ast.Assign) else None
        field = named.id if isinstance(named, ast.Name) else named.attr if isinstance(named, ast.Attribute) else "_"
        text = ast.literal_eval(after.value) if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
        if field[0] != "_" and (text or isinstance(before, ast.AnnAssign)):
            yield _row(field, str(text))
    for node in found.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.name[0] != "_" or node.name in ("__call__", "__getitem__")):
            is_property = any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)
            yield _row(node.name if is_property else f"{node.name}{_signature(node)}", ast.get_docstring(node) or "")


def _row(title: str, text: str) -> str:
    said = " ".join(text.replace("``", "`").split())
    return f"- `{title}`{f': {said}' if said else ''}\n"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    given = ast.unparse(node.args).removeprefix("self").removeprefix(", ").removeprefix("/, ")
    return f"({given}) → {ast.unparse(node.returns)}" if node.returns is not None else f"({given})"


def _parsed(module: str) -> ast.Module:
    path = ROOT / module.replace(".", "/")
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))


def _packages(root: Path) -> list[Path]:
    """It and the packages inside, each before those inside of it."""
    return [init.parent for init in sorted(root.rglob("__init__.py"), key=lambda path: path.parent.parts)]


def _folder_map(folder: Path, pattern: str, summary: Callable[[Path], str]) -> str:
    files = [path for path in sorted(folder.glob(pattern)) if path.name not in ("__init__.py", "__main__.py")]
    if not files:
        return ""
    whole = folder / "__init__.py"
    about = f"{summary(whole)}\n\n" if whole.exists() else ""
    rows = "".join(f"| `{path.name}` | {_escaped(summary(path))} |\n" for path in files)
    return f"## {folder.relative_to(ROOT)}\n\n{about}| file | what it is about |\n|---|---|\n{rows}"


def _python_summary(path: Path) -> str:
    return _first_sentence(ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")


def _typescript_summary(path: Path) -> str:
    found = _FIRST_COMMENT.match(path.read_text("utf-8"))
    return _first_sentence("" if found is None else re.sub(r"\n\s*\* ?", "\n", found["block"] or found["line"]))


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    paragraph = paragraph.removesuffix(" Example::")
    sentence = _SENTENCE.match(paragraph)
    return (paragraph if sentence is None or sentence[1].endswith(":") else sentence[1]).replace("``", "`")


if __name__ == "__main__":
    main()
