"""PyTorch operators: a candidate judged against the task's reference, each in a process of its own. On a GPU both are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.operators.judged import JudgeOperator as JudgeOperator
    from assistant.engine.operators.judging import judge_operator as judge_operator
    from assistant.engine.operators.judging import judged_operator as judged_operator
    from assistant.engine.operators.launcher_program import as_program as as_program
    from assistant.engine.operators.model_writing import ModelWriting as ModelWriting
    from assistant.engine.operators.model_writing import OpenWriter as OpenWriter
    from assistant.engine.operators.profiling import profile_operator as profile_operator
    from assistant.engine.operators.reading import OperatorPair as OperatorPair
    from assistant.engine.operators.reading import is_operator as is_operator
    from assistant.engine.operators.reading import operator_candidate as operator_candidate
    from assistant.engine.operators.reading import read_pair as read_pair
    from assistant.engine.operators.reading import read_task as read_task
    from assistant.engine.operators.reading import source_in as source_in
    from assistant.engine.operators.reading import without_cuda as without_cuda
    from assistant.engine.operators.tracing import graph_of as graph_of
    from assistant.engine.operators.writing import FirstVersion as FirstVersion
    from assistant.engine.operators.writing import first_version as first_version
    from assistant.engine.operators.writing import judged_first as judged_first
    from assistant.engine.operators.writing import run_folder as run_folder

__getattr__ = names_of(__name__, __file__)
