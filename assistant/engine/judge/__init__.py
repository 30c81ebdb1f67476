"""Is B right, and is it faster: the cases that both versions run on, the verdict, the speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.judge.affected import affected_pairs as affected_pairs
    from assistant.engine.judge.affected import is_same_machine_code as is_same_machine_code
    from assistant.engine.judge.baseline import Baseline as Baseline
    from assistant.engine.judge.baseline import PreparedCase as PreparedCase
    from assistant.engine.judge.baseline import buffer_facts as buffer_facts
    from assistant.engine.judge.case_runs import side_runs as side_runs
    from assistant.engine.judge.case_runs import task_of as task_of
    from assistant.engine.judge.changes import changed_kernels as changed_kernels
    from assistant.engine.judge.changes import edited_kernels as edited_kernels
    from assistant.engine.judge.compared import ComparisonResult as ComparisonResult
    from assistant.engine.judge.compared import UnjudgedKernel as UnjudgedKernel
    from assistant.engine.judge.compared import Verdict as Verdict
    from assistant.engine.judge.compared import verdict_event as verdict_event
    from assistant.engine.judge.comparing import compare as compare
    from assistant.engine.judge.ending import compare_ending as compare_ending
    from assistant.engine.judge.judging import verify as verify
    from assistant.engine.judge.moved import divided_results as divided_results
    from assistant.engine.judge.moved import judged_as_a_whole as judged_as_a_whole
    from assistant.engine.judge.moved import may_be_moved as may_be_moved
    from assistant.engine.judge.moved import moved_work as moved_work
    from assistant.engine.judge.one_program import FOREIGN_READING as FOREIGN_READING
    from assistant.engine.judge.one_program import NOT_PREPROCESSED as NOT_PREPROCESSED
    from assistant.engine.judge.one_program import foreign_reading as foreign_reading
    from assistant.engine.judge.predicting import predict_speed as predict_speed
    from assistant.engine.judge.preparing import judged_recording as judged_recording
    from assistant.engine.judge.preparing import prepare as prepare
    from assistant.engine.judge.program_speed import screened_program as screened_program
    from assistant.engine.judge.program_speed import speed_of_program as speed_of_program
    from assistant.engine.judge.program_speed import why_not_asked as why_not_asked
    from assistant.engine.judge.replaying import HOST_SPACE as HOST_SPACE
    from assistant.engine.judge.replaying import spaces_of as spaces_of
    from assistant.engine.judge.replaying import startable as startable
    from assistant.engine.judge.speed import SpeedQuestion as SpeedQuestion
    from assistant.engine.judge.speed import speed_of as speed_of
    from assistant.engine.judge.timing_verdict import Speed as Speed
    from assistant.engine.judge.timing_verdict import with_findings as with_findings
    from assistant.engine.judge.values import base_of as base_of
    from assistant.engine.judge.values import other_values as other_values
    from assistant.engine.judge.verdict_reports import speed_report as speed_report
    from assistant.engine.judge.verdict_reports import verification_report as verification_report
    from assistant.engine.judge.verified import compare_verified as compare_verified

__getattr__ = names_of(__name__, __file__)
