"""A PyTorch task and a candidate in its place: what is asked of both sides' processes, and what their answers come to."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Ending, Job
from assistant.engine.operators import judging, tracing
from assistant.engine.operators.reading import checked_sizes, is_operator, read_pair, read_task, without_cuda
from assistant.engine.request import JobRequest, OperatorOptions
from assistant.engine.source_version import read_source
from assistant.errors import UsageError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.operators.extension_text import Extension, extension_text
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.program.torch_place import TorchPlace
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.heard import Heard
from tests.unit.operators.test_texts import LAUNCHER, TASK

CUDA = "\nvoid twice(float* y, const float* x, int n);\n"
CANDIDATE = f'{TASK.replace("class Model(", "class ModelNew(")}\nTEXT = r"""{CUDA}"""\n'
LINE = CANDIDATE.splitlines().index(CUDA.strip()) + 1
"""Where the candidate's own CUDA text has its declaration."""
IN_UNIT = extension_text(Extension("twice", (CUDA,), ("twice",)), "").text.splitlines().index(CUDA.strip()) + 1
"""The same in what is compiled."""
DIGESTS = tuple(letter * 64 for letter in "abc")
"""What calls of an extension are known by."""
RIGHT, WRONG = np.arange(1.0, 65.0, dtype=np.float32), np.full(64, 7.0, np.float32)


def left(folder: Path, name: str, values: np.ndarray) -> list[dict[str, Any]]:
    """One tensor as a side's process saves it."""
    path = folder / f"{name}-{values.dtype}"
    path.write_bytes(values.tobytes())
    return [{"dtype": str(values.dtype), "shape": [64], "stride": [1], "file": str(path), "sha256": sha256(values.tobytes()).hexdigest()}]


@dataclass
class Sides:
    """Answers as the processes of both sides give them; keeps what they are asked."""

    root: Path
    result: np.ndarray = field(default_factory=lambda: RIGHT)
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """In the candidate's answer."""
    refusals: Mapping[str, LabFailure] = field(default_factory=dict[str, LabFailure])
    reference_failure: dict[str, str] | None = None
    calls: Callable[[int], list[list[str]]] = lambda _: [[DIGESTS[0]]]
    """Of extensions, by how often the candidate has run before."""
    orders: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    computing: Mapping[str, int] = field(default_factory=dict[str, int])
    """Calls of PyTorch's functions that compute for the candidate."""
    varied: list[str] = field(default_factory=list[str])
    """Sizes of the model that the reference took another value of."""
    is_closed: bool = False
    place: TorchPlace = field(default_factory=lambda: TorchPlace("python3", Path(), "2.13.0", None, None))

    def folder(self, name: str) -> Path:
        (self.root / name).mkdir(exist_ok=True)
        return self.root / name

    async def close(self) -> None:
        self.is_closed = True

    async def run(self, name: str, order: dict[str, Any], working_directory: Path, *, is_candidate: bool) -> dict[str, Any] | LabFailure:
        assert (name == "candidate") is is_candidate
        assert working_directory == (self.folder("candidate") if is_candidate else self.root), "a candidate has a folder of its own"
        self.orders.append(order)
        return self.refusals.get(name) or (self._candidate() if is_candidate else self._reference())

    def _reference(self) -> dict[str, Any]:
        cases, models = [self._case(number) for number in range(2)], [{"seed": 41, "buffers": []}, {"seed": 42, "buffers": []}]
        return {"failure": self.reference_failure, "cases": cases, "models": models, "dropped": ["a case"], "varied": self.varied}

    def _case(self, number: int) -> dict[str, Any]:
        values = RIGHT + number
        outputs, double = left(self.root, f"r{number}", values), left(self.root, f"r{number}", values.astype(np.float64))
        return {
            "kind": "given", "scale": 1.0, "shape": "x=float32[64]", "outputs": outputs, "repeated": outputs, "output_count": 1,
            "float64": double, "perturbed": [], "inputs_after": [{"sha256": f"in {number}"}], "term_count": 2.0, "model": number,
            "inputs": f"inputs {number}", "cotangents": [], "gradients": {}, "gradients64": {},
        }  # fmt: skip

    def _candidate(self) -> dict[str, Any]:
        count = sum(order["role"] == "candidate" for order in self.orders) - 1
        cases = [{"first": self._pass(number), "second": self._pass(number)} for number in range(2)]
        extension = {"name": "twice", "sources": [["cuda", CUDA]], "functions": ["twice"], "schemas": [], "flags": ["-O1"]}
        calls = self.calls(count)
        answer = {"failure": None, "cases": cases, "replaced": [], "reads_reference": False, "calls": calls}
        return {**answer, "extensions": [extension for _ in calls], **self.changes}

    def _pass(self, number: int) -> dict[str, Any]:
        return {
            "computing": self.computing, "call_count": 1, "inputs_after": [{"sha256": f"in {number}"}], "failure": None,
            "outputs": left(self.root, f"c{number}", self.result + number), "output_count": 1, "is_late": False, "shares_memory": False,
            "gradients": {}, "kernels": [],
        }  # fmt: skip


@dataclass
class ExtensionLab(FakeLab):
    """Runs extensions: each run ends as the next of ``ends`` says, the last one again and again."""

    ends: list[ProgramRun | LabFailure] = field(default_factory=list[ProgramRun | LabFailure])
    programs_run: list[Program] = field(default_factory=list[Program])

    async def run(
        self, program: Program, mode: str, limits: RunLimits, record: bool, *more: object, **given: object
    ) -> ProgramRun | LabFailure:
        assert (mode, record, limits.whole_s) == ("check", False, 0.0), "a part of an answer is no answer"
        self.programs_run.append(program)
        return self.ends[min(len(self.programs_run), len(self.ends)) - 1]


def ran(stdout: bytes = b"", **more: Any) -> ProgramRun:
    return replace(ProgramRun(0, None, False, False, False, stdout, b"", None, None, 3, (), (), ()), **more)


def answers(*texts: bytes) -> bytes:
    return b"".join(struct.pack("<q", len(text)) + text for text in texts)


@dataclass
class Asked:
    """A comparison in a folder, whose processes are given."""

    sides: Sides
    lab: ExtensionLab
    heard: Heard = field(default_factory=Heard)

    async def judge(self, *, is_for_any_model: bool = False, **options: bool) -> Ending:
        folder = self.sides.root
        (folder / "task.py").write_text(TASK)
        (folder / "candidate.py").write_text(CANDIDATE)
        read = read_pair(read_source(folder / "task.py"), read_source(folder / "candidate.py"), None)
        pair = replace(read, is_for_any_model=is_for_any_model)
        request = JobRequest(folder / "task.py", folder)
        job = Job("J1", request, self.lab, target("h200"), cast("Any", None), folder, (11, 12, 13, 14), RunLimits(), self.heard)
        return await judging.judge_operator(job, pair, OperatorOptions(**options))

    def only(self, kind: type[events.Event]) -> Any:
        (event,) = (each for each in self.heard.events if isinstance(each, kind))
        return event


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(Sides(tmp_path), ExtensionLab(tmp_path, {}, ends=[ran(answers(b"one"))]))
    place = TorchPlace("python3", tmp_path, "2.13.0", None, None)
    monkeypatch.setattr(tracing, "torch_place", lambda _: place)
    monkeypatch.setattr(judging, "TorchSides", lambda *_: made.sides)
    return made


async def test_a_candidate_that_leaves_the_same_passes_without_a_speed(asked: Asked) -> None:
    ending = await asked.judge()
    assert (ending.exit_code, ending.reason) == (0, "PASS (on the CPU emulator), no time without a GPU")
    made = asked.only(events.ComparisonMade)
    assert (made.kernel, made.verification.outcome, made.speed, made.verification.findings) == ("Model", "PASS", None, ())
    assert asked.sides.is_closed


async def test_other_results_fail(asked: Asked) -> None:
    asked.sides.result = WRONG
    ending = await asked.judge()
    assert (ending.exit_code, ending.reason) == (1, "FAIL: candidate.py does not do what Model does")


@pytest.mark.parametrize(("is_strict", "exit_code"), [(False, 0), (True, 1)])
async def test_what_a_person_must_decide_is_open_to_the_strict_alone(asked: Asked, is_strict: bool, exit_code: int) -> None:
    asked.sides.computing = {"mul": 1}
    ending = await asked.judge(is_strict=is_strict)
    assert (ending.exit_code, asked.only(events.ComparisonMade).verification.outcome) == (exit_code, "NEEDS_DECISION")
    assert "mul (2 calls)" in asked.only(events.ComparisonMade).verification.findings[0].message


async def test_both_sides_get_seeds_of_their_own_and_the_reference_other_sizes(asked: Asked) -> None:
    await asked.judge()
    reference, candidate, _ = asked.sides.orders
    assert (reference["seeds"], candidate["seed"]) == ([11, 12], 14)
    assert reference["size_trials"] == [{"rows": 5}, {"rows": 1}, {"rows": 0}]
    assert [reference[key] for key in ("role", "class", "is_short", "backward")] == ["reference", "Model", False, False]
    assert [candidate[key] for key in ("role", "class", "launcher", "backward")] == ["candidate", "ModelNew", None, False]
    assert candidate["cases"] == [{"inputs": f"inputs {n}", "model": n, "cotangents": []} for n in range(2)], "no results of the reference"


async def test_without_pytorch_it_says_how_to_install_it(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "torch_place", lambda _: None)
    ending = await asked.judge()
    assert ending.exit_code == 3 and asked.only(events.Message).remedy == "pip install 'kernelopt[torch]'"


@pytest.mark.parametrize(
    ("failure", "refusals", "said"),
    [
        ({"kind": "raised", "message": "no such layer"}, {}, "the reference: no such layer"),
        (None, {"reference": LabFailure("timed_out", "took too long", "")}, "the reference: took too long"),
        (None, {"candidate": LabFailure("internal", "the lab lost its worker", "")}, "the lab lost its worker"),
    ],
)
async def test_what_is_no_fault_of_the_candidate_gives_no_verdict(asked: Asked, failure: Any, refusals: Any, said: str) -> None:
    asked.sides.reference_failure, asked.sides.refusals = failure, refusals
    ending = await asked.judge()
    assert ending.exit_code == 3 and asked.only(events.Message).message == said and asked.sides.is_closed


@pytest.mark.parametrize("kind", ["not_built", "crashed", "timed_out", "out_of_memory"])
async def test_a_candidate_that_does_not_come_to_an_end_fails(asked: Asked, kind: str) -> None:
    asked.sides.refusals = {"candidate": LabFailure(kind, "it ended", "")}
    ending = await asked.judge()
    finding = asked.only(events.ComparisonMade).verification.findings[0]
    assert ending.exit_code == 1 and "it ended" in finding.message


async def test_functions_of_pytorch_that_compute_are_wrong_where_only_own_kernels_may(asked: Asked) -> None:
    asked.sides.computing = {"mul": 1}
    assert (await asked.judge(only_custom=True)).exit_code == 1


async def test_what_the_candidate_uses_and_cannot_be_run_here_is_no_fault_of_it(asked: Asked) -> None:
    asked.sides.changes = {"failure": {"kind": "unsupported", "message": "it uses torch::nn"}}
    ending = await asked.judge()
    assert ending.exit_code == 3 and asked.only(events.Message).message == "it uses torch::nn"


@pytest.mark.parametrize("is_backward", [False, True])
async def test_gradients_are_asked_for_where_they_are_compared(asked: Asked, is_backward: bool) -> None:
    await asked.judge(is_backward=is_backward)
    assert [order["backward"] for order in asked.sides.orders] == [is_backward] * 3


async def test_a_candidate_does_not_find_what_the_reference_left(asked: Asked) -> None:
    folder = asked.sides.folder("reference")
    (folder / "results").mkdir()
    for name in ("answer.json", "order.json", "inputs.bin", "results/0.bin"):
        (folder / name).write_text("")
    await asked.judge()
    assert [path.name for path in folder.rglob("*")] == ["inputs.bin"]


@pytest.mark.parametrize("changes", [{"replaced": ["torch.mul"]}, {"reads_reference": True}])
async def test_a_candidate_that_replaces_functions_or_reads_the_reference_fails(asked: Asked, changes: dict[str, Any]) -> None:
    asked.sides.changes = changes
    assert (await asked.judge()).exit_code == 1


async def test_calls_of_extensions_run_on_the_emulator_until_no_run_asks_for_others(asked: Asked) -> None:
    asked.sides.calls = lambda count: [[*DIGESTS[: count + 1]][:2]]
    asked.lab.ends = [ran(answers(b"one")), ran(answers(b"one", b"three"))]
    assert (await asked.judge()).exit_code == 0
    assert len(asked.sides.orders) == 4 and len(asked.lab.programs_run) == 2, "the third run asks for what it has"
    program = asked.lab.programs_run[0]
    assert CUDA in program.sources[0].text and program.flags.arguments[1:] == ("-DTORCH_EXTENSION_NAME=kernelopt_extension", "-O1")
    assert (program.arguments, program.is_candidate) == (("calls0.bin",), True)
    head, second = (
        struct.pack("<q", len(text)) + digest.encode() + text for text, digest in zip((b"one", b"three"), DIGESTS, strict=False)
    )
    assert (asked.sides.folder("candidate") / "answers0.bin").read_bytes() == head + second
    (word,) = (each.detail for each in asked.heard.events if isinstance(each, events.StageEnded) and "launches" in each.detail)
    assert word == "3 launches of kernels of its own"


async def test_a_candidate_whose_calls_never_repeat_cannot_be_judged(asked: Asked) -> None:
    asked.sides.calls = lambda count: [[f"{count:064}"]]
    ending = await asked.judge()
    assert ending.exit_code == 3 and "other calls of its extensions in each run" in asked.only(events.Message).message


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (ran(timed_out=True), "did not end in time"),
        (ran(memory_exceeded=True), "more memory than limits.memory_bytes"),
        (ran(output_truncated=True), "returned more than the emulator takes"),
        (ran(exit_status=None, signal="SIGSEGV"), "ended with SIGSEGV"),
        (ran(answers(b"one")[:-1], exit_status=4, unsupported=("x: cudaGraphLaunch",)), "ended with status 4: x: cudaGraphLaunch"),
    ],
)
async def test_a_call_without_an_answer_gets_the_reason(asked: Asked, run: ProgramRun, said: str) -> None:
    asked.lab.ends = [run]
    await asked.judge()
    data = (asked.sides.folder("candidate") / "answers0.bin").read_bytes()[8 + len(DIGESTS[0]) :]
    (size,) = struct.unpack_from("<q", data, 1)
    assert data[:1] == b"E" and len(data) == 9 + size and said in data[9:].decode()


def not_built(*errors: str, severity: DiagnosticSeverity = DiagnosticSeverity.ERROR) -> LabFailure:
    """Each at the candidate's declaration."""
    found = tuple(Diagnostic("twice.cu", IN_UNIT, 1, severity, error) for error in errors)
    return LabFailure("not_built", "the compiler failed", "fix it", diagnostics=found)


@pytest.mark.parametrize(
    ("failure", "exit_code", "said"),
    [
        (not_built(), 1, "the extension twice does not compile: the compiler failed"),
        (not_built("a warning", severity=DiagnosticSeverity.WARNING), 1, "the extension twice does not compile: the compiler failed"),
        (not_built("expected ';'"), 1, f"the extension twice does not compile: expected ';' (candidate.py:{LINE})"),
        (not_built("expected ';'", "'at' has not been declared"), 3, f"of PyTorch's C++ interface: expected ';' (candidate.py:{LINE})"),
        (not_built("no member torch::nn"), 3, "the emulator does not have what the extension twice uses"),
        (LabFailure("internal", "the lab lost its worker", ""), 3, "the lab lost its worker"),
    ],
)
async def test_an_extension_that_does_not_compile_is_told_from_what_the_emulator_lacks(
    asked: Asked, failure: LabFailure, exit_code: int, said: str
) -> None:
    asked.lab.ends = [failure]
    assert (await asked.judge()).exit_code == exit_code
    told = asked.only(events.Message) if exit_code == 3 else asked.only(events.ComparisonMade).verification.findings[0]
    assert said in told.message


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("file", "class_name", "kernel", "is_one"),
    [
        ("task.py", None, None, True),
        ("task.py", None, "k", False),
        ("plain.py", None, None, False),
        ("plain.py", "Net", None, True),
        ("gone.py", None, None, False),
        ("a.cu", None, None, False),
        ("kernels.py", None, "k", False),
    ],
)
def test_a_command_is_about_an_operator_where_the_file_is_a_task_and_no_kernel_is_named(
    tmp_path: Path, file: str, class_name: str | None, kernel: str | None, is_one: bool
) -> None:
    folder = files(tmp_path, task_py=TASK, plain_py="import torch\n", a_cu=TASK, kernels_py=f"{TASK}# __global__\n")
    assert is_operator(folder / file, class_name, kernel) is is_one


def test_what_is_ambiguous_is_refused_with_what_to_say(tmp_path: Path) -> None:
    folder = files(tmp_path, kernels_py=f"{TASK}# __global__\n")
    with pytest.raises(UsageError, match=r"^.*is a PyTorch task and holds CUDA text"):
        is_operator(folder / "kernels.py", None, None)
    with pytest.raises(UsageError, match=r"^.*exclude each other"):
        is_operator(folder / "kernels.py", "Model", "k")


@pytest.mark.parametrize(
    ("candidate", "said"), [("plain.py", "ModelNew"), ("bare.cu", r"\[operator\]"), ("task.py", "ModelNew")], ids=["class", "table", "same"]
)
def test_what_is_no_candidate_is_refused(tmp_path: Path, candidate: str, said: str) -> None:
    folder = files(tmp_path, task_py=TASK, plain_py="import torch\n", bare_cu="void twice() {}\n")
    with pytest.raises(UsageError, match=said):
        read_pair(read_source(folder / "task.py"), read_source(folder / candidate), None)
    with pytest.raises(UsageError, match=r"^.*has no class Model"):
        read_pair(read_source(folder / "plain.py"), read_source(folder / "task.py"), None)


def test_a_launcher_of_a_cuda_file_stands_in_the_place_of_a_class(tmp_path: Path) -> None:
    folder = files(tmp_path, task_py=TASK, a_cu=LAUNCHER)
    found = read_pair(read_source(folder / "task.py"), read_source(folder / "a.cu"), None).candidate
    assert found.class_name is None and found.launcher is not None and found.launcher.launcher == "twice"


@pytest.mark.parametrize(
    ("task", "candidate", "is_lowered"),
    [("", "", False), ("", "x.half()", True), ("", "__half2 h;", True), ("x.half()", "x.half()", False), ("", "halfway = 1", False)],
)
def test_a_type_of_16_bits_that_the_task_does_not_name_lowers_its_precision(
    tmp_path: Path, task: str, candidate: str, is_lowered: bool
) -> None:
    folder = files(tmp_path, task_py=f"{TASK}# {task}\n", new_py=f"{CANDIDATE}# {candidate}\n")
    assert read_pair(read_source(folder / "task.py"), read_source(folder / "new.py"), None).lowers_precision is is_lowered


def test_only_sizes_that_the_task_has_can_be_others(tmp_path: Path) -> None:
    task = read_task(read_source(files(tmp_path, task_py=TASK) / "task.py"), None)
    checked_sizes(task, (("rows", 5),))
    with pytest.raises(UsageError, match=r"task.py has no size lines") as raised:
        checked_sizes(task, (("rows", 5), ("lines", 3)))
    assert raised.value.remedy is not None and "rows" in raised.value.remedy


def test_no_text_of_a_task_is_read_as_cuda(tmp_path: Path) -> None:
    version = without_cuda(JobRequest(tmp_path / "task.py", tmp_path), DEFAULT_FLAGS)
    assert (version.kernels, version.source.text) == ((), "")
