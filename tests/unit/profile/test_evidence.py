"""Where a number is from, in words."""

import pytest

from assistant.profile.evidence import made_by


@pytest.mark.parametrize(
    ("method", "device", "words"),
    [
        ("emulator", "CPU emulator (counting rules of sm_90)", "CPU emulator (counting rules of sm_90)"),
        ("emulator", "emulator, sm_90 rules", "emulator, sm_90 rules"),
        ("cupti", "NVIDIA H200", "cupti, NVIDIA H200"),
    ],
)
def test_a_method_that_the_device_names_is_not_said_twice(method: str, device: str, words: str) -> None:
    assert made_by(method, device) == words
