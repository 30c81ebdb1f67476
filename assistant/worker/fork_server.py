"""A program that prepares itself once, and then runs each task in a child that it forks: the requester's end.

What takes long (imports) is so done once, and each task still finds the program as it was prepared. The program gets one end of a connected
pair as its standard input. For each task it receives a text with two descriptors, which become the child's standard output and error; when
the child and all that it started are gone, it sends the child's status as of wait(2) (``STATUS``). Its own streams are those of the first
task until it is prepared. A program that cannot fork safely runs the task itself and ends with it: the next task starts another.

Example::

    server = ForkServer(Command(("python3", "server.py"), Path("/scratch"), {}), launcher)
    outcome = server.run("/scratch/order.json", Bounds(wall_s=60), Path("out"), Path("err"))
    server.close()
"""

from __future__ import annotations

import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path

from assistant.worker.child import Bounds, Command, Outcome, followed, limits_for
from assistant.worker.launcher import Launcher, RunningProgram, Streams
from assistant.worker.sandbox import Confinement

__all__ = ["STATUS", "ForkServer"]

STATUS = struct.Struct("=i")
_Streams = tuple[int, int]
"""Descriptors of standard output and error."""


class ForkServer:
    """One program; it is started for the first task, and again where it has ended."""

    def __init__(self, command: Command, launcher: Launcher) -> None:
        self.command = command
        self._launcher = launcher
        self._started: tuple[RunningProgram, socket.socket] | None = None

    def run(self, task: str, bounds: Bounds, stdout: Path, stderr: Path, confinement: Confinement | None = None) -> Outcome:
        """How the task ended; its output is in the two files. Raises Interrupted, OSError (not startable, or not confinable).

        ``confinement`` and what ``bounds`` allow a single process are in force from the task for which the program is started.
        """
        out, programs_out = os.pipe()
        err, programs_err = os.pipe()
        try:
            try:
                running = self._asked(task, (programs_out, programs_err), bounds, confinement)
            finally:
                os.close(programs_out)
                os.close(programs_err)
            with stdout.open("wb") as out_file, stderr.open("wb") as err_file:
                outcome = followed(running, bounds, {out: out_file, err: err_file})
        except BaseException:
            self.close()
            raise
        finally:
            os.close(out)
            os.close(err)
        if not running.is_answered:
            self.close()
        return outcome

    def close(self) -> None:
        """End the program, and what runs in it."""
        if self._started is not None:
            program, connection = self._started
            self._started = None
            connection.close()
            program.end()

    def _asked(self, task: str, streams: _Streams, bounds: Bounds, confinement: Confinement | None) -> _Task:
        if self._started is not None and self._started[0].poll() is not None:
            self.close()
        if self._started is None:
            self._started = self._start(streams, bounds, confinement)
        program, connection = self._started
        with suppress(ConnectionError):  # it has ended meanwhile: so has the task
            socket.send_fds(connection, [task.encode()], streams)
        return _Task(program, connection)

    def _start(self, streams: _Streams, bounds: Bounds, confinement: Confinement | None) -> tuple[RunningProgram, socket.socket]:
        own, programs = socket.socketpair()
        try:
            with programs:
                given = Streams(programs.fileno(), *streams)
                return self._launcher.start(self.command, given, limits_for(bounds), confinement), own
        except BaseException:
            own.close()
            raise


class _Task:
    """One task while it runs."""

    def __init__(self, program: RunningProgram, connection: socket.socket) -> None:
        self._program = program
        self._connection = connection
        self._code: int | None = None
        self.session = program.session

    @property
    def is_answered(self) -> bool:
        """Whether the program has said how the task ended, and waits for the next one."""
        return self._code is not None

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs. The program's own, where that ran it or was killed."""
        if self._code is None and select.select([self._connection], [], [], 0)[0]:
            with suppress(ConnectionError):
                said = self._connection.recv(STATUS.size, socket.MSG_WAITALL)
                if len(said) == STATUS.size:
                    self._code = os.waitstatus_to_exitcode(STATUS.unpack(said)[0])
        return self._program.poll() if self._code is None else self._code

    def end(self) -> int:
        """How it ended; where it has not, the program is killed with it."""
        code = self.poll()
        return self._program.end() if code is None or self._code is None else code
