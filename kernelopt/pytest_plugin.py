"""Fixtures for test suites that hold kernels; found by pytest itself. Nothing is loaded before one of them is used.

Example::

    def test_scale(kernelopt_compile):
        scale = kernelopt_compile("scale.cu", grid=4, block=256)
        kernelopt.testing.assert_kernel(scale, (out, x, 1000), ref=reference)

``pytest --kernelopt-device=cpu`` chooses where kernels run: auto (the default), cpu, gpu or gpu:N.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    import kernelopt

_OPTION = "--kernelopt-device"


class Compile(Protocol):
    """As `kernelopt.compile`, in the tests' session."""

    def __call__(self, source: str | Path, kernel: str | None = None, **options: Any) -> kernelopt.Kernel: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("kernelopt").addoption(
        _OPTION, default="auto", metavar="DEVICE", help="where CUDA kernels of tests run: auto, cpu (the emulator), gpu or gpu:N"
    )


@pytest.fixture(scope="session")
def kernelopt_session(request: pytest.FixtureRequest) -> Generator[kernelopt.Session]:
    """The session of this run of the tests, on the device of ``--kernelopt-device``."""
    import kernelopt

    try:
        opened = kernelopt.Session(str(request.config.getoption(_OPTION)))
    except kernelopt.KernelOptError as error:
        raise pytest.UsageError(f"{_OPTION}: {error}") from error
    with opened:
        yield opened


@pytest.fixture(scope="session")
def kernelopt_compile(kernelopt_session: kernelopt.Session) -> Compile:
    """`kernelopt.compile` in that session."""
    import kernelopt

    return partial(kernelopt.compile, session=kernelopt_session)
