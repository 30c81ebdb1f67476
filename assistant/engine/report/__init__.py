"""The commands that look (``inspect``, ``check``, ``profile``) and how counts, times and proposals are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.report.claims import asked_in_words as asked_in_words
    from assistant.engine.report.claims import gain_in_words as gain_in_words
    from assistant.engine.report.claims import label_in_words as label_in_words
    from assistant.engine.report.claims import ratio_in_words as ratio_in_words
    from assistant.engine.report.claims import technique_in_words as technique_in_words
    from assistant.engine.report.claims import techniques_in_words as techniques_in_words
    from assistant.engine.report.claims import verdict_in_short as verdict_in_short
    from assistant.engine.report.counted import report_original as report_original
    from assistant.engine.report.hardware_words import measured_in_words as measured_in_words
    from assistant.engine.report.hardware_words import stalls_in_words as stalls_in_words
    from assistant.engine.report.limits import bound_in_words as bound_in_words
    from assistant.engine.report.limits import limit_in_words as limit_in_words
    from assistant.engine.report.limits import peak_in_words as peak_in_words
    from assistant.engine.report.profile_parts import Share as Share
    from assistant.engine.report.profile_parts import SourceLine as SourceLine
    from assistant.engine.report.profile_parts import estimate_reasons as estimate_reasons
    from assistant.engine.report.profile_parts import evidence_of as evidence_of
    from assistant.engine.report.profile_parts import heat_step as heat_step
    from assistant.engine.report.profile_parts import instruction_shares as instruction_shares
    from assistant.engine.report.profile_parts import line_heat as line_heat
    from assistant.engine.report.profile_parts import share_in_words as share_in_words
    from assistant.engine.report.profile_parts import source_rows as source_rows
    from assistant.engine.report.profile_parts import stall_heat as stall_heat
    from assistant.engine.report.profile_parts import stall_shares as stall_shares
    from assistant.engine.report.profile_parts import term_shares as term_shares
    from assistant.engine.report.profile_report import KernelReport as KernelReport
    from assistant.engine.report.profile_report import LaunchReport as LaunchReport
    from assistant.engine.report.profile_report import ProfileReport as ProfileReport
    from assistant.engine.report.reported import locate as locate
    from assistant.engine.report.reports import findings_event as findings_event
    from assistant.engine.report.reports import proposal_event as proposal_event
    from assistant.engine.report.sampling import report_uncounted as report_uncounted
    from assistant.engine.report.sampling import uncounted as uncounted

__getattr__ = names_of(__name__, __file__)
