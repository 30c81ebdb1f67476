"""What a session says before its kernels can be compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.lab.cache import FIRST_BUILD
from kernelopt.sessions import Session


def test_a_script_that_waits_for_the_emulator_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    with Session("cpu") as session:
        session.tell_first_build()
        assert capsys.readouterr().err == f"kernelopt: {FIRST_BUILD}\n"
        (session.lab.cache / "emulator" / "prelude-1").mkdir(parents=True)
        session.tell_first_build()
        assert capsys.readouterr().err == ""
