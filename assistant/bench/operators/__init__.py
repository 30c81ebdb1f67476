"""A folder of PyTorch tasks, laid out as KernelBench has it: each task's candidate judged, and how many are right and fast.

It drives sessions as its parent does. What is judged and timed is the engine's; here it is put together, kept and summed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.bench.operators.answers import Answers as Answers
    from assistant.bench.operators.answers import Trial as Trial
    from assistant.bench.operators.answers import read_answers as read_answers
    from assistant.bench.operators.answers import trials_of as trials_of
    from assistant.bench.operators.figures import figures_of as figures_of
    from assistant.bench.operators.folder import Problem as Problem
    from assistant.bench.operators.folder import TaskFolder as TaskFolder
    from assistant.bench.operators.folder import chosen_problems as chosen_problems
    from assistant.bench.operators.folder import read_folder as read_folder
    from assistant.bench.operators.one_task import TaskRunner as TaskRunner
    from assistant.bench.operators.page import figures_lines as figures_lines
    from assistant.bench.operators.results import row_object as row_object
    from assistant.bench.operators.results import write_results as write_results
    from assistant.bench.operators.row import OperatorRow as OperatorRow
    from assistant.bench.operators.row import OperatorSettings as OperatorSettings
    from assistant.bench.operators.words import row_line as row_line

__getattr__ = names_of(__name__, __file__)
