"""Recorded launches run once more under ``ncu``, whose report becomes profiles.

Example::

    NcuRuns(os.environ).collect(request)      # CountersReply with profiles of Method.NCU, or why there are none
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from assistant.device.child_commands import relaunch_command
from assistant.device.counters.failure import CountingFailure
from assistant.device.counters.ncu import INSTALL_NCU, command, find_cuda_tool, refusal_of
from assistant.device.counters.protocol import CountersReply, CountersRequest
from assistant.device.counters.report import ReportRequest, has_report_reader
from assistant.device.counters.report_process import read_report_apart
from assistant.device.process import ToolRunner
from assistant.device.relaunch import RelaunchRequest
from assistant.serialize import dumps

__all__ = ["NcuRuns"]

_FILL = 0xAB
_SLOW_S = 10.0
"""For one launch: several times what is usual (docs/measurements.md)."""
_MISSING = CountingFailure("missing", "Nsight Compute's ncu is not installed", INSTALL_NCU)
_UNREAD = CountingFailure("missing", "ncu is there, but not the package that reads its reports", "pip install ncu-report")
_SLOW = CountingFailure(
    "slow", f"ncu took more than {_SLOW_S:g} s for a launch on this machine", "end what else uses the GPU, or let CUPTI count"
)


class NcuRuns:
    """Remembers whether ncu is slow here."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._is_slow = False

    @property
    def can_count(self) -> bool:
        """Whether there is anything to try."""
        return not isinstance(self._found(), CountingFailure)

    def collect(self, request: CountersRequest) -> CountersReply:
        """Counters of the launches in question; nothing where ncu is missing, or was slow before."""
        ncu = self._found()
        if isinstance(ncu, CountingFailure):
            return CountersReply((), (ncu,))
        start_s = time.monotonic()
        reply = self._run(ncu, request)
        self._is_slow = time.monotonic() - start_s > _SLOW_S * max(1, request.launch_limit)
        return reply

    def _found(self) -> Path | CountingFailure:
        ncu = find_cuda_tool("ncu", self._environment)
        if ncu is None:
            return _MISSING
        if not has_report_reader():
            return _UNREAD
        return _SLOW if self._is_slow else ncu

    def _run(self, ncu: Path, request: CountersRequest) -> CountersReply:
        with tempfile.TemporaryDirectory(prefix="counters-") as folder:
            asked, report = Path(folder, "request.json"), Path(folder, "report.ncu-rep")
            relaunch = RelaunchRequest(request.image, request.cases, _FILL, is_poison_written=True, wall_s=request.wall_s)
            asked.write_text(dumps(relaunch), "utf-8")
            Path(folder, "sections").mkdir()
            called = command(ncu, report, request.symbols, request.launch_limit, relaunch_command(asked))
            output = ToolRunner(self._environment).run(called, cwd=None, timeout_s=request.wall_s, temporary=Path(folder))
            if not report.is_file():
                return CountersReply((), (refusal_of(output.text, output.status is None),))
            reply = read_report_apart(ReportRequest(str(report), request.launch_limit, request.places), self._environment)
        if reply.report is None:
            said = reply.refusal
            assert said is not None
            return CountersReply((), (CountingFailure("failed", said.message, said.remedy),))
        return CountersReply(reply.report.launches)
