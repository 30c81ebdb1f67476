"""What a language server does not load: it stays small beside an editor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_HEAVY = ("numpy", "torch", "openai", "jinja2", "IPython")
_OPENED = f"""
import asyncio, json, sys
from benchmarks.lsp_programs import large_source
from benchmarks.lsp_session import typing_in_process
asyncio.run(typing_in_process(large_source(100), 1))
import lsp.server
print(json.dumps([name for name in {_HEAVY!r} if name in sys.modules]))
"""


def test_opening_and_typing_in_a_source_loads_no_library_for_arrays_models_or_notebooks() -> None:
    """NumPy alone takes 25 MiB, a sixth of what a server may take (docs/measurements.md, Language server)."""
    root = Path(__file__).parents[3]
    command = (sys.executable, "-c", _OPENED)
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == []
