"""Tasks in Python files, recognised by their syntax tree: nothing is imported or run.

A task is a class that derives from ``nn.Module``, with ``get_inputs()`` that returns the arguments of a call and ``get_init_inputs()``
that returns those of its constructor. Example::

    found = find_task(Path("/p/softmax.py"), text, None)
    found.name, found.free_sizes        # "Model", (FreeSize("batch_size", 16), FreeSize("dim", 1024))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["MODEL", "MODEL_NEW", "FreeSize", "NoTask", "Task", "find_candidate", "find_task", "looks_like_task"]

MODEL, MODEL_NEW = "Model", "ModelNew"
_GET_INPUTS, _GET_INIT = "get_inputs", "get_init_inputs"
_BASES = frozenset({"Module"})
_CONTRACT = "a task has class Model(nn.Module) with forward, get_inputs() and get_init_inputs()"


class FreeSize(Record):
    """A whole number at the top of the file that only ``get_inputs`` reads: it can be changed without changing the model."""

    name: str
    value: int


class Task(Record):
    """A reference with its inputs."""

    path: Path
    text: str
    name: str
    line: int
    free_sizes: tuple[FreeSize, ...]
    sizes: tuple[str, ...]
    """Names of all whole numbers at the top of the file."""
    parameters: tuple[str, ...]
    """Of ``forward``."""
    model_sizes: tuple[FreeSize, ...] = ()
    """Those that shape the inputs and that the model's constructor is given, too: with another value it is another model."""


class NoTask(Record):
    """Why a text is none, in one sentence, and what to do."""

    message: str
    remedy: str


def looks_like_task(text: str) -> bool:
    """Whether it defines ``get_inputs`` or a class that is called like a task's; False for what is no Python."""
    try:
        tree = parse_module(text)
    except (SyntaxError, ValueError):
        return False
    classes, functions = _classes(tree), _functions(tree)
    return _GET_INPUTS in functions or (MODEL in classes and _is_module(classes[MODEL], classes))


def find_task(path: Path, text: str, name: str | None) -> Task | NoTask:
    """The task of a file; ``name``: of its class, where that is not ``Model``."""
    tree = _parsed(path, text)
    if isinstance(tree, NoTask):
        return tree
    found = _module_class(path, tree, name or MODEL, "--op CLASS names the reference")
    if isinstance(found, NoTask):
        return found
    functions = _functions(tree)
    wrong = _wrong_class(path, found, functions) or _wrong_inputs(path, found, functions)
    if wrong is not None:
        return wrong
    numbers = _whole_numbers(tree)
    free = tuple(FreeSize(key, value) for key, value in numbers.items() if _is_free(tree, key))
    of_model = tuple(FreeSize(key, value) for key, value in numbers.items() if _readers(tree, key) == {_GET_INPUTS, _GET_INIT})
    forward = _method(found, "forward", tree)
    parameters = tuple(_parameters(forward)) if forward else ()
    return Task(path, text, found.name, found.lineno, free, tuple(numbers), parameters, of_model)


def find_candidate(path: Path, text: str) -> str | NoTask:
    """The name of the class that stands in the place of a reference."""
    tree = _parsed(path, text)
    if isinstance(tree, NoTask):
        return tree
    found = _module_class(path, tree, MODEL_NEW, "call the class that replaces the reference ModelNew")
    if isinstance(found, NoTask):
        return found
    return found.name if _method(found, "forward", tree) else NoTask(f"{path.name}: ModelNew has no forward", "define forward in it")


def _parsed(path: Path, text: str) -> ast.Module | NoTask:
    try:
        tree = parse_module(text)
    except SyntaxError as error:
        return NoTask(f"{path.name}:{error.lineno} is no Python: {error.msg}", "fix that line")
    except ValueError as error:
        return NoTask(f"{path.name} is no Python: {error}", "name a Python file")
    return tree if tree.body else NoTask(f"{path.name} is empty", _CONTRACT)


def _module_class(path: Path, tree: ast.Module, name: str, remedy: str) -> ast.ClassDef | NoTask:
    classes = _classes(tree)
    found = classes.get(name)
    modules = [each for each, node in classes.items() if _is_module(node, classes)]
    if found is None:
        near = get_close_matches(name, modules, 1)
        which = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(modules)}" if modules else " and no other nn.Module"
        return NoTask(f"{path.name} has no class {name}{which}", remedy if modules else _CONTRACT)
    if name not in modules:
        return NoTask(f"{path.name}:{found.lineno} class {name} does not derive from nn.Module", f"write class {name}(nn.Module)")
    return found


def _wrong_class(path: Path, found: ast.ClassDef, functions: dict[str, ast.FunctionDef]) -> NoTask | None:
    place = f"{path.name}:{found.lineno} {found.name}"
    forward = _method(found, "forward", None)
    if forward is None:
        return NoTask(f"{place} has no forward", "define forward(self, …), which computes the result")
    if not _parameters(forward) and forward.args.vararg is None:
        return NoTask(f"{place}.forward takes no inputs", "give it the tensors that get_inputs() returns")
    constructor = _method(found, "__init__", None)
    needed = [] if constructor is None else _needed(constructor)
    if needed and _GET_INIT not in functions:
        return NoTask(f"{place}.__init__ needs {', '.join(needed)}, and there is no get_init_inputs()", "define get_init_inputs()")
    return None


def _wrong_inputs(path: Path, found: ast.ClassDef, functions: dict[str, ast.FunctionDef]) -> NoTask | None:
    inputs = functions.get(_GET_INPUTS)
    if inputs is None:
        return NoTask(f"{path.name} has no get_inputs()", "define get_inputs(), which returns a list of forward's arguments")
    for name in (_GET_INPUTS, _GET_INIT):
        function = functions.get(name)
        if function is None:
            continue
        place = f"{path.name}:{function.lineno} {name}"
        if _needed(function, is_method=False):
            return NoTask(f"{place} takes arguments", f"write {name}() without any: sizes are constants of the file")
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
            return NoTask(f"{place} yields", "return a list")
        if not any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function)):
            return NoTask(f"{place} returns nothing", "return a list")
    forward = _method(found, "forward", None)
    given = _literal_length(inputs)
    if forward is None or given is None or forward.args.vararg is not None:
        return None
    most, least = len(_parameters(forward)), len(_needed(forward))
    if least <= given <= most:
        return None
    return NoTask(
        f"{path.name}:{inputs.lineno} get_inputs() returns {given} values and {found.name}.forward takes {most}",
        "return one for each parameter",
    )


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _is_module(node: ast.ClassDef, classes: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()) -> bool:
    """Whether one of its bases is called ``Module``, or is a class of the file of which that is so."""
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
        if name in _BASES or (name in classes and name not in seen and _is_module(classes[name], classes, seen | {name})):
            return True
        if isinstance(base, ast.Attribute) and name not in classes:  # nn.Linear and the like
            return True
    return False


def _method(node: ast.ClassDef, name: str, tree: ast.Module | None) -> ast.FunctionDef | None:
    """Its own, or one of a base class in the same file."""
    own = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name), None)
    if own is not None or tree is None:
        return own
    classes = _classes(tree)
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return next((found for base in bases if base is not node and (found := _method(base, name, tree)) is not None), None)


def _parameters(function: ast.FunctionDef) -> list[str]:
    """Of a method, without ``self``."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)][1:]


def _needed(function: ast.FunctionDef, *, is_method: bool = True) -> list[str]:
    """Parameters without a default."""
    named = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    needed = named[: len(named) - len(function.args.defaults)]
    return needed[1:] if is_method else needed


def _literal_length(function: ast.FunctionDef) -> int | None:
    """Elements of the list that it returns, where it returns a plain one."""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.List | ast.Tuple):
        return None
    items = returned[0].elts
    return None if any(isinstance(item, ast.Starred) for item in items) else len(items)


def _whole_numbers(tree: ast.Module) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in tree.body:
        value = _whole(node.value) if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and value is not None:
            found |= {target.id: value for target in node.targets if isinstance(target, ast.Name)}
    return found


def _whole(node: ast.expr) -> int | None:
    is_whole = isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0
    return node.value if is_whole and isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _is_free(tree: ast.Module, name: str) -> bool:
    """Whether it is assigned once, and read in ``get_inputs`` alone."""
    return _readers(tree, name) == {_GET_INPUTS}


def _readers(tree: ast.Module, name: str) -> set[str]:
    """The functions that read it; an empty name stands for all else that reads it, or assigns it once more."""
    return {_reader(node) for node in tree.body for _ in _reads(node, name)}


def _reader(node: ast.stmt) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else ""


def _reads(node: ast.stmt, name: str) -> Iterator[ast.Name]:
    """Uses, and further assignments, of a name of the file; the first assignment is neither, nor is a parameter of the same name."""
    for each in _in_scope(node, name):
        is_first = isinstance(node, ast.Assign) and each in node.targets
        if isinstance(each, ast.Name) and each.id == name and not is_first:
            yield each


def _in_scope(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """The nodes in which a name is the file's own."""
    yield node
    inside = ast.iter_child_nodes(node)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        if any(each is not None and each.arg == name for each in given):
            inside = iter([*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)])
    for each in inside:
        yield from _in_scope(each, name)
