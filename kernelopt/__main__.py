"""Start the command line, unless another distribution's package stands in front of one of ours.

``assistant`` and ``lsp`` are names that other distributions have too. Where Python would import one of theirs, kernelopt says so in one
sentence instead of failing somewhere inside.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["main"]

_PACKAGES = ("assistant", "lsp")
_CANNOT_ANSWER = 3
"""As `assistant.cli.exit_codes`, which may be out of reach here."""


def main() -> int:
    """Run one command; its exit code."""
    problem = foreign_package()
    if problem is not None:
        sys.stderr.write(f"error: {problem}\n")
        return _CANNOT_ANSWER
    from assistant.__main__ import main as run

    return run()


def foreign_package() -> str | None:
    """Which package of ours Python would import from elsewhere, and what to do; None where all are our own. Imports nothing."""
    ours = Path(__file__).resolve().parents[1]
    for name in _PACKAGES:
        spec = find_spec(name)
        origin = None if spec is None or spec.origin is None else Path(spec.origin).resolve()
        if origin != ours / name / "__init__.py":
            found = "is not installed" if origin is None else f"comes from {origin.parent}, another distribution"
            return (
                f"kernelopt needs its own package `{name}` in {ours}, but here `{name}` {found}\n"
                "  install kernelopt in an environment of its own (with uv tool or pipx install kernelopt) and unset PYTHONPATH"
            )
    return None


if __name__ == "__main__":
    sys.exit(main())
