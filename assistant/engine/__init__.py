"""The pipeline every front end shares: assess, compare, optimize, sessions. Yields events; never prints, never knows who asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.asked_function import check_region as check_region
    from assistant.engine.asked_text import about_text as about_text
    from assistant.engine.asked_text import meant_in as meant_in
    from assistant.engine.build_database import database_flags as database_flags
    from assistant.engine.changed import kernels_changed_since as kernels_changed_since
    from assistant.engine.channel import UNHEARD as UNHEARD
    from assistant.engine.channel import streamed as streamed
    from assistant.engine.events_as_json import event_from as event_from
    from assistant.engine.events_as_json import event_json as event_json
    from assistant.engine.events_as_json import event_object as event_object
    from assistant.engine.every_program import in_programs as in_programs
    from assistant.engine.every_program import judging_programs as judging_programs
    from assistant.engine.files import replace_text as replace_text
    from assistant.engine.ids import new_id as new_id
    from assistant.engine.initialize import initialized as initialized
    from assistant.engine.initialize import initialized_text as initialized_text
    from assistant.engine.job import CANNOT_ANSWER as CANNOT_ANSWER
    from assistant.engine.job import DONE as DONE
    from assistant.engine.job import INTERNAL as INTERNAL
    from assistant.engine.job import NO as NO
    from assistant.engine.job import Ending as Ending
    from assistant.engine.job import Job as Job
    from assistant.engine.operators import is_operator as is_operator
    from assistant.engine.programs import FilePrograms as FilePrograms
    from assistant.engine.programs import KernelPlace as KernelPlace
    from assistant.engine.programs import answer_key as answer_key
    from assistant.engine.programs import find_extension as find_extension
    from assistant.engine.programs import programs_of as programs_of
    from assistant.engine.reading import read_version as read_version
    from assistant.engine.request import BASELINES as BASELINES
    from assistant.engine.request import WHOLE_PROGRAM as WHOLE_PROGRAM
    from assistant.engine.request import Accept as Accept
    from assistant.engine.request import AllowOption as AllowOption
    from assistant.engine.request import ChoiceRule as ChoiceRule
    from assistant.engine.request import JobRequest as JobRequest
    from assistant.engine.request import OperatorOptions as OperatorOptions
    from assistant.engine.request import OptimizeOptions as OptimizeOptions
    from assistant.engine.request import about_texts as about_texts
    from assistant.engine.rewritten import edited_sources as edited_sources
    from assistant.engine.running import JobRunner as JobRunner
    from assistant.engine.running import flags_of as flags_of
    from assistant.engine.running import run_limits as run_limits
    from assistant.engine.scratch import scratch_folder as scratch_folder
    from assistant.engine.session import Session as Session
    from assistant.engine.session import SessionParts as SessionParts
    from assistant.engine.source_version import SourceVersion as SourceVersion
    from assistant.engine.source_version import candidate_of as candidate_of
    from assistant.engine.source_version import declares_workload as declares_workload
    from assistant.engine.source_version import read_source as read_source
    from assistant.program.python_texts import text_in_python as text_in_python

__getattr__ = names_of(__name__, __file__)
