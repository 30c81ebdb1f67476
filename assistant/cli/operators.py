"""Options about PyTorch tasks, and the request that commands on one make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.paths import plain_path
from assistant.engine import JobRequest, OperatorOptions
from assistant.errors import UsageError

__all__ = ["Backward", "OnlyCustom", "Operator", "operator_request"]

Operator = Annotated[str | None, typer.Option("--op", metavar="CLASS", help="The reference class of a PyTorch task; default Model")]
OnlyCustom = Annotated[bool, typer.Option("--only-custom", help="Of a PyTorch task: FAIL where PyTorch computes for the candidate")]
Backward = Annotated[bool, typer.Option("--backward", help="Of a PyTorch task: gradients are compared, too")]

_PYTHON = ".py"


def operator_request(
    file: Path, options: OperatorOptions, kernel: str | None, device: str | None, timeout_s: float | None, target: str | None = None
) -> JobRequest | None:
    """The request about a PyTorch task; None where the command is about kernels. Raises UsageError where that is not clear."""
    if _is_task(file, options.class_name, kernel):
        return JobRequest(file=plain_path(file), working_directory=Path.cwd(), device=device, target=target, timeout_s=timeout_s)
    if options.only_custom or options.is_backward:
        name = "--only-custom" if options.only_custom else "--backward"
        raise UsageError(f"{name} is about PyTorch tasks, and {file.name} is none", "docs/how-to/operators.md says what a task is")
    return None


def _is_task(file: Path, class_name: str | None, kernel: str | None) -> bool:
    if file.suffix != _PYTHON and class_name is None:
        return False
    with loading():
        from assistant.engine import is_operator

    return is_operator(plain_path(file), class_name, kernel)
