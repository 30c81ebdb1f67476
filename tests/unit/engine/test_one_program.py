"""An edit that is not one program to all compilers, or reads what the original does not: told by preprocessors before it is compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Job
from assistant.engine.judge.one_program import FOREIGN_READING, WITHOUT_EMULATOR, WITHOUT_NVCC, OneProgram, compared, foreign_reading
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion, candidate_of, with_text, with_texts
from assistant.measure.targets import target
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram, Preprocessings, Survivor
from assistant.ports.lab import LabFailure, Program, RunLimits
from tests.changes import own
from tests.contracts.fake_lab import FakeLab

TEXT = "__global__ void k(float *x)\n{\n    x[0] = 1.0f;\n}\n"
STORE = "    x[0] = 1.0f;\n"
DOUBTFUL = TEXT.replace(STORE, f"#ifdef __PIC__\n{STORE}#else\n    x[0] = 2.0f;\n    x[1] = 2.0f;\n#endif\n")
"""The emulator's compiler makes code of this kind; nvcc does not."""
INCLUDING = f'#include "more.h"\n{TEXT}'
Views = Callable[[str], Preprocessings]
MISSING = NotPreprocessed("it is not installed", is_missing=True)


class Lab(FakeLab):
    """Its preprocessors see what a test says."""

    views: Views

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        return self.views(program.sources[0].text)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.cu").write_text(TEXT)
    lab = Lab(tmp_path, {})
    return Job("J", JobRequest(tmp_path / "a.cu", tmp_path), lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())


def versions(job: Job, text: str) -> tuple[SourceVersion, SourceVersion]:
    original = read_version(job.request, DEFAULT_FLAGS)
    return original, with_text(original, text)


def seen(job: Job, text: str, *lines: int, files: tuple[str, ...] = ()) -> PreprocessedProgram:
    """The text with these of its lines, from 1; none: with all but directives."""
    written = enumerate(text.splitlines(), start=1)
    chosen = [(number, line) for number, line in written if (number in lines if lines else not line.startswith("#"))]
    return PreprocessedProgram(tuple(Survivor(str(job.request.file), number, line) for number, line in chosen), (), files)


def alike(job: Job, *doubtful: int) -> Views:
    """All compilers see the same: of a doubtful text, these lines."""

    def views(text: str) -> Preprocessings:
        view = seen(job, text, *(doubtful if text == DOUBTFUL else ()))
        return Preprocessings(view, view, view)

    return views


async def of(job: Job, text: str, views: Views) -> OneProgram:
    assert isinstance(job.lab, Lab)
    job.lab.views = views
    return await compared(job, *versions(job, text))


NVCC_LINES, EMULATOR_LINES = (1, 2, 6, 7, 9), (1, 2, 4, 9)


async def test_what_no_compiler_can_read_otherwise_is_not_asked_of_any(job: Job) -> None:
    def never(text: str) -> Preprocessings:
        raise AssertionError("the text alone shows it")

    assert await of(job, TEXT, never) == OneProgram()
    assert await of(job, TEXT.replace("1.0f", "2.0f"), never) == OneProgram()


async def test_an_edit_in_which_compilers_part_cannot_be_judged(job: Job) -> None:
    def views(text: str) -> Preprocessings:
        if text == TEXT:
            return alike(job)(text)
        nvcc = seen(job, text, *NVCC_LINES)
        return Preprocessings(seen(job, text, *EMULATOR_LINES), nvcc, nvcc)

    problem = (await of(job, DOUBTFUL, views)).problem
    assert problem is not None and problem.reason.startswith("B is not one program to all compilers: ")
    assert "line 4 (`#ifdef __PIC__`) is compiled by the emulator and not by" in problem.reason and problem.remedy


async def test_a_line_that_no_compiler_keeps_is_reported(job: Job) -> None:
    came = await of(job, DOUBTFUL, alike(job, *EMULATOR_LINES))
    assert (came.problem, came.caveats) == (None, ("2 lines from 6 on are compiled for no device here",))
    came = await of(job, DOUBTFUL, alike(job, *EMULATOR_LINES, 7))
    assert came.caveats == ("line 6 is compiled for no device here",)


async def test_compilers_that_are_not_here_are_a_caveat(job: Job) -> None:
    def without(*missing: str) -> Views:
        gone = dict.fromkeys(missing, MISSING)
        return lambda text: replace(alike(job)(text), **gone)

    assert (await of(job, DOUBTFUL, without("emulator"))).caveats == (WITHOUT_EMULATOR,)
    for missing in (("device",), ("host",), ("device", "host")):
        assert (await of(job, DOUBTFUL, without(*missing))).caveats == (WITHOUT_NVCC,)
    assert (await of(job, DOUBTFUL, alike(job))).caveats == ()


@pytest.mark.parametrize(("side", "name"), [("emulator", "the emulator's"), ("device", "nvcc's"), ("host", "nvcc's")])
async def test_an_edit_that_a_preprocessor_refuses_cannot_be_judged(job: Job, side: str, name: str) -> None:
    refusal = NotPreprocessed("unterminated conditional")
    problem = (await of(job, DOUBTFUL, lambda text: replace(alike(job)(text), **({side: refusal} if text == DOUBTFUL else {})))).problem
    assert problem is not None and problem.reason == f"{name} preprocessor does not take B: unterminated conditional"
    both = await of(job, DOUBTFUL, lambda text: replace(alike(job)(text), **{side: refusal}))
    assert both.problem is None  # nor does it take A: that is no fault of B's


async def read(job: Job, text: str, files: tuple[str, ...], is_candidate: bool) -> LabFailure | None:
    """``files``: what the edit reads, and the original does not."""
    assert isinstance(job.lab, Lab)

    def views(text: str) -> Preprocessings:
        view = seen(job, text, files=() if text == TEXT else files)
        return Preprocessings(view, MISSING, MISSING)

    job.lab.views = views
    original, edited = versions(job, text)
    return await foreign_reading(job, original, candidate_of(original, own(original, text)) if is_candidate else edited)


async def test_a_candidate_reads_nothing_that_the_original_does_not(job: Job, tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("")
    inside = str(tmp_path / "more.h")
    for files in ((), (inside,), ("/etc/passwd",)):  # the header is named by the text, whatever the preprocessor says
        failure = await read(job, INCLUDING, files, is_candidate=True)
        assert failure is not None and failure.kind == FOREIGN_READING and "which the original does not" in failure.message
    assert await read(job, TEXT, (), is_candidate=True) is None
    assert await read(job, TEXT.replace("1.0f", "2.0f"), ("/etc/passwd",), is_candidate=True) is None  # no directive: nothing is asked


async def test_a_persons_edit_reads_what_is_in_the_workspace(job: Job, tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("")
    assert await read(job, INCLUDING, (str(tmp_path / "more.h"),), is_candidate=False) is None
    failure = await read(job, INCLUDING, ("/etc/passwd",), is_candidate=False)
    assert failure is not None and failure.message == "B is not compiled: it reads /etc/passwd, which the original does not"
    (tmp_path / "link.h").symlink_to("/etc/passwd")
    failure = await read(job, INCLUDING, (str(tmp_path / "link.h"),), is_candidate=False)
    assert failure is not None and "link.h" in failure.message


@pytest.mark.parametrize(("answer", "reason"), [(MISSING, "none is here"), (NotPreprocessed("a loop of includes"), "a loop of includes")])
async def test_an_edit_of_directives_that_no_preprocessor_reads_is_not_compiled(job: Job, answer: NotPreprocessed, reason: str) -> None:
    assert isinstance(job.lab, Lab)
    job.lab.views = lambda text: Preprocessings(answer, answer, answer)
    failure = await foreign_reading(job, *versions(job, INCLUDING))
    assert failure is not None and failure.message.endswith(f"no preprocessor shows what it reads: {reason}")


async def test_a_directive_that_misleads_is_refused_before_anybody_is_asked(job: Job) -> None:
    def never(text: str) -> Preprocessings:
        raise AssertionError("the text alone shows it")

    misleading, says = f"#line 7\n{TEXT}", "sets by `#line` which file its lines belong to, so what"
    problem = (await of(job, misleading, never)).problem
    assert problem is not None and problem.reason == f"B {says} each compiler compiles cannot be known"
    refused = await foreign_reading(job, *versions(job, misleading))
    assert refused is not None and refused.message == f"B is not compiled: it {says} it reads cannot be known"


@pytest.mark.parametrize("misleading", ["a.cu", "b.cu"])
async def test_of_several_edited_files_one_that_misleads_is_enough(job: Job, misleading: str) -> None:
    beside = job.request.file.with_name("b.cu")
    beside.write_text(TEXT.replace("void k", "void second"))
    original = read_version(replace(job.request, extra_sources=(beside,)), DEFAULT_FLAGS)
    edits = (
        replace(source, text=f"#line 7\n{source.text}" if source.path.name == misleading else source.text.replace("1.0f", "2.0f"))
        for source in original.sources
    )
    problem = (await compared(job, original, with_texts(original, tuple(edits)))).problem
    assert problem is not None and "#line" in problem.reason


async def test_the_same_text_reads_the_same(job: Job) -> None:
    assert await foreign_reading(job, *versions(job, TEXT)) is None


async def test_further_places_in_which_compilers_part_are_counted(job: Job) -> None:
    two = DOUBTFUL.replace("}\n", "", 1) if DOUBTFUL.count("}\n") > 1 else DOUBTFUL
    twice = two + DOUBTFUL.replace("void k", "void second")

    def views(text: str) -> Preprocessings:
        if text == TEXT:
            return alike(job)(text)
        lines = len(DOUBTFUL.splitlines())
        nvcc = seen(job, text, *NVCC_LINES, *(lines + line for line in NVCC_LINES))
        return Preprocessings(seen(job, text, *EMULATOR_LINES, *(lines + line for line in EMULATOR_LINES)), nvcc, nvcc)

    problem = (await of(job, twice, views)).problem
    assert problem is not None and problem.reason.endswith("; and 5 further places")


async def test_a_header_that_nvcc_alone_has_leaves_the_emulator_out(job: Job) -> None:
    """CUB's headers are in CUDA's toolkit, and the emulator has none of them: what nvcc sees is compared, and what was not is named."""
    text = TEXT.replace(STORE, "    x[0] = 2.0f;\n#ifdef X\n#endif\n")

    def views(read: str) -> Preprocessings:
        nvccs = seen(job, read)
        refusal = NotPreprocessed("line 1: cub/cub.cuh: No such file or directory", lacks_header=True)
        return Preprocessings(nvccs if read == TEXT else refusal, nvccs, nvccs)

    assert await of(job, text, views) == OneProgram(None, (WITHOUT_EMULATOR,))
    without_nvcc = await of(job, text, lambda read: replace(views(read), device=MISSING, host=MISSING))
    assert without_nvcc.problem is not None and "the emulator's preprocessor does not take B" in without_nvcc.problem.reason
    other = await of(
        job,
        text,
        lambda read: replace(views(read), emulator=replace(NotPreprocessed("line 2: x")) if read != TEXT else views(read).emulator),
    )
    assert other.problem is not None
