"""A suite of programs from its folder to its results: what each takes, could take at least, and takes with the best verified edits.

It drives sessions as a front end does and knows none: it prints nothing, and yields rows. What is measured, judged and offered is the
engine's; here it is put together, kept so that a killed run goes on, and summed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.bench.figures import Figures as Figures
    from assistant.bench.figures import figures_of as figures_of
    from assistant.bench.journal import BenchSettings as BenchSettings
    from assistant.bench.journal import Journal as Journal
    from assistant.bench.one_program import ProgramRunner as ProgramRunner
    from assistant.bench.private_copy import sources_sha256 as sources_sha256
    from assistant.bench.results import row_object as row_object
    from assistant.bench.results import write_results as write_results
    from assistant.bench.row import Row as Row
    from assistant.bench.row import RowOutcome as RowOutcome
    from assistant.bench.selection import TaskChoice as TaskChoice
    from assistant.bench.selection import chosen_tasks as chosen_tasks
    from assistant.bench.suite_run import left_of as left_of
    from assistant.bench.suite_run import run_suite as run_suite
    from assistant.bench.task import Task as Task
    from assistant.bench.words import figures_lines as figures_lines
    from assistant.bench.words import left_out_words as left_out_words
    from assistant.bench.words import row_line as row_line

__getattr__ = names_of(__name__, __file__)
