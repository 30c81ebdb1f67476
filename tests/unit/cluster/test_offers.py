"""Which workers would do for a piece of work, and what is said where none would."""

from __future__ import annotations

import pytest

from assistant.cluster.offers import CPU, Offer, chosen_device, needed_for, offer_of, offers_in
from assistant.errors import CannotAnswerError, UsageError

OWN, OTHER = "0.1.0+3f9a1c5d7e21", "0.0.9+000000000000"
H100, H200 = "NVIDIA H100 80GB HBM3", "NVIDIA H200"
MIXED = (Offer("a", OWN, H200), Offer("b", OWN, H200), Offer("c", OWN, CPU), Offer("d", OTHER, H100))


def test_a_worker_offers_what_work_on_its_device_needs() -> None:
    for device in (CPU, H100):
        needed = needed_for(OWN, device)
        assert offer_of("a", needed) == Offer("a", OWN, device)
        assert ("GPU" in needed) == (device != CPU)
    assert needed_for(OWN, H100).keys() & needed_for(OWN, H200).keys() == {"GPU"}
    assert offer_of("a", {"GPU": 1}) is None


def test_only_running_workers_of_ours_count() -> None:
    def worker(name: str, status: str, resources: dict[str, float]) -> dict[str, object]:
        return {"name": name, "status": status, "resources": resources}

    workers = {
        "tcp://1": worker("one", "running", needed_for(OWN, CPU)),
        "tcp://2": worker("two", "closing", needed_for(OWN, CPU)),
        "tcp://3": worker("three", "running", {}),
    }
    assert offers_in({"workers": workers}) == (Offer("one", OWN, CPU),)


@pytest.mark.parametrize(
    ("wanted", "device"), [(None, H200), ("auto", H200), ("gpu", H200), ("gpu:3", H200), ("gpu:h200", H200), ("cpu", CPU)]
)
def test_a_device_is_one_model_of_workers_with_this_kernelopt(wanted: str | None, device: str) -> None:
    assert chosen_device(MIXED, OWN, wanted) == device


def test_without_a_gpu_the_emulator_does_only_where_none_was_asked_for() -> None:
    assert chosen_device((Offer("c", OWN, CPU),), OWN, None) == CPU
    with pytest.raises(CannotAnswerError, match="has gpu and this kernelopt"):
        chosen_device((Offer("c", OWN, CPU),), OWN, "gpu")


def test_two_models_are_never_mixed() -> None:
    both = (*MIXED, Offer("e", OWN, H100))
    with pytest.raises(UsageError, match=f"{H200}, {H100}") as refused:
        chosen_device(both, OWN, None)
    assert refused.value.remedy == f"--device 'gpu:{H200}' takes one"
    assert chosen_device(both, OWN, "gpu:h100") == H100


def test_another_kernelopt_is_named() -> None:
    with pytest.raises(CannotAnswerError, match="2 with NVIDIA H200 and another kernelopt") as missing:
        chosen_device(MIXED, OTHER, "gpu:h200")
    assert "same kernelopt" in missing.value.remedy
    with pytest.raises(CannotAnswerError, match="no worker of kernelopt"):
        chosen_device((), OWN, None)
    with pytest.raises(UsageError, match="not 'tpu'"):
        chosen_device(MIXED, OWN, "tpu")
