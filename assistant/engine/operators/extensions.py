"""Calls of a candidate's extensions on the emulator: each extension is one program, built once (builds are cached) and run with all calls
that the candidate has asked for so far.

Example::

    runs = ExtensionRuns(job, candidate_text)
    failure = await runs.answer(0, request, calls, folder)      # writes folder/answers0.bin
"""

from __future__ import annotations

import asyncio
import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.engine.job import Job, Stopwatch
from assistant.lab.torch_sides import extension_folder
from assistant.model.build import DiagnosticSeverity, Flags
from assistant.model.profile import Problem
from assistant.model.recording import WORK_KINDS, Recording
from assistant.model.source import Source
from assistant.operators.evidence import Seen
from assistant.operators.extension_text import Extension, ExtensionText, extension_text
from assistant.operators.host_access import HostAccess
from assistant.ports.lab import LabFailure, Program, ProgramRun
from assistant.workload.stream_order import needs_in_order

__all__ = ["ExtensionRuns"]

_MODE = "check"
_ANSWER_BYTES = 1 << 30
"""What the functions of one extension may return, all calls together."""
_OF_PYTORCH = re.compile(r"\b(?:at|torch|c10|py|pybind11)::|'(?:at|torch|c10|py|pybind11)'|has no member named|No such file")
"""In a compiler's message: PyTorch's C++ interface is in question, of which the emulator has a part."""
_OWN_STREAM = re.compile(r"\bcudaStreamCreate|\bgetStreamFromPool\b|\bcudaStreamPerThread\b")
_IDENTITY_BYTES = 64
"""A SHA-256 in hexadecimal digits."""
_DEFINED = ("TORCH_EXTENSION_NAME=kernelopt_extension",)


class ExtensionRuns:
    """What the extensions of one candidate did on the emulator."""

    def __init__(self, job: Job, candidate: Source) -> None:
        self._job = job
        self._candidate = candidate
        self._texts: dict[int, ExtensionText] = {}
        self._programs: dict[int, Program] = {}
        self._runs: dict[int, ProgramRun] = {}
        self._limits = replace(job.limits, output_bytes=_ANSWER_BYTES, whole_s=0.0)
        self.gave_up: str | None = None
        """Why the emulator did not come to the end of a call: it has less time and memory than a GPU."""
        self.works_aside = False
        """Whether `look_at_streams` saw a function return before kernels of its own had to have run."""

    @property
    def seen(self) -> Seen:
        """What the emulator saw of the candidate's kernels."""
        return Seen(self.problems, self.launch_count, self.works_aside, self.host_accesses)

    @property
    def launch_count(self) -> int:
        """Kernels that ran."""
        return sum(run.launch_count for run in self._runs.values())

    @property
    def host_accesses(self) -> tuple[HostAccess, ...]:
        """Where host code reads or writes tensors itself, at lines of the candidate's file where they are known."""
        found = [(text, access) for text in self._texts.values() for access in text.host_accesses]
        return tuple(replace(access, line=text.place(access.line, self._candidate.text) or 0) for text, access in found)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the emulator saw wrong, at lines of the candidate's file where they are known."""
        return tuple(self._placed(index, problem) for index, run in self._runs.items() for problem in run.problems)

    async def answer(self, index: int, request: dict[str, Any], calls: list[str], folder: Path) -> LabFailure | None:
        """Run the calls that stand in ``folder/calls{index}.bin``; what each left goes to ``folder/answers{index}.bin``."""
        is_first = index not in self._texts
        texts = tuple(text for _, text in request["sources"])
        headers = extension_folder()
        main = await asyncio.to_thread((headers / "kernelopt/main.cpp").read_text, "utf-8")
        extension = Extension(request["name"], texts, tuple(request["functions"]), tuple(request["schemas"]))
        text = self._texts.setdefault(index, extension_text(extension, main))
        program = Program(
            sources=(Source(folder / f"{request['name']}.cu", text.text),),
            flags=Flags((f"-I{headers}", *(f"-D{name}" for name in _DEFINED), *request["flags"])),
            arguments=(f"calls{index}.bin",),
            working_directory=folder,
            is_candidate=True,
        )
        watch = Stopwatch(self._job, "build" if is_first else "run")
        if is_first:
            watch.begin(f"the extension {request['name']}, for the emulator")
        run = await self._job.lab.emulated.run(
            program, _MODE, replace(self._job.limits, output_bytes=_ANSWER_BYTES, whole_s=0.0), record=False
        )
        if isinstance(run, LabFailure):
            return self._failed(extension, run, text)
        if is_first:
            watch.end(f"the extension {request['name']} is built and has run")
        self._programs[index], self._runs[index] = program, run
        if run.timed_out or run.memory_exceeded or run.output_truncated:
            self.gave_up = _end_in_words(run)
        await asyncio.to_thread(_write_answers, folder / f"answers{index}.bin", calls, run)
        return None

    async def look_at_streams(self) -> None:
        """Run the last calls of extensions that have streams of their own once more, and look at what waits for what."""
        for index, program in self._programs.items():
            if self.works_aside or not _OWN_STREAM.search(self._texts[index].text):
                continue
            run = await self._job.lab.emulated.run_streams(
                program, False, replace(self._job.limits, output_bytes=_ANSWER_BYTES, whole_s=0.0)
            )
            if not isinstance(run, LabFailure) and run.recording is not None:
                self.works_aside = _works_aside(run.recording)

    def _failed(self, extension: Extension, failure: LabFailure, text: ExtensionText) -> LabFailure:
        """Of a build, the first error at its place; what PyTorch's own headers may declare is beyond the emulator, and no mistake."""
        if failure.kind != "not_built":
            return failure
        name = extension.name
        errors = [each for each in failure.diagnostics if each.severity is not DiagnosticSeverity.WARNING]
        if not errors:
            return replace(failure, message=f"the extension {name} does not compile: {failure.message}")
        first = errors[0]
        line = text.place(first.line, self._candidate.text)
        place = "" if line is None else f" ({self._candidate.path.name}:{line})"
        missing = next((each for each in extension.functions if line is None and f"'{each}' was not declared" in first.message), None)
        if missing is not None:
            message = f"the extension {name} has no function {missing}, which is given as one of its functions"
            return replace(failure, message=message, diagnostics=())
        if any(_OF_PYTORCH.search(error.message) for error in errors):
            message = f"the emulator does not have what the extension {name} uses of PyTorch's C++ interface: {first.message}{place}"
            return LabFailure("unsupported", message, "compute it in a kernel, or in Python; docs/how-to/operators.md lists what there is")
        return replace(failure, message=f"the extension {name} does not compile: {first.message}{place}", diagnostics=())

    def _placed(self, index: int, problem: Problem) -> Problem:
        line = self._texts[index].place(problem.line, self._candidate.text) if problem.line else None
        other = None if problem.other_line is None else self._texts[index].place(problem.other_line, self._candidate.text)
        return replace(problem, file=str(self._candidate.path), line=line or 0, other_line=other)


def _works_aside(recording: Recording) -> bool:
    """Whether a copy to the host is not ordered behind a launch that was issued before it: copies are what reads results here."""
    needs = needs_in_order(recording)
    if needs is None:
        return False
    steps = [step for step in recording.steps or () if step.kind in WORK_KINDS]
    launches, behind = 0, list[int]()
    for place, (step, needed) in enumerate(zip(steps, needs, strict=True)):
        behind.append(sum({1 << at for at in needed}))
        for at in needed:
            behind[place] |= behind[at]
        if step.kind == "copy_to_host" and launches & ~behind[place]:
            return True
        launches |= (step.kind == "launch") << place
    return False


def _write_answers(path: Path, calls: list[str], run: ProgramRun) -> None:
    """Each with what identifies its call; a call that the program did not come back from gets an error. Earlier answers that ask for
    functions of PyTorch stay: the candidate comes to them again."""
    kept = _asking(path.read_bytes()) if path.exists() else b""
    data, at = run.stdout, 0
    with path.open("wb") as file:
        file.write(kept)
        for identity in calls:
            answer = _at(data, at)
            at += 8 + len(answer or b"")
            if answer is None:
                at = len(data)
                answer = _error(_end_in_words(run))
            file.write(struct.pack("<q", len(answer)) + identity.encode() + answer)


def _asking(answers: bytes) -> bytes:
    kept, at = b"", 0
    while at < len(answers):
        (size,) = struct.unpack_from("<q", answers, at)
        whole = answers[at : at + 8 + _IDENTITY_BYTES + size]
        kept += whole if whole[8 + _IDENTITY_BYTES :][:1] == b"C" else b""
        at += len(whole)
    return kept


def _at(data: bytes, at: int) -> bytes | None:
    if at + 8 > len(data):
        return None
    (size,) = struct.unpack_from("<q", data, at)
    return data[at + 8 : at + 8 + size] if at + 8 + size <= len(data) else None


def _error(message: str) -> bytes:
    words = message.encode()
    return b"E" + struct.pack("<q", len(words)) + words


def _end_in_words(run: ProgramRun) -> str:
    if run.timed_out:
        return "the extension's kernels did not end in time on the emulator: raise --timeout, or make the task's sizes smaller"
    if run.memory_exceeded:
        return "the extension needs more memory than limits.memory_bytes"
    if run.output_truncated:
        return "the extension returned more than the emulator takes: make the task's sizes smaller"
    how = run.signal or f"status {run.exit_status}"
    left_out = "; ".join(run.left_out or run.unsupported)
    return f"the extension's process ended with {how}{': ' if left_out else ''}{left_out}"
