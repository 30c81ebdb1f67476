"""What stands below the first cell on a machine while the emulator is built."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jupyter_ext import first_build
from jupyter_ext.first_build import reported


class Shown:
    """An output that keeps what it showed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.has_ticked = threading.Event()

    def update(self, bundle: Mapping[str, Any], *, raw: bool) -> None:
        assert raw
        self.lines.append(bundle["text/plain"])
        self.has_ticked.set()


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    output = Shown()

    def show(bundle: Mapping[str, Any]) -> Shown:
        output.lines.append(bundle["text/plain"])
        return output

    monkeypatch.setattr(first_build, "show", show)
    monkeypatch.setattr(first_build, "_EACH_S", 0.001)
    return output


def test_the_seconds_are_shown_until_it_is_built(tmp_path: Path, shown: Shown) -> None:
    (tmp_path / "emulator").mkdir()
    (tmp_path / "emulator" / "prelude-1.lock").touch()  # a build that began
    with reported(tmp_path):
        assert shown.has_ticked.wait(5.0)
    assert shown.lines[:2] == ["building the emulator (once, about 60 s)", "building the emulator (once, about 60 s): 0 s"]
    assert shown.lines[-1] == ""


def test_nothing_is_shown_where_it_was_built_before(tmp_path: Path, shown: Shown) -> None:
    (tmp_path / "emulator" / "prelude-1").mkdir(parents=True)
    with reported(tmp_path):
        pass
    assert shown.lines == []


def test_a_process_without_a_front_end_waits_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a script uses IPython's own shell: what is displayed there has no handle."""
    monkeypatch.setattr(first_build, "_EACH_S", 0.001)
    monkeypatch.setattr(first_build, "is_terminal", lambda: False)
    with reported(tmp_path):
        time.sleep(0.02)
