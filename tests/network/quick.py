"""Spares every Python of the tests 2.5 s of a processor: what no test asks for is not prepared.

``jsonschema`` (of JupyterLab, of MCP's package, of the tests) imports ``rfc3987_syntax`` where it is installed, which builds 37 parsers as
it is imported, to check the formats ``iri`` and ``iri-reference``. No schema here has such a text; without the package ``jsonschema``
leaves these two formats unchecked. ``sitecustomize.py`` next to this file does the same in child processes.
"""

from __future__ import annotations

import sys

__all__ = ["leave_out_parsers"]


def leave_out_parsers() -> None:
    """From now on ``import rfc3987_syntax`` raises ImportError."""
    sys.modules["rfc3987_syntax"] = None  # pyright: ignore[reportArgumentType]
