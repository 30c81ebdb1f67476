"""What the text of a candidate does that none may do, or that a person should know: read from its syntax tree.

Replacing functions of PyTorch or of clocks, reading the reference, and looking into the process that runs it are no part of an operator.
Settings of PyTorch change how everything computes: a person decides. Example::

    tampering(text, Path("/p/task.py"))     # (Tampering(3, "replaces torch.cuda.synchronize", "tampering"),)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["REFUSED", "Tampering", "tampering"]

REFUSED, SETTING, HIDDEN = "tampering", "setting", "hidden_code"
_PATCHED = frozenset({"torch", "time", "builtins", "sys", "numpy", "gc", "os"})
_INTO_THE_PROCESS = frozenset({"gc", "inspect", "_frames"})
_SETTINGS = ("torch.backends", "torch.set_", "torch.use_deterministic_algorithms", "torch.autocast", "torch.amp")
_HIDING = frozenset({"pickle", "marshal", "cloudpickle", "dill", "ctypes", "cffi", "subprocess", "multiprocessing", "_thread"})
"""Modules by which a text runs what it does not show."""
_LIBRARIES = frozenset({"scipy", "numba", "jax", "tensorflow", "onnxruntime"})
"""Modules that may compute in the place of kernels."""
_OUT_OF_SIGHT = frozenset({"numpy", "from_numpy", "frombuffer", "__array__"})
"""Functions behind which PyTorch does not see who computes."""
_HARMLESS = frozenset({"torch.set_grad_enabled", "torch.set_printoptions"})
_PRIVATE = ("torch._C", "torch.utils._python_dispatch", "torch.overrides", "torch._dynamo")


class Tampering(Record):
    """One such thing."""

    line: int
    what: str
    """Follows the candidate's name: ``replaces torch.softmax``."""
    code: str = REFUSED
    """``setting`` and ``hidden_code`` are for a person to decide."""

    @property
    def is_refused(self) -> bool:
        return self.code == REFUSED


def tampering(text: str, task: Path) -> tuple[Tampering, ...]:
    """In the order of the text; nothing of what is no Python."""
    try:
        tree = parse_module(text)
    except (SyntaxError, ValueError):
        return ()
    names = dict(_imported(tree))
    found = [each for node in ast.walk(tree) for each in _of(node, names, task.stem)]
    return tuple(sorted(dict.fromkeys(found), key=lambda each: each.line))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What the file calls a module, and its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname or alias.name.split(".")[0], alias.name if alias.asname else alias.name.split(".")[0])
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield (alias.asname or alias.name, f"{node.module}.{alias.name}")


def _of(node: ast.AST, names: dict[str, str], task: str) -> Iterator[Tampering]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield from _module(alias.name, node.lineno, task)
        case ast.ImportFrom():
            yield from _module(node.module or "", node.lineno, task)
        case ast.Assign():
            for target in node.targets:
                yield from _assigned(target, names)
        case ast.AugAssign() | ast.AnnAssign():
            yield from _assigned(node.target, names)
        case ast.Call():
            yield from _call(node, names)
        case ast.Attribute():
            yield from _attribute(node, names)
        case _:
            return


def _module(name: str, line: int, task: str) -> Iterator[Tampering]:
    if name.split(".")[0] in _INTO_THE_PROCESS:
        yield Tampering(line, f"imports {name}, which looks into the process that judges it")
    if name.split(".")[0] in _HIDING:
        yield Tampering(line, f"imports {name}, so that its text does not show what it runs", HIDDEN)
    if name.split(".")[0] in _LIBRARIES:
        yield Tampering(line, f"imports {name}, which may compute in the place of its kernels", HIDDEN)
    if any(name == private or name.startswith(f"{private}.") for private in _PRIVATE):
        yield Tampering(line, f"imports {name}, by which PyTorch itself is changed")
    if name.split(".")[-1] == task:
        yield Tampering(line, f"imports the reference ({name})")


def _assigned(target: ast.expr, names: dict[str, str]) -> Iterator[Tampering]:
    full = _full_name(target, names) if isinstance(target, ast.Attribute) else None
    if full is None or full.split(".")[0] not in _PATCHED:
        return
    if full.startswith(_SETTINGS):
        yield Tampering(target.lineno, f"sets {full} for the whole process", SETTING)
    else:
        yield Tampering(target.lineno, f"replaces {full}")


def _attribute(node: ast.Attribute, names: dict[str, str]) -> Iterator[Tampering]:
    full = _full_name(node, names)
    if full == "sys.modules":
        yield Tampering(node.lineno, "uses sys.modules, by which it reaches the process that judges it")
    if full in _PRIVATE:
        yield Tampering(node.lineno, f"uses {full}, by which PyTorch itself is changed")


def _call(node: ast.Call, names: dict[str, str]) -> Iterator[Tampering]:
    full = _full_name(node.func, names)
    if full in ("setattr", "delattr") and node.args:
        holder = _full_name(node.args[0], names)
        if holder is not None and holder.split(".")[0] in _PATCHED & set(names.values()):
            yield Tampering(node.lineno, f"replaces an attribute of {holder}")
    if isinstance(node.func, ast.Attribute) and node.func.attr in _OUT_OF_SIGHT:
        yield Tampering(node.lineno, f"calls {node.func.attr}, behind which PyTorch does not see who computes", HIDDEN)
    if full is None:
        return
    if full in ("sys._getframe", "sys.setprofile", "sys.settrace"):
        yield Tampering(node.lineno, f"calls {full}, which looks into the process that judges it")
    if full in ("__import__", "importlib.import_module", "exec", "eval"):
        yield Tampering(node.lineno, f"calls {full}, so that its text does not show what it runs", HIDDEN)
    if full.startswith(_SETTINGS) and full not in _HARMLESS:
        yield Tampering(node.lineno, f"calls {full}, which holds for the whole process", SETTING)


def _full_name(node: ast.expr, names: dict[str, str]) -> str | None:
    """``torch.nn.functional.relu`` of ``F.relu``; None for what is no name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        holder = _full_name(node.value, names)
        return None if holder is None else f"{holder}.{node.attr}"
    return None
