"""What the commands of ``cluster`` do and print."""

from __future__ import annotations

import json
import os

import typer

from assistant.cli import exit_codes
from assistant.cli.cluster_asked import opened
from assistant.cli.jobs import run_async
from assistant.cluster import own_build, planned_workers, serve
from assistant.cluster.opening import demand_dask
from assistant.lab.gpus import NoGpu, usable_gpus
from assistant.serialize import encode

__all__ = ["show", "work"]


def work(address: str, indices: tuple[int, ...] | None, cpu_count: int) -> int:
    """Work until the scheduler ends, or this process is interrupted; raises KernelOptError."""
    demand_dask()
    gpus = usable_gpus(os.environ)
    plans = planned_workers(gpus, indices, cpu_count)
    for plan in plans:
        typer.echo(f"{plan.name}: {plan.device}")
    if isinstance(gpus, NoGpu) and indices is None:
        typer.echo(f"no worker with a GPU: {gpus.reason}")

    def say() -> None:
        typer.echo(f"working for {address}: what its clients send is run here, as you. Ctrl-C ends it")

    async def until_the_end() -> int:
        await serve(address, plans, say)
        typer.echo("the scheduler ended")
        return exit_codes.DONE

    return run_async(until_the_end, "ended; what was under way is done by other workers, if there are any")


def show(address: str, as_json: bool) -> int:
    """Exit code 1 where no worker has this kernelopt."""

    async def shown() -> int:
        async with opened(address) as cluster:
            offers = await cluster.offers()
        own = own_build()
        if as_json:
            typer.echo(json.dumps({"build": own, "workers": [encode(offer) for offer in offers]}))
        else:
            for offer in offers:
                other = "" if offer.build == own else f", another kernelopt ({offer.build}): it gets nothing from here"
                typer.echo(f"{offer.worker}: {offer.device}{other}")
            typer.echo(f"{len(offers)} workers of kernelopt; this one is {own}")
        return exit_codes.DONE if any(offer.build == own for offer in offers) else exit_codes.ANSWER_IS_NO

    return run_async(shown, "interrupted")
