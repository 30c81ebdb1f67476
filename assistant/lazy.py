"""A package's public names, each imported from its module when it is first asked for: importing the package alone costs next to nothing.

The package's ``__init__`` says where they live, one on a line, in a block that only type checkers execute. Example::

    if TYPE_CHECKING:
        from assistant.engine.doctor.models import examine_models as examine_models

    __getattr__ = names_of(__name__, __file__)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["names_of"]

_EXPORT = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)


def names_of(package: str, file: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``package``, whose ``__init__`` is ``file``. Names that it does not list raise AttributeError."""
    modules: dict[str, str] = {}

    def named(name: str) -> Any:
        if not modules:
            modules.update((exported, module) for module, exported in _EXPORT.findall(Path(file).read_text("utf-8")))
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return named
