"""What running a version of the text and counting it shows: launches, counters, findings, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.evaluate.assess import findings_of_launch as findings_of_launch
    from assistant.engine.evaluate.assessment import OTHER_ORDER as OTHER_ORDER
    from assistant.engine.evaluate.assessment import AssessedLaunch as AssessedLaunch
    from assistant.engine.evaluate.assessment import CountedKernel as CountedKernel
    from assistant.engine.evaluate.assessment import CountedLaunchGroup as CountedLaunchGroup
    from assistant.engine.evaluate.assessment import CountedRun as CountedRun
    from assistant.engine.evaluate.assessment import KernelAssessment as KernelAssessment
    from assistant.engine.evaluate.assessment import Repeatability as Repeatability
    from assistant.engine.evaluate.assessment import costliest as costliest
    from assistant.engine.evaluate.building import build_files as build_files
    from assistant.engine.evaluate.cases import captured_cases as captured_cases
    from assistant.engine.evaluate.cases import declared_cases as declared_cases
    from assistant.engine.evaluate.cases import for_candidate as for_candidate
    from assistant.engine.evaluate.cases import launched_recording as launched_recording
    from assistant.engine.evaluate.cases import live_cases as live_cases
    from assistant.engine.evaluate.counting import run_program as run_program
    from assistant.engine.evaluate.evaluating import count as count
    from assistant.engine.evaluate.evaluating import evaluate as evaluate
    from assistant.engine.evaluate.evaluating import evaluate_checked_failure as evaluate_checked_failure
    from assistant.engine.evaluate.evaluating import evaluate_failed as evaluate_failed
    from assistant.engine.evaluate.evaluating import observe as observe
    from assistant.engine.evaluate.evaluating import own_build_hint as own_build_hint
    from assistant.engine.evaluate.evaluating import repeat_limited as repeat_limited
    from assistant.engine.evaluate.evaluating import repeat_run as repeat_run
    from assistant.engine.evaluate.evaluation import Evaluation as Evaluation
    from assistant.engine.evaluate.figures import figures_of as figures_of
    from assistant.engine.evaluate.hardware import on_hardware as on_hardware
    from assistant.engine.evaluate.hardware import steered as steered
    from assistant.engine.evaluate.judged_case import CONFIRM_REPEATS as CONFIRM_REPEATS
    from assistant.engine.evaluate.judged_case import Effort as Effort
    from assistant.engine.evaluate.judged_case import JudgedCase as JudgedCase
    from assistant.engine.evaluate.judged_case import Resize as Resize
    from assistant.engine.evaluate.judged_case import layouts_of as layouts_of
    from assistant.engine.evaluate.judged_case import write_cases as write_cases
    from assistant.engine.evaluate.label_facts import facts_of_kernels as facts_of_kernels
    from assistant.engine.evaluate.label_facts import text_facts as text_facts
    from assistant.engine.evaluate.label_facts import version_facts as version_facts
    from assistant.engine.evaluate.live import differences as differences
    from assistant.engine.evaluate.metrics import metric_value as metric_value
    from assistant.engine.evaluate.metrics import watched as watched
    from assistant.engine.evaluate.metrics import watched_codes as watched_codes
    from assistant.engine.evaluate.outer_definitions import outer_definitions_of as outer_definitions_of
    from assistant.engine.evaluate.recorded import facts_of_launches as facts_of_launches
    from assistant.engine.evaluate.recorded import reaches_of_launches as reaches_of_launches
    from assistant.engine.evaluate.repeating import ARBITRARY as ARBITRARY
    from assistant.engine.evaluate.repeating import FAILED as FAILED
    from assistant.engine.evaluate.repeating import NO_SECOND_RUN as NO_SECOND_RUN
    from assistant.engine.evaluate.repeating import RACY as RACY
    from assistant.engine.evaluate.repeating import combined as combined
    from assistant.engine.evaluate.repeating import compare_runs as compare_runs
    from assistant.engine.evaluate.step_times import OPERATIONS_METHOD as OPERATIONS_METHOD
    from assistant.engine.evaluate.step_times import KnownTime as KnownTime
    from assistant.engine.evaluate.step_times import KnownTimes as KnownTimes
    from assistant.engine.evaluate.step_times import known_operation as known_operation
    from assistant.engine.evaluate.step_times import known_times as known_times
    from assistant.engine.evaluate.traces import least_roundoff as least_roundoff
    from assistant.engine.evaluate.traces import trace_of as trace_of
    from assistant.engine.evaluate.traces import with_types as with_types

__getattr__ = names_of(__name__, __file__)
