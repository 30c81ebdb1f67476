"""Commands of ``cluster``: workers of this machine for a dask scheduler, and what a scheduler's workers offer. Their options only."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.options import Json
from assistant.errors import UsageError

__all__ = ["add_cluster_commands"]

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="Of the scheduler, as dask scheduler prints it: tcp://HOST:8786")]


def add_cluster_commands(app: typer.Typer) -> None:
    """Register the group."""
    cluster = typer.Typer(help="Many GPUs and machines at once, by dask.distributed.", no_args_is_help=True)
    cluster.callback()(lambda: None)
    cluster.command("worker")(_worker)
    cluster.command("show")(_show)
    app.add_typer(cluster, name="cluster")


def _worker(
    address: Address,
    gpus: Annotated[str, typer.Option(metavar="N,…", help="One worker for each of these GPUs: all, none, or numbers with commas")] = "all",
    cpu: Annotated[int, typer.Option("--cpu", min=0, help="Workers without a GPU, for the emulator and PyTorch on the CPU")] = 1,
) -> None:
    """Work for a scheduler until Ctrl-C: programs that its clients send are built and run here, as you. Use none that others can reach."""
    with loading():
        from assistant.cli.cluster_answers import work

    raise typer.Exit(work(address, _indices(gpus), cpu))


def _show(address: Address, as_json: Json = False) -> None:
    """The scheduler's workers: the device of each, and whether it has this kernelopt."""
    with loading():
        from assistant.cli.cluster_answers import show

    raise typer.Exit(show(address, as_json))


def _indices(words: str) -> tuple[int, ...] | None:
    """None: all. Raises UsageError."""
    if words in {"all", "none"}:
        return None if words == "all" else ()
    numbers = words.split(",")
    if not all(number.strip().isdecimal() for number in numbers):
        raise UsageError(f"--gpus takes all, none or numbers with commas, not {words!r}", "nvidia-smi -L lists them")
    return tuple(map(int, numbers))
