"""What every transformation's tests share: a context from a data file, and applying its edits."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.plan import Decline, Rewrite
from assistant.model.profile import Evidence, Finding, Method, Severity
from assistant.model.source import Source
from assistant.plan.expert.transformation import Transformation, TransformationContext

DATA = Path(__file__).resolve().parents[2] / "data" / "plan"
_HEAD = re.compile(r"// kernel=(\S+) line=(\d+) finding=(KO\d+)")


def make_context(text: str, evidence: tuple[Evidence, ...] = (), others: tuple[Source, ...] = ()) -> TransformationContext:
    """The context that a text's first line asks for, ``// kernel=NAME line=N finding=KOnnn``, in a program with these other files."""
    head = _HEAD.match(text)
    assert head is not None, f"not `// kernel=NAME line=N finding=KOnnn`: {text.splitlines()[0]}"
    parsed = parse(Source(Path("/kernel.cu"), text))
    kernel = next(k for k in parsed.kernels if k.name == head[1])
    found = Finding(head[3], kernel.key, int(head[2]), Severity.WARNING, "", tuple(e.id for e in evidence), None)
    limits = architecture("sm_90")
    assert limits is not None
    return TransformationContext(parsed, SyntaxTree(text, others=others), kernel, found, evidence, (), (), None, limits)


def make_applied(text: str, rewrite: Rewrite) -> str:
    for edit in sorted(rewrite.edits, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


@pytest.fixture
def context_of() -> Callable[..., TransformationContext]:
    return make_context


@pytest.fixture
def applied() -> Callable[[str, Rewrite], str]:
    return make_applied


@pytest.fixture
def declined() -> Callable[[Transformation, Path], Decline]:
    """Why a data file's kernel is left alone; fails where it was transformed."""

    def check(transformation: Transformation, path: Path) -> Decline:
        result = transformation.rewrite(make_context(path.read_text("utf-8")))
        assert isinstance(result, Decline), [make_applied(path.read_text("utf-8"), r) for r in result]
        return result

    return check


@pytest.fixture
def wavefronts() -> Evidence:
    return Evidence("E1", "shared_wavefronts", 1024.0, "wavefronts", 1, Method.EMULATOR, "emulator, sm_90 rules")
