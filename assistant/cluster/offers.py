"""What workers offer, as dask knows it: resources by name, and which of them a piece of work needs. Pure.

Each worker offers ``GPU`` or ``CPU``, and a second resource that names its kernelopt and its device. Work asks for both, so that dask gives
it to no worker with another version and to no GPU of another model: times of different GPUs never meet in one run. A worker that was not
started by ``kernelopt cluster worker`` offers neither, and gets nothing. Example::

    needed_for("0.1.0+3f9a", "NVIDIA H200")     # {"GPU": 1, "kernelopt 0.1.0+3f9a on NVIDIA H200": 1}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.errors import CannotAnswerError, UsageError
from assistant.record import Record

__all__ = ["CPU", "Offer", "chosen_device", "needed_for", "offer_of", "offers_in", "offers_in_words", "shortfall"]

CPU = "cpu"
"""The device of a worker without a GPU: the emulator."""
_NAMED = re.compile(r"kernelopt (?P<build>\S+) on (?P<device>.+)")
_START = "kernelopt cluster worker ADDRESS starts workers"


class Offer(Record):
    """What one worker offers."""

    worker: str
    build: str
    device: str
    """``cpu``, or the name of a GPU."""


def needed_for(build: str, device: str) -> dict[str, float]:
    """Resources that work on such a device takes up, which are those that such a worker has."""
    return {"CPU" if device == CPU else "GPU": 1, f"kernelopt {build} on {device}": 1}


def offer_of(worker: str, resources: Iterable[str]) -> Offer | None:
    """None of a worker that is not ours."""
    found = next((match for name in resources if (match := _NAMED.fullmatch(name))), None)
    return None if found is None else Offer(worker, found["build"], found["device"])


def offers_in(identity: Mapping[str, Any]) -> tuple[Offer, ...]:
    """From what a scheduler says of itself (``Scheduler.identity``)."""
    workers: Iterable[Mapping[str, Any]] = identity["workers"].values()
    running = [each for each in workers if each.get("status", "running") == "running"]
    offers = [offer_of(str(each["name"]), each["resources"]) for each in running]
    return tuple(sorted((offer for offer in offers if offer is not None), key=lambda offer: (offer.device, offer.worker)))


def chosen_device(offers: Sequence[Offer], build: str, wanted: str | None) -> str:
    """The device that ``--device`` means among workers with this kernelopt: of GPUs, one model.

    ``wanted``: ``auto`` or None (a GPU where there is one), ``cpu``, ``gpu``, or ``gpu:`` and a part of a model's name; a number, meant
    for one machine, is any GPU here. Raises CannotAnswerError where there is none, UsageError where several models would do.
    """
    word = wanted or "auto"
    kind, _, name = word.partition(":")
    if kind not in {"auto", "cpu", "gpu"} or (name and kind != "gpu"):
        raise UsageError(f"on a cluster --device takes auto, cpu, gpu or gpu:NAME, not {word!r}", "kernelopt cluster show lists them")
    own = list(dict.fromkeys(offer.device for offer in offers if offer.build == build))
    if kind == "cpu":
        fitting = [CPU] if CPU in own else []
    else:
        part = "" if name.isdecimal() else name.lower()
        fitting = [device for device in own if device != CPU and part in device.lower()]
        if not fitting and kind == "auto" and CPU in own:
            fitting = [CPU]
    if not fitting:
        raise CannotAnswerError(shortfall(offers, build, "a GPU" if kind == "auto" else word), _remedy(offers, build))
    if len(fitting) > 1:
        models = ", ".join(fitting)
        raise UsageError(
            f"the cluster has several models of GPUs, whose times do not mix: {models}", f"--device 'gpu:{fitting[0]}' takes one"
        )
    return fitting[0]


def shortfall(offers: Sequence[Offer], build: str, wanted: str) -> str:
    """That no worker offers what is wanted, with what there is."""
    return f"no worker of the cluster has {wanted} and this kernelopt ({build}); it has {offers_in_words(offers, build)}"


def offers_in_words(offers: Sequence[Offer], build: str) -> str:
    """``2 with cpu, 1 with cpu and another kernelopt (0.0.9+…)``"""
    if not offers:
        return "no worker of kernelopt"
    counted = Counter((offer.device, offer.build) for offer in offers)
    words = [
        f"{count} with {device}" + ("" if found == build else f" and another kernelopt ({found})")
        for (device, found), count in sorted(counted.items())
    ]
    return ", ".join(words)


def _remedy(offers: Sequence[Offer], build: str) -> str:
    if any(offer.build != build for offer in offers):
        return "install the same kernelopt on all machines, and start the workers again"
    return f"{_START} where there is a GPU; --device cpu takes the emulator" if offers else _START
