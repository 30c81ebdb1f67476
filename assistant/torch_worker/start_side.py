"""The file that a side's Python starts: makes `assistant.torch_worker.side` importable there, and nothing else that lies next to it.

With the path of an order it runs that one; without, orders that come over standard input, each in a child.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path


def _package(name: str, folder: Path) -> None:
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package


def main() -> int:
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    sys.dont_write_bytecode = True
    _package("assistant", here.parent)
    _package("assistant.torch_worker", here)
    started = importlib.import_module("assistant.torch_worker.side.main")
    return started.run(Path(sys.argv[1])) if len(sys.argv) > 1 else started.run_orders()


if __name__ == "__main__":
    sys.exit(main())
