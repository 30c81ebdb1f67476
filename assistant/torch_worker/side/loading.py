# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""A task's or a candidate's file as a module, and its class as a model."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import torch

from assistant.torch_worker.side.failures import SideError, in_words

__all__ = ["load", "made"]


def load(path: str, name: str, folder: str) -> Any:
    """The module; ``folder``: where its own imports are looked for. Raises SideError."""
    sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SideError("bad_task", f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SideError:
        raise
    except (Exception, SystemExit) as error:
        raise SideError("raised", f"importing {path.rpartition('/')[2]} raised {in_words(error, path)}") from error
    return module


def made(kind: Any, init: Any, path: str) -> torch.nn.Module:
    """``kind(*init)``, or by name where ``init`` is a dict. Raises SideError."""
    try:
        model = kind(**init) if isinstance(init, dict) else kind(*init)
    except SideError:
        raise
    except Exception as error:
        raise SideError("raised", f"{kind.__name__}(…) raised {in_words(error, path)}") from error
    if not isinstance(model, torch.nn.Module):
        raise SideError("bad_task", f"{kind.__name__} is not a torch.nn.Module")
    return model
