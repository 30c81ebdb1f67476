"""Breaks the engine in ways drawn at random, one at a time, and asks whether `make unit` notices.

``pip install cosmic-ray``, then ``python -m tests.mutation 60 3``: 60 breaks, drawn by seed 3. What survives is printed. Some of it changes
nothing that anybody could notice (an alias of a type, a cache left out): that is for a reader to tell.
"""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = (("tests/unit/engine", "tests/contracts"), ("tests/unit", "tests/contracts"))
"""The likeliest to notice first."""
LIMIT_S = 1800
_DRAWS = 1000
"""A module in which these find nothing to break holds nothing."""


def broken(text: str, drawn: random.Random) -> str:
    """The module with one operator, number, condition, loop, decorator or exception changed, annotations left alone; as it was where
    there is nothing to change."""
    from cosmic_ray.ast import ast_nodes, get_ast  # no dependency: installed for this alone
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(text)))
    kinds = [kind() for kind in map(get_operator, operator_names()) if not kind.arguments()]
    places = [(kind, at) for kind in kinds for at in range(sum(len(list(kind.mutation_positions(node))) for node in nodes))]
    for _ in range(_DRAWS if places else 0):
        made = mutate_code(text, *drawn.choice(places))
        if _run_part(made) not in ("", _run_part(text)):
            return made
    return text


def _run_part(text: str) -> str:
    """The code without annotations and without what cannot be noticed (`is` for `==`, `strict=`, a cache, what a new list holds); empty
    where it is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        for name in {"annotation", "returns"} & set(node._fields):
            setattr(node, name, ast.Constant(0))
        if isinstance(node, ast.Compare):
            node.ops = [ast.Eq() if isinstance(op, ast.Is) else ast.NotEq() if isinstance(op, ast.IsNot) else op for op in node.ops]
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
            if isinstance(node.func, ast.Subscript):  # list[int | None]()
                node.func = node.func.value
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [each for each in node.decorator_list if not _is_cache(each)]
    return ast.dump(tree)


def _is_cache(decorator: ast.expr) -> bool:
    """Whether it changes how long the function takes, and nothing that it returns."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).removeprefix("functools.") in ("cache", "lru_cache")


def is_noticed(tree: Path) -> bool:
    """Whether a unit test fails in the tree."""
    environment = {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "HOME": str(tree)}
    for tests in TESTS:
        command = (sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", *tests)
        limited = ("timeout", str(LIMIT_S), *command)  # a test that hangs notices, too
        if subprocess.run(limited, cwd=tree, env=environment, capture_output=True).returncode:
            return True
    return False


def main() -> None:
    wanted, drawn, count, tried = int(sys.argv[1]), random.Random(int(sys.argv[2])), 0, 0
    modules = [path for path in sorted((ROOT / "assistant" / "engine").rglob("*.py")) if path.name != "__init__.py"]
    sizes = [sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(path.read_text("utf-8")))) for path in modules]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__"))
        assert not is_noticed(tree), "unbroken, all tests must pass"
        while wanted > tried:
            path = drawn.choices(modules, sizes)[0]
            text, copy, name = path.read_text("utf-8"), tree / path.relative_to(ROOT), str(path.relative_to(ROOT))
            if (made := broken(text, drawn)) == text:
                continue
            tried += 1
            copy.write_text(made, "utf-8")
            count += (was_noticed := is_noticed(tree))
            changes = unified_diff(text.splitlines(), copy.read_text("utf-8").splitlines(), name, name, n=0, lineterm="")
            print("\n".join(("noticed:" if was_noticed else "SURVIVED:", *changes)), flush=True)
            copy.write_text(text, "utf-8")
    print(f"{count} of {wanted} noticed")


if __name__ == "__main__":
    main()
