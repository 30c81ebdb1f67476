"""Builds an example of a page with a ``main`` that checks it, and runs it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

BLOCK = re.compile(r"```cuda\n(.*?)```", re.DOTALL)


def run_example(code: str, architecture: str, nvcc: str, folder: Path) -> None:
    """Fails where ``code`` does not compile for ``architecture`` (``90a``) alone, or its ``main`` returns anything but 0."""
    source, program = folder / "page.cu", folder / "page"
    source.write_text(code, "utf-8")
    # nvcc 13.0 would make PTX for the plain architecture, too, of -arch=sm_90a
    command = (nvcc, "-gencode", f"arch=compute_{architecture},code=sm_{architecture}", "-std=c++17", "-o", str(program), str(source))
    built = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run((str(program),), capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
