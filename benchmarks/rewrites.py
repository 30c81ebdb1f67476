"""The rewrites of `tests/data/rewrites` as pairs that `benchmarks.verdicts` compares, those that only a GPU can run included.

    python -m benchmarks.rewrites [--device gpu:0] [--jobs N] [--only NAME …] [--out FILE] [--kept FOLDER]

Each program is A, with its right and its wrong answer applied as B. The right one must not be FAIL, the wrong one not PASS with nothing
said. Two need CUTLASS, which CPATH or NVCC_APPEND_FLAGS must name.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assistant.build.cutlass_place import Cutlass, find_cutlass
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.reading.answers import CODE
from assistant.plan.llm.reading.schemas import CodeReply
from tests.rewrites import Rewritten, rewritten

_EXPECTED = {"right": '["PASS", "NEEDS_DECISION"]', "wrong": '["FAIL"]'}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--jobs", default="1", help="how many are compared at once")
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kept", type=Path, help="where the pairs are written; absent: a folder that is removed again")
    options = parser.parse_args()
    cases = [case for case in rewritten() if case.name in (options.only or {each.name for each in rewritten()})]
    cases = [case for case in cases if case.lab == "cpu" or options.device != "cpu"]
    cutlass = find_cutlass((), Path.cwd(), os.environ)
    if cutlass is None and any(case.needs_cutlass for case in cases):
        print("left out, as neither CPATH nor NVCC_APPEND_FLAGS names CUTLASS:", *(case.name for case in cases if case.needs_cutlass))
        cases = [case for case in cases if not case.needs_cutlass]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.kept or Path(scratch)
        answers = [line for case in cases for answer in _EXPECTED for line in _written(folder, case, answer, cutlass)]
        (folder / "answers.toml").write_text("\n".join(answers), "utf-8")
        out = () if options.out is None else ("--out", str(options.out))
        return subprocess.run(
            (sys.executable, "-m", "benchmarks.verdicts", str(folder), "--device", options.device, "--jobs", options.jobs, *out),
            check=False,
        ).returncode


def _written(folder: Path, case: Rewritten, answer: str, cutlass: Cutlass | None) -> tuple[str, ...]:
    """The pair as files, and its table in the answers."""
    before = parse(Source(Path("/program.cu"), case.text("program.cu")))
    kernel = next(kernel for kernel in before.kernels if kernel.name == case.kernel)
    reply = CODE.read(case.text(f"{answer}.md"))
    assert isinstance(reply, CodeReply), f"{case.name}/{answer}: {reply}"
    made = edit_of(Region(before, kernel, may_edit_host=True, cutlass=cutlass.release if cutlass else None), reply)
    assert isinstance(made, RegionEdit), f"{case.name}/{answer}: {made}"
    after = apply_edits(before.source.text, made.edits)
    assert isinstance(after, str)
    name = f"{case.name}_{answer}"
    (folder / name).mkdir(parents=True)
    (folder / name / "A.cu").write_text(before.source.text, "utf-8")
    (folder / name / "B.cu").write_text(after, "utf-8")
    return f"[{name}]", f'kind = "{"honest" if answer == "right" else "wrong"}"', f"expect = {_EXPECTED[answer]}"


if __name__ == "__main__":
    sys.exit(main())
