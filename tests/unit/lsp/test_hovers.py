"""Of several findings on a line, a hover is about the one that is under the pointer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from assistant.editor.hover_words import line_hover
from assistant.editor.view import EMPTY_VIEW, Note
from assistant.model.profile import Severity
from lsp.features.hovers import under
from lsp.units import Unit

_LINE = "  int b = (int)(g[i] * 255.0);"
_TEXT = f"__global__ void k(const float *g, int i)\n{{\n{_LINE}\n}}\n"
_LITERAL = Note("profile", 3, 0, Severity.WARNING, "The double literal 255.0 makes float code compute in double", "kernelopt", "KO106")
_NARROW = replace(_LITERAL, severity=Severity.INFORMATION, code="KO118", message="Each access of this line moves 4 bytes a thread")
_VIEW = replace(EMPTY_VIEW, notes=(_LITERAL, _NARROW))


def _said(character: int) -> str:
    unit = Unit("file:///w/k.cu", "file:///w/k.cu", Path("/w/k.cu"), _TEXT, _TEXT, types.PositionEncodingKind.Utf16, None)
    seen = under(unit, _VIEW, 3, types.Position(2, character))
    return "\n".join(line_hover(seen, 3, is_noted=True))


def test_the_advice_is_of_the_finding_under_the_pointer() -> None:
    assert "float4" in _said(_LINE.index("g[i]")) and "sqrtf" not in _said(_LINE.index("g[i]"))
    assert "sqrtf" in _said(_LINE.index("255.0")) and "float4" not in _said(_LINE.index("255.0"))


def test_beside_all_findings_the_costliest_comes_first() -> None:
    assert "sqrtf" in _said(0)
