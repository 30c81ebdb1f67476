"""Builds kernelopt's wheel and packs its texts for the extension, to be compressed as one stream.

One stream takes half of what many small files take one by one, and a fifth of that is documentation, which stays in the repository.
`python/make_wheel.py` makes the wheel of it again and says what the packed file looks like.

Example::

    python tools/wheel.py kernelopt-0.1.0.texts
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

__all__ = ["build", "pack", "undocumented"]

_SOURCE = Path(__file__).resolve().parents[2]
_DEADLINE_S = 300
_TERMINAL = (
    *(f"assistant/{part}/" for part in ("bench", "study", "training", "cluster", "agents/synthesis")),
    *(
        f"assistant/cli/{name}"
        for name in ("bench_", "study_answers.py", "training_answers.py", "cluster_", "judging_many.py", "tasks_making.py")
    ),
)
"""Of ``bench``, ``study``, ``train``, ``cluster``, ``tasks make`` and ``tasks judge``: all but their options, which say so."""
_DOCUMENTATION_IS_READ = ("assistant/cli/", "assistant/mcp/")
"""Where a function's docstring is shown: as a command's help, and to a model as what a tool does."""


def build(packed: Path) -> None:
    """Packs the wheel of this tree. Raises with pip's own words where it could not be built."""
    with tempfile.TemporaryDirectory() as made:
        command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", made, str(_SOURCE))
        subprocess.run(command, check=True, timeout=_DEADLINE_S)
        (wheel,) = Path(made).glob("kernelopt-*.whl")
        pack(wheel, packed)


def pack(wheel: Path, packed: Path) -> None:
    """What a server needs of a wheel, files of one kind next to each other, as they resemble each other."""
    with zipfile.ZipFile(wheel) as compressed:
        names = [name for name in compressed.namelist() if not name.endswith(".dist-info/RECORD") and not _is_left_out(name)]
        contents = [(name, _needed(name, compressed.read(name))) for name in sorted(names, key=lambda name: (Path(name).suffix, name))]
    index = json.dumps([[name, len(content)] for name, content in contents], separators=(",", ":"))
    packed.write_bytes(index.encode("ascii") + b"\n" + b"".join(content for _, content in contents))


def _needed(name: str, content: bytes) -> bytes:
    """Metadata without the description behind its fields, which is the README; code without documentation that nothing reads."""
    if name.endswith(".dist-info/METADATA"):
        return content.partition(b"\n\n")[0] + b"\n"
    if name.endswith(".py") and not name.startswith(_DOCUMENTATION_IS_READ):
        return undocumented(content.decode("utf-8")).encode("utf-8")
    return content


def undocumented(code: str) -> str:
    """A module without docstrings, but for those of classes, which schemas hold. Each line keeps its number, so tracebacks stay right."""
    lines = code.split("\n")
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        kept = node.body[:1] if isinstance(node, ast.ClassDef) else []
        for text in (each for each in node.body if _is_text(each) and each not in kept):
            end = text.end_lineno or text.lineno
            lines[text.lineno - 1 : end] = [""] * (end - text.lineno + 1)
            if len(node.body) == 1 and not isinstance(node, ast.Module):
                lines[text.lineno - 1] = " " * text.col_offset + "..."
    return "\n".join(lines)


def _is_text(statement: ast.stmt) -> bool:
    """Whether this is a text that stands alone: a docstring, or what is said below a name."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def _is_left_out(name: str) -> bool:
    """What no editor asks for: commands of a terminal that no other command needs, and what is for notebooks."""
    return name.startswith(_TERMINAL) or _is_for_notebooks(name)


def _is_for_notebooks(name: str) -> bool:
    """Magic, server extension, pages and the Python interface: no notebook's kernel runs in the environment that the extension makes."""
    top = name.partition("/")[0]
    is_interface = top == "kernelopt" and name not in ("kernelopt/__init__.py", "kernelopt/__main__.py")
    return top == "jupyter_ext" or top.endswith(".data") or name.startswith("assistant/live/") or is_interface


if __name__ == "__main__":
    build(Path(sys.argv[1]))
