"""Options about PyTorch tasks, and the request that commands on one make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.paths import plain_path
from assistant.engine import BASELINES, JobRequest, OperatorOptions
from assistant.errors import UsageError

__all__ = ["Backward", "Baselines", "OnlyCustom", "Operator", "Sizes", "operator_options", "operator_request", "own_candidate"]

Operator = Annotated[str | None, typer.Option("--op", metavar="CLASS", help="The reference class of a PyTorch task; default Model")]
OnlyCustom = Annotated[bool, typer.Option("--only-custom", help="Of a PyTorch task: FAIL where PyTorch computes for the candidate")]
Backward = Annotated[bool, typer.Option("--backward", help="Of a PyTorch task: gradients are compared, too")]
Baselines = Annotated[
    str | None,
    typer.Option(
        "--baselines",
        metavar="NAMES",
        help="Of a PyTorch task on a GPU: what is timed besides eager: of compile and max-autotune, separated by commas; default compile",
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Option("--size", metavar="NAME=N", help="Of a PyTorch task: another value of a whole number at the top of its file; repeatable"),
]

_PYTHON = ".py"


def operator_options(
    class_name: str | None,
    *,
    only_custom: bool = False,
    is_backward: bool = False,
    is_strict: bool = False,
    baselines: str | None = None,
    sizes: list[str] | None = None,
) -> OperatorOptions:
    """Raises UsageError for a baseline that there is not, and for a size that is no number."""
    given = () if baselines is None else tuple(name.strip() for name in baselines.split(",") if name.strip())
    names = OperatorOptions().baselines if baselines is None else tuple(dict.fromkeys((BASELINES[0], *given)))
    unknown = next((name for name in names if name not in BASELINES), None)
    if unknown is not None:
        raise UsageError(f"--baselines does not know {unknown!r}", f"there are {', '.join(BASELINES)}")
    return OperatorOptions(class_name, only_custom, is_backward, is_strict, names, tuple(map(_size, sizes or ())))


def _size(text: str) -> tuple[str, int]:
    name, _, number = (part.strip() for part in text.partition("="))
    if not name.isidentifier() or not number.isdecimal():
        raise UsageError(f"--size takes NAME=N, not {text!r}", "--size rows=4096")
    return name, int(number)


def operator_request(
    file: Path, options: OperatorOptions, kernel: str | None, device: str | None, timeout_s: float | None, target: str | None = None
) -> JobRequest | None:
    """The request about a PyTorch task; None where the command is about kernels. Raises UsageError where that is not clear."""
    if _is_task(file, options.class_name, kernel):
        return JobRequest(file=plain_path(file), working_directory=Path.cwd(), device=device, target=target, timeout_s=timeout_s)
    if options != OperatorOptions(options.class_name, is_strict=options.is_strict):
        name = _named_option(options)
        raise UsageError(f"{name} is about PyTorch tasks, and {file.name} is none", "docs/how-to/operators.md says what a task is")
    return None


def own_candidate(sources: list[Path] | None) -> Path | None:
    """The version that a search on a task goes on from; None: one is written. Raises UsageError for what is no such file."""
    named = sources or []
    if len(named) > 1 or any(each.suffix != ".cu" for each in named):
        raise UsageError(f"a search on a PyTorch task begins with one .cu file, not with {' '.join(map(str, named))}")
    return plain_path(named[0]) if named else None


def _named_option(options: OperatorOptions) -> str:
    if options.only_custom:
        return "--only-custom"
    return "--backward" if options.is_backward else "--size" if options.sizes else "--baselines"


def _is_task(file: Path, class_name: str | None, kernel: str | None) -> bool:
    if file.suffix != _PYTHON and class_name is None:
        return False
    with loading():
        from assistant.engine import is_operator

    return is_operator(plain_path(file), class_name, kernel)
