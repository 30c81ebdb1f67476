"""The copy of our package that the VS Code extension carries says nothing, and does the same."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lean", ROOT / "vscode-client" / "tools" / "lean.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = '''\
"""Of the module: é."""

class Failure(Exception):
    """Says nothing else."""


def f(x: str = "# no comment") -> str:
    """Two
    lines."""
    y = """kept

# kept"""  # gone
    return x + y


LIMIT = 3; """About the limit, behind it."""
"""About the limit."""
'''


def test_words_go_and_every_statement_stays_on_its_line(tool: ModuleType) -> None:
    made = tool.lean(SOURCE)
    assert [word for word in ("module", "nothing else", "Two", "gone", "About") if word in made] == []
    assert "# no comment" in made and '"""kept\n\n# kept"""' in made
    lines = {
        node.lineno for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Return | ast.Assign | ast.FunctionDef | ast.ClassDef)
    }
    assert lines == {3, 7, 10, 13, 16}


def test_what_only_type_checkers_and_readers_ask_for_goes(tool: ModuleType) -> None:
    made = tool.lean('__all__ = ["f"]\n\ndef f(x: int) -> dict[str, "é"]: return {}\n')
    assert made == "\n\ndef f(x: int) : return {}\n"
    assert "-> int" in tool.lean("def f() -> int: return 1\n", keeps_returns=True)


def test_comments_of_cpp_go_and_lines_stay(tool: ModuleType) -> None:
    text = "int a = 1'000;  // one\n/* two\n lines */ const char* b = \"// kept /* kept */\";\nchar c = '\"';  // quote\n"
    made = tool.lean_cpp(text)
    assert made == "int a = 1'000;\n\n const char* b = \"// kept /* kept */\";\nchar c = '\"';\n"


def test_the_whole_package_can_do_without_words(tool: ModuleType) -> None:
    sources = [path.read_text("utf-8") for folder in ("assistant", "lsp", "prompts") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert sum(len(tool.lean(source)) for source in sources) < 0.9 * sum(map(len, sources))
