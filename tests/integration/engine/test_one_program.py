"""What an edit may not do: be one program to the emulator and another one to nvcc, or read files that the original does not."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Job
from assistant.engine.judge.one_program import OneProgram, compared, foreign_reading
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion, candidate_of, with_text
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram, Preprocessings
from assistant.model.verification import Label
from assistant.ports.lab import LabFailure, Program, RunLimits
from tests.caches import link_kept_emulator
from tests.changes import own

ORIGINAL = """#include <cassert>
#include <cstdio>
#include <vector>
#include "sizes.h"
#define CHECK(call) do { if ((call) != cudaSuccess) { std::printf("%s:%d\\n", __FILE__, __LINE__); } } while (0)
#ifdef _OPENMP
static const int threads = 4;
#else
static const int threads = 1;
#endif

__device__ float twice(float x)
{
#if __CUDA_ARCH__ >= 800
  return x + x;
#else
  return 2.0f * x;
#endif
}

__global__ void smooth(float *o, const float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = twice(x[i]) * LIMIT;
}

int main()
{
  const int n = 1000;
  float *o, *x;
  CHECK(cudaMalloc(&o, n * 4));
  CHECK(cudaMalloc(&x, n * 4));
  smooth<<<(n + 127) / 128, 128>>>(o, x, n);
  std::printf("%d\\n", threads);
}
"""
STORE = "  if (i < n) o[i] = twice(x[i]) * LIMIT;\n"


def kernel(lines: str, head: str = "") -> str:
    """The original with other lines in the place of the kernel's store, and ``head`` in front of it."""
    assert STORE in ORIGINAL
    return ORIGINAL.replace(STORE, lines).replace("__global__", head + "__global__", 1)


def chosen(condition: str, before: str = "") -> str:
    """The right store under a condition, and none where it does not hold."""
    return kernel(f"{before}{condition}\n{STORE}#else\n  if (i < n) o[i] = 0;\n#endif\n")


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def job(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Job]:
    """One lab for all, as its worker processes take a second to start."""
    limits = architecture("sm_90")
    assert limits is not None
    tmp_path = tmp_path_factory.mktemp("program")
    (tmp_path / "a.cu").write_text(ORIGINAL)
    (tmp_path / "sizes.h").write_text(
        "#pragma once\n#define LIMIT 3\n#ifdef __CUDACC_VER_BUILD__\n#define BUILD __CUDACC_VER_BUILD__\n#endif\n"
    )
    (tmp_path / ".git").mkdir()
    lab = CpuLab(tmp_path, link_kept_emulator(tmp_path / "cache"), "h200")
    yield Job("J", JobRequest(tmp_path / "a.cu", tmp_path), lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())
    await lab.close()


def original(job: Job) -> SourceVersion:
    return read_version(job.request, DEFAULT_FLAGS)


async def of(job: Job, text: str) -> OneProgram:
    before = original(job)
    return await compared(job, before, with_text(before, text))


def in_short(cases: dict[str, Any], long: tuple[str, ...]) -> list[Any]:
    return [pytest.param(case, marks=pytest.mark.thorough if name in long else ()) for name, case in cases.items()]


LIKE_OTHERS = (
    *("a header that only the emulator reads", "a name put together in the condition", "a value of the compiler's"),
    *("a value of the compiler's, put together by the C library's macro", "how a built-in variable is written"),
    *("a macro of the emulator's prelude", "a macro of the edit's own", "unrolling", "a condition on the compiler"),
    *("a line of the branch that is compiled", "a constant that conditions do not touch"),
)
"""Another case takes the same way."""

PARTING = {
    "the emulator's own mark": (chosen("#ifdef __KERNELOPT_EMULATOR__"), "#ifdef __KERNELOPT_EMULATOR__"),
    "how position-independent code is": (chosen("#ifndef __PIC__"), "#ifndef __PIC__"),
    "a header that only the emulator reads": (chosen("#ifdef _GLIBCXX_MAP"), "#ifdef _GLIBCXX_MAP"),
    "a header that only nvcc reads": (chosen("#ifndef __CUDA_RUNTIME_API_H__"), "#ifndef __CUDA_RUNTIME_API_H__"),
    "a name put together in the condition": (
        chosen("#if !defined(CAT) || CAT(__CUDACC_VER, _BUILD__) == 0", "#define CAT(a, b) a##b\n"),
        "CAT(__CUDACC_VER, _BUILD__)",
    ),
    "a value of the compiler's": (kernel("  if (i < n) o[i] = __CUDACC_VER_BUILD__ ? 0 : twice(x[i]);\n"), "__CUDACC_VER_BUILD__"),
    "a value of the compiler's, put together": (
        kernel("  if (i < n) o[i] = CAT(__CUDACC_VER, _BUILD__) ? 0 : twice(x[i]);\n", "#define CAT(a, b) a##b\n"),
        "__CUDACC_VER_BUILD__",
    ),
    "a value of the compiler's, put together by the C library's macro": (
        kernel("  if (i < n) o[i] = __CONCAT(__CUDACC_VER, _BUILD__) ? 0 : twice(x[i]);\n"),
        "__CUDACC_VER_BUILD__",
    ),
    "a value of the compiler's, in a header's macro": (kernel("  if (i < n) o[i] = BUILD ? 0 : twice(x[i]);\n"), "__CUDACC_VER_BUILD__"),
    "how a word of CUDA is written": (
        kernel("  if (i < n) o[i] = sizeof(TEXT(__global__)) > 40 ? twice(x[i]) : 0;\n", "#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n"),
        "__global__",
    ),
    "how a built-in variable is written": (
        kernel("  if (i < n) o[i] = sizeof(TEXT(threadIdx)) > 10 ? twice(x[i]) : 0;\n", "#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n"),
        "threadIdx",
    ),
    "host code": (ORIGINAL.replace("n = 1000;", "n = 1000;\n#ifdef __CUDA_ARCH__\n  return 0;\n#endif\n"), "nvcc for the host"),
    "a macro of the emulator's prelude": (kernel(STORE, "EMU_INLINE int other() { return 1; }\n"), "EMU_INLINE"),
    "a # that nvcc's front end reads": (
        kernel("[[x::y(\n H if 0\n)]]\n" + STORE + "[[x::y(\n H endif\n)]] ;\n", "#define H #\n"),
        "holds a #",
    ),
    "lines that belong to another file": (kernel('# 1 "/usr/include/stdio.h" 1 3\n' + STORE), "#line"),
    "a digraph": (kernel(f"%:ifdef __PIC__\n  return;\n%:endif\n{STORE}"), "digraphs"),
    "a spliced directive": (kernel(f"#if\\\ndef __PIC__\n  return;\n#endif\n{STORE}"), "__PIC__"),
    "behind what looks like a comment to a careless reader": (
        kernel(f"  float q = 1'1 + '\"' + sizeof(\"/*\");\n#ifdef __PIC__\n  return;\n#endif\n{STORE}"),
        "#ifdef __PIC__",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", in_short(PARTING, LIKE_OTHERS), ids=PARTING)
async def test_an_edit_that_is_another_program_to_another_compiler_cannot_be_judged(job: Job, text: tuple[str, str]) -> None:
    after, told = text
    problem = (await of(job, after)).problem
    assert problem is not None and told in problem.reason


SAME = {
    "arithmetic": kernel("  if (i < n) o[i] = 2.0f * x[i] * LIMIT;\n"),
    "a tile size": kernel("  if (i < n && i % TILE < TILE) o[i] = twice(x[i]) * LIMIT;\n", "#define TILE 32\n"),
    "a macro of the edit's own": kernel("  if (i < n) o[i] = SCALED(x[i]);\n", "#define SCALED(v) (twice(v) * LIMIT)\n"),
    "unrolling": kernel(f"#pragma unroll 4\n  for (int k = 0; k < 1; k++)\n{STORE}"),
    "a condition on the architecture, as the original has one": kernel(f"#if __CUDA_ARCH__ >= 800\n{STORE}#endif\n"),
    "a condition on the compiler": kernel(f"#ifdef __CUDACC__\n{STORE}#endif\n"),
    "another header of CUDA's": ORIGINAL.replace("#include <cstdio>", "#include <cooperative_groups.h>\n#include <cstdio>"),
    "words of CUDA in a macro": kernel(
        "  if (i < n) o[i] = tripled(x[i]);\n",
        "#define FN static __device__ __forceinline__\nFN float tripled(float v) { return 3 * v; }\n",
    ),
    "reads through the cache, checks and shared memory": kernel(
        "  __shared__ float s[128];\n  assert(n > 0);\n  s[threadIdx.x] = i < n ? __ldg(&x[i]) : 0.0f;\n  __syncthreads();\n"
        "  if (i < n) o[i] = twice(s[threadIdx.x]) * LIMIT;\n"
    ),
    "a line of the branch that is compiled": ORIGINAL.replace("return x + x;", "return x * 2;"),
    "a helper that its callers choose": kernel(
        "  if (i < n) o[i] = PICK(x[i]);\n", "#define PICK(v) (sizeof(float) == 4 ? twice(v) * LIMIT : 0)\n"
    ),
    "a constant that conditions do not touch": kernel("  if (i < n) o[i] = threads * twice(x[i]);\n"),
}  # fmt: skip


@pytest.mark.parametrize("text", in_short(SAME, LIKE_OTHERS), ids=SAME)
async def test_an_honest_edit_is_one_program_to_all(job: Job, text: str) -> None:
    assert await of(job, text) == OneProgram()


async def test_a_branch_for_another_device_is_named(job: Job) -> None:
    answer = await of(job, ORIGINAL.replace("return 2.0f * x;", "return 3.0f * x;"))
    assert answer == OneProgram(None, ("line 17 is compiled for no device here",), ())


async def test_words_that_macros_put_together_are_labelled(job: Job) -> None:
    answer = await of(job, kernel("  if (i < n && CAT(clo, ck64)() > 0) o[i] = twice(x[i]) * LIMIT;\n", "#define CAT(a, b) a##b\n"))
    assert [(found.label, found.message) for found in answer.labels] == [(Label.NON_DETERMINISM, "reads a clock: clock64")]


class WithoutNvcc(CpuLab):
    """As on a machine without a CUDA toolkit; notes how often it was asked."""

    asked_count = 0

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        self.asked_count += 1
        views = await super().preprocessed(program, architecture)
        missing = NotPreprocessed("no nvcc", is_missing=True)
        return replace(views, device=missing, host=missing)


class Counting(CpuLab):
    """Notes how often a preprocessor ran."""

    run_count = 0

    async def _emulated(self, program: Program) -> PreprocessedProgram | NotPreprocessed:
        self.run_count += 1
        return await super()._emulated(program)


async def test_without_nvcc_only_an_edit_that_macros_concern_says_so(job: Job, tmp_path: Path) -> None:
    lab = WithoutNvcc(tmp_path, tmp_path / "cache", "h200")
    without = replace(job, lab=lab)
    assert await of(without, SAME["arithmetic"]) == OneProgram() and lab.asked_count == 0
    assert (await of(without, kernel(f"#ifndef __PIC__\n{STORE}#endif\n"))).caveats == ("not compared with nvcc's preprocessing",)
    assert (await of(without, kernel(STORE, "EMU_INLINE int other() { return 1; }\n"))).problem is not None
    await lab.close()


@pytest.mark.thorough
async def test_an_original_is_preprocessed_once_for_all_its_edits(job: Job, tmp_path: Path) -> None:
    lab = Counting(tmp_path, tmp_path / "cache", "h200")
    for text in (SAME["a condition on the compiler"], SAME["another header of CUDA's"]):
        assert await of(replace(job, lab=lab), text) == OneProgram()
    assert lab.run_count == 3
    await lab.close()


READING = {
    "by its path": '#include "{secret}"\n',
    "with something behind the name": '#include "{secret}" <x>\n',
    "by two slashes": "#include </{secret}>\n",
    "by a macro": '#define FILE_ "{secret}"\n#include FILE_\n',
    "over two lines": '#inc\\\nlude "{secret}"\n',
    "behind a comment": '/* */ # /* */ include "{secret}"\n',
    "as the next one": '#include_next "{secret}"\n',
    "in a branch that is not compiled": '#if 0\n#include "{secret}"\n#endif\n',
    "imported": '#import "{secret}"\n',
    "through what looks like a comment": 'static int q = 1\'1 + \'"\' + sizeof("/*");\n#include "{secret}"\n',
}


@pytest.mark.parametrize("lines", READING.values(), ids=READING)
async def test_an_edit_reads_no_file_that_the_original_does_not(job: Job, lines: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "key.h"
    secret.write_text("#key = 1234\n")
    text, before = lines.format(secret=secret) + ORIGINAL, original(job)
    for edited in (with_text(before, text), candidate_of(before, own(before, text))):
        refused = await foreign_reading(job, before, edited)
        assert isinstance(refused, LabFailure) and str(secret) in refused.message
        assert "1234" not in repr(refused) and "#key" not in repr(refused)


@pytest.mark.parametrize("lines", ['%:include "/etc/passwd"\n', '# 1 "/usr/include/stdio.h" 1 3\n#include "/etc/passwd"\n'])
async def test_an_edit_whose_directives_cannot_be_followed_is_not_compiled(job: Job, lines: str) -> None:
    refused = await foreign_reading(job, original(job), with_text(original(job), lines + ORIGINAL))
    assert refused is not None and "what it reads cannot be known" in refused.message


async def test_what_the_original_declares_in_several_ways_is_not_used_anew(job: Job) -> None:
    text = ORIGINAL.replace("#ifdef _OPENMP", "#ifdef __PIC__")
    before = with_text(original(job), text)
    unused = with_text(
        before, text.replace("twice(x[i]) * LIMIT", "LIMIT * twice(x[i])").replace("#define CHECK", "#define OTHER 1\n#define CHECK")
    )
    used = with_text(
        before, text.replace("twice(x[i]) * LIMIT", "twice(x[i]) * LIMIT * threads").replace("#define CHECK", "#define O 1\n#define CHECK")
    )
    assert await compared(job, before, unused) == OneProgram()
    problem = (await compared(job, before, used)).problem
    assert problem is not None and "line 25 uses threads" in problem.reason


async def test_a_persons_own_edit_may_read_its_workspace(job: Job) -> None:
    (job.scratch / "more.h").write_text("static const int more = 1;\n")
    before, text = original(job), '#include "more.h"\n' + ORIGINAL
    assert await foreign_reading(job, before, with_text(before, text)) is None
    refused = await foreign_reading(job, before, candidate_of(before, own(before, text)))
    assert refused is not None and "more.h, which the original does not" in refused.message


@pytest.mark.parametrize("line", ["#include <cooperative_groups.h>", "#include <algorithm>", "#define TILE 4", "#pragma unroll"])
async def test_headers_of_cuda_and_of_the_language_may_be_read(job: Job, line: str) -> None:
    before = original(job)
    assert await foreign_reading(job, before, candidate_of(before, own(before, f"{line}\n{ORIGINAL}"))) is None


async def test_of_an_include_path_a_candidate_may_read_cutlass_alone(job: Job, tmp_path: Path) -> None:
    for name, text in {
        "cutlass/version.h": "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n",
        "cutlass/half.h": '#include "cutlass/version.h"\n#ifdef __CUDA_ARCH__\n#define HALF 1\n#else\n#define HALF 2\n#endif\n',
        "more.h": "static const int more = 1;\n",
    }.items():
        (tmp_path / "include" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "include" / name).write_text(text)
    plain = original(job)
    flags = Flags((*DEFAULT_FLAGS.arguments, f"-I{tmp_path}/include"))
    before = replace(plain, program=replace(plain.program, flags=flags))
    of_cutlass, of_another = (candidate_of(before, own(before, f"#include <{name}>\n{ORIGINAL}")) for name in ("cutlass/half.h", "more.h"))
    assert await foreign_reading(job, before, of_cutlass) is None
    assert await compared(job, before, of_cutlass) == OneProgram()
    refused = await foreign_reading(job, before, of_another)
    assert refused is not None and "more.h, which the original does not" in refused.message


async def test_a_header_that_never_ends_is_refused_in_time(job: Job, tmp_path: Path) -> None:
    before = original(job)
    refused = await foreign_reading(job, before, candidate_of(before, own(before, f'#include "{tmp_path}/no_such_file.h"\n{ORIGINAL}')))
    assert refused is not None and "no preprocessor shows what it reads: line 1: " in refused.message
