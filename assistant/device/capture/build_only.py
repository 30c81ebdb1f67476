"""Runs a Python script until PyTorch has built its first extension, and ends there: nothing that was built is loaded.

It is started as a file by the script's own interpreter, which may know nothing of this package::

    python build_only.py train.py --steps 1         # ends with BUILT, or as the script ends that builds nothing or fails to
"""

import importlib
import os
import runpy
import sys
from pathlib import Path

BUILT = 75
"""Exit status: the extension is built, and the script went no further."""
CANNOT_STOP = 76
"""Exit status: this PyTorch loads what it builds in another way; nothing was run."""
_LOADS = "_import_module_from_library"
"""What `torch.utils.cpp_extension` calls once an extension is built (PyTorch 1.0 to 2.13)."""


def main() -> None:
    cpp_extension = importlib.import_module("torch.utils.cpp_extension")
    if not hasattr(cpp_extension, _LOADS):
        os._exit(CANNOT_STOP)
    setattr(cpp_extension, _LOADS, _stop)
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


def _stop(*_arguments: object, **_named: object) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(BUILT)  # no handler of the script's own runs


if __name__ == "__main__":
    main()
