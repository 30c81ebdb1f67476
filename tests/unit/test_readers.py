"""Who reads text by patterns: CUDA text only `assistant.cuda`, whose tokens and trees the layers above it ask."""

from __future__ import annotations

import ast

from tests.unit.import_graph import MODULES

LAYERS = ("assistant.verify", "assistant.workload", "assistant.engine")
OTHER_TEXT = {
    "assistant.engine.evaluate.evaluating": "messages of compilers and linkers",
    "assistant.engine.operators.extensions": "messages of compilers",
    "assistant.engine.pair.state": "what a person types",
    "assistant.engine.proposals.constraints": "what a person types",
    "assistant.engine.proposals.explain": "placeholders in a rationale",
    "assistant.engine.proposals.rebased": "what a summary says of hunks",
    "assistant.engine.search.printed": "what a program prints",
    "assistant.engine.search.same_work": "operands of machine code",
    "assistant.verify.instructions": "opcodes of machine code",
    "assistant.verify.stdout": "what a program prints",
    "assistant.workload.blocks": "TOML in comments that the tokens show, and messages of tomllib",
    "assistant.workload.boundary": "numbers in a block's expressions",
    "assistant.workload.expressions": "a block's expressions",
    "assistant.workload.recordings": "names of files",
    "assistant.workload.toml_lines": "TOML",
    "assistant.workload.values": "a block's values",
}
"""Modules that read something else by regular expressions, and what."""


def test_cuda_text_has_one_reader() -> None:
    """A pattern over code is a `CodePattern`, a vocabulary `Words`; whoever imports ``re`` says here what other text it reads."""
    users = {name for name in MODULES if name.startswith(LAYERS) and imports_re(MODULES[name].read_text("utf-8"))}
    assert users == set(OTHER_TEXT)


def test_every_way_to_import_it_counts() -> None:
    assert imports_re("def f():\n    from re import sub\n") and imports_re("import re as r\n") and imports_re("import regex\n")
    assert not imports_re("import record\nfrom assistant.cuda import reading\n")


def imports_re(text: str) -> bool:
    nodes = list(ast.walk(ast.parse(text)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return not names.isdisjoint({"re", "regex"})
