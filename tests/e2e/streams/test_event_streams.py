"""What each of some forty runs tells, event by event, is what was recorded: ``make test-streams`` runs all, ``make test`` a few.

After a change that is meant: ``make test-streams UPDATE=1``, and read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.e2e.cli.harness import ROOT, working_cli
from tests.e2e.streams.runs import RUNS, events_of
from tests.normal_events import normal_lines


class EventLines(SingleFileSnapshotExtension):
    """A file for each run, a line for each event."""

    _write_mode = WriteMode.TEXT
    file_extension = "jsonl"


_SHORT = ("inspect_without_kernels", "check_not_compiled", "pair_start_and_stop")
"""Those that judge nothing: how many cases a judge takes depends on how fast the machine is."""


@pytest.mark.parametrize("name", [name if name in _SHORT else pytest.param(name, marks=pytest.mark.thorough) for name in RUNS])
def test_a_run_emits_what_was_recorded(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with working_cli(tmp_path) as cli:
        cli.variables["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(Path(__file__).parent / "fixed_seeds")))
        folders = {str(cli.folder): "<work>", str(cli.home): "<home>", str(cli.temporary): "<tmp>", str(ROOT): "<repo>"}
        lines = normal_lines(events_of(RUNS[name], cli), folders)
    assert "\n".join(lines) + "\n" == snapshot(extension_class=EventLines)
