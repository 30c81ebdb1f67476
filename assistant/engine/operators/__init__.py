"""PyTorch operators: a candidate judged against the task's reference, each in a process of its own. On a GPU both are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.operators.judging import judge_operator as judge_operator
    from assistant.engine.operators.profiling import profile_operator as profile_operator
    from assistant.engine.operators.reading import is_operator as is_operator
    from assistant.engine.operators.reading import read_pair as read_pair
    from assistant.engine.operators.reading import read_task as read_task
    from assistant.engine.operators.reading import source_in as source_in
    from assistant.engine.operators.reading import without_cuda as without_cuda
    from assistant.engine.operators.writing import write_operator as write_operator

__getattr__ = names_of(__name__, __file__)
