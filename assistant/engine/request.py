"""What a front end asks for, as frozen values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path
from typing import get_args

from assistant.errors import UsageError
from assistant.model.completion import Caps
from assistant.model.program import ProgramSearch
from assistant.model.source import Source
from assistant.model.verification import DeferredDecision, Label
from assistant.model.workload import CaseKey, LiveWorkload
from assistant.record import Record

__all__ = ["WHOLE_PROGRAM", "Accept", "AllowOption", "CandidateRules", "ChoiceRule", "JobRequest", "OptimizeOptions", "about_texts"]

DEFAULT_PROFILED_LAUNCHES = 64
"""Launches of a program that ``profile`` reports one by one (first 64 in program order)."""
WHOLE_PROGRAM = "main"
"""As a region: everything that the program does on the device."""


class JobRequest(Record):
    """One file (and the sources compiled with it) and how to look at it."""

    file: Path
    """Absolute."""
    working_directory: Path
    """Absolute; where the user's program runs."""
    extra_sources: tuple[Path, ...] = ()
    other: Path | None = None
    """B of a comparison, absolute."""
    texts: tuple[tuple[Path, str], ...] = ()
    """Texts that stand for what is on disk: an editor's unsaved documents, notebook cells, strings in Python files."""
    edited: tuple[Path, ...] = ()
    """Files that an edit changes together, whose texts are given; where they are several, every kernel of the program is asked about."""
    is_everywhere: bool | None = None
    """Judge edits in every program that has ``file``, whichever was chosen; None: from the configuration, where there are several."""
    programs: ProgramSearch | None = None
    """What a front end found when it looked for the program of ``file``, at most one; none: the file stands alone, and only its own kernels
    are asked about. None: the job looks for it."""
    kernel: str | None = None
    """A selector (``k``, ``ns::k<1>``, ``k(float*, int)``); None means every kernel."""
    region: str | None = None
    """What a speed is of: ``main``, all that the program does on the device; a function of the host (``step``, ``Solver::step``), its
    calls; None, what differs between both versions."""
    usual_region: str | None = None
    """As ``region``, for programs that have the function, where none is asked for: what an editor's own settings say. None: from the
    configuration."""
    device: str | None = None
    """``auto``, ``cpu``, ``gpu`` or ``gpu:1``; None: from the configuration."""
    target: str | None = None
    """None: from the configuration."""
    cflags: tuple[str, ...] | None = None
    """None: from the configuration."""
    arguments: tuple[str, ...] = ()
    """The program's own arguments."""
    timeout_s: float | None = None
    """Wall time of a run of the user's program; None: from the configuration."""
    launch_count: int | None = DEFAULT_PROFILED_LAUNCHES
    """Launches shown; None shows all."""
    sample_blocks: int = 4096
    """Count at most this many blocks of a launch; 0 counts every block."""
    build_command: tuple[str, ...] | None = None
    """Builds what ``run_command`` starts; None: nothing to build."""
    run_command: tuple[str, ...] | None = None
    """Starts a program or script whose launches are judged; None: the source's own ``main()`` or declared workload."""
    torch_project: Path | None = None
    """Whose virtual environment has the PyTorch of a task (absolute); None: the project of ``file``."""
    job_id: str | None = None
    """Given by a front end that announces the job to people before it starts; None: a new one."""
    report: Path | None = None
    """A report (``.ncu-rep``) to read instead of a run (absolute); where ``file`` is the same, it names its source itself."""
    is_live: bool = False
    """Somebody looks at the text while it is compiled: report at once that the quick compiler accepts it, before resources are known."""
    seeds: tuple[int, ...] = ()
    """Seeds of an earlier verification, in its order, to have its very values again; empty: fresh ones."""
    cases: tuple[CaseKey, ...] = ()
    """Judge on these, with their verification's ``seeds``, and on the recorded or declared ones behind them; empty: on all."""
    recording: Path | None = None
    """An earlier recording of A's program: its launches are judged in the place of those that are recorded now. None: these."""
    live: LiveWorkload | None = None
    """Arrays of a notebook that the kernel is judged on, in the place of ``main()`` and declared blocks."""
    needs_kernels: bool = True
    """Refuse a source without any; where somebody looks at the text, compilers have something to say of it all the same."""
    may_run: bool = True
    """The user consented to running this file's program (naming it on a terminal is consent)."""

    @property
    def noted_function(self) -> str | None:
        """The function of the host whose calls are looked at; None: none."""
        return None if self.region in {None, WHOLE_PROGRAM} else self.region

    def text_of(self, path: Path) -> str | None:
        """The text given for ``path``; None: read the disk."""
        return next((text for given, text in self.texts if given == path), None)


def about_texts(request: JobRequest, texts: Sequence[Source]) -> JobRequest:
    """The request with these texts of files of its program, and about all kernels of the program where they are several."""
    given = dict(request.texts) | {source.path: source.text for source in texts}
    return replace(request, texts=tuple(given.items()), edited=tuple(source.path for source in texts))


class Accept(StrEnum):
    """Who decides on proposals while ``optimize`` runs."""

    ASK = "ask"
    BEST = "best"
    BEST_PREDICTED = "best-predicted"
    NONE = "none"


class ChoiceRule(StrEnum):
    """How what memory knows orders what is tried."""

    THOMPSON = "thompson"
    GREEDY = "greedy"
    NONE = "none"


class CandidateRules(Record):
    """What every candidate of a search must keep to; the default asks for nothing."""

    excluded_techniques: frozenset[str] = frozenset()
    only_techniques: frozenset[str] = frozenset()
    """Empty: all."""
    refused_labels: frozenset[Label] = frozenset()
    may_change_launch: bool = True
    """Grid, block or dynamic shared memory of any launch of the kernel."""
    block_threads: int | None = None
    """Threads per block that every launch of the kernel must have; None: any."""
    max_registers: int | None = None
    """Per thread, as ptxas allocates them; None: no bound."""
    max_shared_bytes: int | None = None
    """Static and dynamic shared memory per block; None: no bound."""
    min_ratio: float | None = None
    """Least time(A)/time(B) of a candidate; None: what the gate asks for."""


class AllowOption(Record):
    """What ``--allow`` says."""

    decisions: tuple[str, ...] = ()
    """Those that are put off to the end of the search."""
    is_host_code: bool = False
    is_none: bool = False
    """It says ``none``: what the settings allow is not allowed either."""

    @classmethod
    def read(cls, words: str) -> AllowOption:
        """``precision,alignment,host`` or ``none``; raises UsageError for anything else."""
        known = (*get_args(DeferredDecision), "host")
        given = [name for word in words.split(",") if (name := word.strip().lower())]
        names = [name for name in given if name != "none"]
        if names and "none" in given:
            raise UsageError(f"--allow says none and {names[0]}", "give none alone, or leave it out")
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise UsageError(f"--allow does not know {unknown!r}", f"give none, or any of {', '.join(known)}")
        return cls(tuple(dict.fromkeys(name for name in names if name != "host")), "host" in names, "none" in given)


class OperatorOptions(Record):
    """What is asked of a candidate for a PyTorch operator."""

    class_name: str | None = None
    """Of the reference, where that is not ``Model``."""
    only_custom: bool = False
    """Functions of PyTorch that compute are wrong."""
    is_backward: bool = False
    """Gradients are compared, too."""
    is_strict: bool = False
    """What needs a decision ends with exit code 1."""
    baselines: tuple[str, ...] = ("eager", "compile")
    """What a candidate is timed against on a GPU, of ``BASELINES``; eager is always there."""
    sizes: tuple[tuple[str, int], ...] = ()
    """Whole numbers at the top of the task's file that are to be others."""


BASELINES = ("eager", "compile", "max-autotune")
"""Ways in which PyTorch runs a reference."""


ANY_NUMBER = 1 << 30


class OptimizeOptions(Record):
    """How far ``optimize`` goes."""

    max_rounds: int = 4
    """Techniques chained on one kernel at most."""
    max_candidates: int = ANY_NUMBER
    """Candidates tried per kernel at most; never more than ``limits.candidates`` of the settings."""
    may_recall_across_workspaces: bool = False
    """Whether reasons given in other workspaces may be shown."""
    choice: str | None = None
    """How what memory knows orders steps: ``thompson``, ``greedy``, ``none`` (it is not asked); None: as the settings say."""
    choice_seed: int | None = None
    """Of what Thompson sampling draws; None: as the settings say."""
    policy: str | None = None
    """Which trained policy orders what memory knows nothing of, as the setting ``recall.policy``; None: as the settings say."""
    planner: str | None = None
    """``expert``, ``llm`` or ``auto``; None: as the settings say."""
    may_call_models: bool | None = None
    """What a person answered before the job began; None: the person was not asked."""
    caps: Caps = field(default_factory=Caps)
    """Given for this job; what it leaves open, the settings say."""
    editor_settings: tuple[tuple[str, str], ...] = ()
    """The editor's user settings: (dotted name, JSON text); they stand above those of files."""
    wishes: tuple[str, ...] = ()
    """What a person asked of every candidate, in words."""
    hint: str | None = None
    """What a person asks for now, in words."""
    is_resumed: bool = False
    """Go on where the last interrupted search on the file stopped."""
    only_finding: str | None = None
    """Plan only for findings of this code (``KO103``)."""
    rules: CandidateRules = CandidateRules()
    """What a person asked of every candidate."""
    allowed: tuple[str, ...] = ()
    """Decisions that are put off to the end of the search, in addition to those of ``search.allow``."""
    is_allowed_by_settings: bool = True
    """Whether those of ``search.allow`` count."""
    takes_allowed: bool = False
    """What is allowed is taken without a person: other versions are confirmed only where the best asks for more."""
    may_edit_host_code: bool = True
    """Candidates may change host code (launch sites, constants) without anybody being asked."""
    reports_original: bool = False
    """Report the profile of the code as it is before anything is tried, for those who watch: ends with the stage ``profile``."""
    times_original: bool = False
    """That report also says how long the program takes on the GPU, measured there, else predicted."""
