"""A PyTorch module, its class, or a function of tensors as a task: what it consists of, and whether a candidate computes the same.

Reference and candidate run in processes of their own, on the CPU, and reach them as text: by their source, else as a pickle. Example::

    softmax = kernelopt.operator(torch.nn.Softmax(-1), [x])
    softmax.check(Path("fast_softmax.cu")).verification      # 'PASS'
    softmax.profile().groups                                 # what one kernel could do together
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.engine import JobRequest, OperatorOptions, read_source
from assistant.live.live_task import Inputs, LiveTask, candidate_of, task_of
from assistant.live.live_text import LiveText
from assistant.live.own_lines import of_candidate, of_task
from assistant.model import events
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.record import Record
from kernelopt.proposals import USUAL_SEARCH, Proposals, proposals
from kernelopt.results import Comparison, compared, failure
from kernelopt.sessions import Session, default_session

__all__ = ["Operator", "OperatorProfile", "WrittenKernel", "operator"]

Candidate = type | Callable[..., object] | Path | str
"""A class of modules, a function of tensors, a file, or the text of one."""
_CPU = "cpu"
_CUDA_TABLE = "[operator]"
_FILES = (".py", ".cu", ".cuh")


class OperatorProfile(Record):
    """What one call of a reference consists of; nothing of it was timed."""

    details: events.OperatorsFound
    """All of it: bytes and least times at the target's peaks, and how they come about."""

    @property
    def functions(self) -> tuple[OperatorFunction, ...]:
        """Functions of PyTorch, the costliest first."""
        return self.details.functions

    @property
    def groups(self) -> tuple[OperatorGroup, ...]:
        """Functions that one kernel could do together, those that save most first."""
        return self.details.groups

    def __repr__(self) -> str:
        lines = [f"{each.share_ratio:4.0%} {each.name}, {counted_noun(each.call_count, 'call')}" for each in self.functions]
        for group in self.groups:
            moved, separate = format_quantity(group.moved_bytes, "B"), format_quantity(group.separate_bytes, "B")
            lines.append(f"one kernel could do {', '.join(group.names)}: {moved} instead of {separate}")
        return "\n  ".join((f"<{self.details.name} on {self.details.target}: {self.details.method}>", *lines))


class WrittenKernel(Record):
    """A first kernel that rules or a model wrote, which passed or asks for a decision; and what a search made of it."""

    path: Path
    """The file that holds it; in the workspace's ``.kernelopt`` folder."""
    text: str
    comparison: Comparison
    """With the reference."""
    proposals: Proposals
    """Faster versions, judged against the reference, too; what is accepted is written to the file."""

    def __repr__(self) -> str:
        return f"<kernel in {self.path}: {self.comparison.reason}>"


class Operator:
    """A reference with its inputs; made by `operator`."""

    def __init__(self, task: LiveTask, session: Session | None) -> None:
        self._task = task
        self._session = session
        self._path = Path.cwd() / f"{task.shown_name}.py"
        self.__name__ = task.shown_name

    @property
    def text(self) -> str:
        """The task as a Python file, as the commands of the terminal take it."""
        return self._task.text.text

    def profile(self) -> OperatorProfile:
        """The functions of PyTorch that one call consists of, and the groups that one kernel could do together; nothing is timed.

        Raises JobFailed where it cannot be run.
        """
        session = self._opened()
        found = self._said(session.events(lambda engine: engine.profile_operator(self._request(), OperatorOptions(self._task.class_name))))
        event = next((each for each in found if isinstance(each, events.OperatorsFound)), None)
        if event is None:
            raise failure(found)
        return OperatorProfile(event)

    def check(self, candidate: Candidate, *, backward: bool = False, only_custom: bool = False) -> Comparison:
        """Whether a candidate computes the same as the reference.

        It is a class of modules, a function of tensors, a Python file with a class ``ModelNew``, a ``.cu`` file with an ``[operator]``
        table, or the text of such a file. ``backward``: gradients are compared, too; ``only_custom``: a part that PyTorch computes is
        wrong. Raises UsageError for what is no candidate, JobFailed where nothing could be judged.
        """
        source = _source_of(candidate)
        path, options = source.path, OperatorOptions(self._task.class_name, only_custom, backward)
        request = self._request()
        asked = replace(request, texts=(*request.texts, (path, source.text)))
        session = self._opened()
        session.tell_first_build()
        found = self._said(session.events(lambda engine: engine.judge_operator("check", asked, path, options)))
        if source.live is not None:
            found = [of_candidate(event, source.live, path.name) for event in found]
        return compared(found)

    def optimize(self, **search: object) -> WrittenKernel:
        """A first kernel by rules, else by a model where one may be asked, judged like any candidate; and a search that goes on from it.

        ``search``: fields of `Search`. Raises UsageError for others, JobFailed where nobody writes a kernel, or a wrong one.
        """
        limits = USUAL_SEARCH.changed(search).chosen()
        session = self._opened()
        session.tell_first_build()
        options = OperatorOptions(self._task.class_name)
        found = self._said(session.events(lambda engine: engine.optimize_operator(self._request(), options, limits)))
        event = next((each for each in found if isinstance(each, events.KernelWritten)), None)
        if event is None:
            raise failure(found)
        path = Path(event.file)
        return WrittenKernel(path, read_source(path).text, compared(found), proposals(session, True, found))

    def __repr__(self) -> str:
        return f"<operator {self.__name__}>"

    def _request(self) -> JobRequest:
        session = self._opened()
        return JobRequest(self._path, self._path.parent, device=_CPU, target=session.target, texts=((self._path, self.text),))

    def _opened(self) -> Session:
        return default_session() if self._session is None else self._session

    def _said(self, found: Sequence[events.Event]) -> list[events.Event]:
        return [of_task(event, self._task.text, self._path.name) for event in found]


def operator(
    reference: object,
    inputs: Inputs,
    init_inputs: Sequence[object] | Mapping[str, object] = (),
    *,
    session: Session | None = None,
) -> Operator:
    """A task: what candidates for ``reference`` have to compute.

    ``reference``: a function of tensors, a module, or its class, made with ``init_inputs``. ``inputs``: a list with the arguments of a
    call, whose values are drawn anew for each case, or a function that draws such a list. A function that is called ``get_inputs`` may
    use whole numbers at the top of its file or cell: other values of them are tried, too.
    Raises UsageError for what cannot be sent to the process that judges it.
    """
    return Operator(task_of(reference, inputs, init_inputs), session)


class _CandidateSource(Record):
    path: Path
    text: str
    live: LiveText | None = None
    """Of what is in no file: which lines the user wrote."""


def _source_of(candidate: Candidate) -> _CandidateSource:
    if isinstance(candidate, str) and _is_text(candidate):
        return _CandidateSource(Path.cwd() / f"candidate{'.cu' if _CUDA_TABLE in candidate else '.py'}", candidate)
    if isinstance(candidate, str | Path):
        path = Path(candidate).absolute()
        return _CandidateSource(path, read_source(path).text)
    made = candidate_of(candidate)
    return _CandidateSource(Path.cwd() / f"{made.shown_name}.py", made.text.text, made.text)


def _is_text(candidate: str) -> bool:
    return "\n" in candidate or not candidate.endswith(_FILES)
