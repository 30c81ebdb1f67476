"""Fixtures for test suites that hold kernels; found by pytest itself. Nothing is loaded before one of them is used.

Example::

    def test_scale(kernelopt_compile):
        scale = kernelopt_compile("scale.cu", grid=4, block=256)
        kernelopt.testing.assert_kernel(scale, (out, x, 1000), ref=reference)

``pytest --kernelopt-device=cpu`` chooses where kernels run: auto (the default), cpu, gpu or gpu:N.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    import kernelopt

_OPTION = "--kernelopt-device"
_HOME = Path(__file__).resolve().parents[1]
"""Where all packages of this distribution are."""
_OURS = tuple(_HOME / name for name in ("assistant", "jupyter_ext", "kernelopt"))


class Compile(Protocol):
    """As `kernelopt.compile`, in the tests' session."""

    def __call__(self, source: str | Path, kernel: str | None = None, **options: Any) -> kernelopt.Kernel: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("kernelopt").addoption(
        _OPTION, default="auto", metavar="DEVICE", help="where CUDA kernels of tests run: auto, cpu (the emulator), gpu or gpu:N"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """A refused call is shown with the test's own lines: none of ours, as its message says all. ``--full-trace`` shows them."""
    if call.excinfo is None or not _is_refusal(call.excinfo) or item.config.rootpath == _HOME:
        return  # in the tests of this package its lines are what counts
    for entry in call.excinfo.traceback:
        if any(Path(entry.path).is_relative_to(folder) for folder in _OURS):
            entry.frame.f_globals.setdefault("__tracebackhide__", _is_refusal)


def _is_refusal(raised: pytest.ExceptionInfo[BaseException]) -> bool:
    errors = sys.modules.get("assistant.errors")
    return errors is not None and isinstance(raised.value, errors.KernelOptError)


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
