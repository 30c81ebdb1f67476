"""The model's client costs half a second to import: a command that asks no model does not pay for it, and one folder alone knows it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
CLIENT = re.compile(r"^\s*(?:import|from) (?:openai|httpx2?)\b", re.M)


def test_one_module_imports_the_client_and_one_its_transport() -> None:
    modules = [
        module.relative_to(ROOT).as_posix()
        for folder in ("kernelopt", "assistant", "lsp", "jupyter_ext")
        for module in (ROOT / folder).rglob("*.py")
        if CLIENT.search(module.read_text("utf-8"))
    ]
    assert sorted(modules) == ["assistant/plan/providers/bounded.py", "assistant/plan/providers/endpoint.py"]


def test_it_is_not_loaded_before_a_provider_is_opened() -> None:
    asked = (
        "import sys, assistant.cli.app, assistant.cli.models, assistant.plan.providers, assistant.editor.host, lsp.models;"
        "print([name for name in ('openai', 'httpx2') if name in sys.modules])"
    )
    said = subprocess.run((sys.executable, "-c", asked), capture_output=True, text=True, check=True, timeout=60, cwd=ROOT).stdout
    assert said.strip() == "[]"
