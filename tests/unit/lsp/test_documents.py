"""Texts that no file can hold."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.unit.lsp.session import opened

HALF = "// \ud83d\n__global__ void k(float *x) { x[threadIdx.x] = x[threadIdx.x] * 0.1; } // \U0001f600\n"


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [("cuda-cpp", HALF, 1), ("python", f'import cupy\ncupy.RawKernel(r"""{HALF}""", "k")\n', 2)],
)
def test_half_of_a_surrogate_pair_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, text: str, line: int
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))

    async def talk() -> None:
        """Opens the document, asks for its lenses, and finds no error shown."""
        async with opened(tmp_path) as session:
            session.open("file:///w/k", text, language)
            lenses = session.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///w/k"}})
            assert lenses and {lens["range"]["start"]["line"] for lens in lenses} == {line}
            assert [message for message in session.sent if message.get("method") == "window/showMessage"] == []

    asyncio.run(talk())
