"""The benchmark against Nsight Compute from its command on, with searches that were kept and a program that prints like ncu."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from assistant.model.comparison import CaseSpeed, SpeedOutcome
from assistant.serialize import encode
from benchmarks.gpu.against_ncu import main
from benchmarks.gpu.ncu_searches import Built, Edit, Search

_NCU = """\
#!/bin/sh
echo "$@" >> "$0.log"
for binary; do :; done
case $binary in *edited0*) time=20,480;; *) time=40,960;; esac
echo '==PROF== Connected to process 4711'
echo '"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"'
echo '"0","scale(float *, int)","(256, 1, 1)","(4096, 1, 1)","gpu__time_duration.sum","ns","'$time'"'
"""


def _toolkit(folder: Path, ncu: str) -> Path:
    tool = folder / "bin" / "ncu"
    tool.parent.mkdir(parents=True)
    tool.write_text(ncu, "utf-8")
    tool.chmod(0o755)
    return tool


def _kept(out: Path) -> None:
    (out / "scale.cu").touch()
    case = CaseSpeed("n=1048576", 1.0, 2.0, 1.98, 2.02, SpeedOutcome.FASTER, 41.5e-6, 20.5e-6)
    edit = Edit("P1", "scale(float *, int)", ("grid-stride",), (case,), "paired", "good", "")
    built = Built(out / "scale-edited0.out", (edit,))
    found = Search("scale", "gpu:0", 3, 1, 1, 9.0, False, "1 proposal", out / "scale.out", (built,), ())
    (out / "ncu.json").write_text(json.dumps([{"what": "search", **encode(found)}]))


def _said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ncu: str = _NCU) -> Path:
    """The command's arguments are set, and ncu is what it finds."""
    tool = _toolkit(tmp_path / "toolkit", ncu)
    monkeypatch.setenv("CUDA_HOME", str(tool.parents[1]))
    monkeypatch.setattr(sys, "argv", ["against_ncu", str(tmp_path), "--runs", "2", "--out", str(tmp_path)])
    return Path(f"{tool}.log")


def test_what_searches_found_is_run_under_ncu_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _kept(tmp_path)
    log = _said(monkeypatch, tmp_path)
    assert main() == 0
    shown = capsys.readouterr().out
    assert "| scale | scale n=1048576 | grid-stride | 41.5 µs | 41.0 µs | +1.3% | 2.024 | 2.000 | +1.2% | 0.0% |" in shown
    binaries = [Path(line.split()[-1]).name for line in log.read_text().splitlines()]
    assert binaries == ["scale.out", "scale-edited0.out"] * 2 + ["scale.out"] * 2, "in turn; then once for each fact"
    assert "--clock-control none --cache-control all --metrics gpu__time_duration.sum" in log.read_text()


def test_what_was_measured_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _kept(tmp_path)
    log = _said(monkeypatch, tmp_path)
    main()
    ran = log.read_text()
    assert main() == 0
    assert log.read_text() == ran


def test_where_ncu_measures_nothing_what_it_says_is_shown_and_nothing_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _kept(tmp_path)
    _said(monkeypatch, tmp_path, "#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM'\nexit 1\n")
    assert main() == 1
    assert "scale.out: ncu ended with 1: ==ERROR== ERR_NVGPUCTRPERM" in capsys.readouterr().out
    assert [row["what"] for row in json.loads((tmp_path / "ncu.json").read_text())] == ["search"]
