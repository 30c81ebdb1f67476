"""Tests that need a GPU: ``make test-gpu``, ``make test-gpu-cheats``. Elsewhere they are left out, with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.lab.gpus import NoGpu, usable_gpus


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        mark = pytest.mark.skip(reason=f"no usable GPU: {found.reason}")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(mark)


@pytest.fixture(scope="session")
def architecture() -> str:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    return found[0].architecture


@pytest.fixture(scope="session")
def nvcc() -> str:
    from assistant.device.toolchain import find_toolchain, installed_wheel_tree

    tool = find_toolchain(os.environ, installed_wheel_tree()).nvcc
    assert tool is not None, "no nvcc"
    return tool.path
