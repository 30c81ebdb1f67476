"""What makes plans work: decisions of recorded searches frozen, asked again with signals and plans there or not, judged, and attributed.

It drives sessions as a front end does and prints nothing. Prompts, judging and recall are those of every search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.study.arms import Control as Control
    from assistant.study.arms import PlanVariation as PlanVariation
    from assistant.study.arms import StudyDesign as StudyDesign
    from assistant.study.arms import read_signals as read_signals
    from assistant.study.costs import cost_lines as cost_lines
    from assistant.study.folder import StudyFolder as StudyFolder
    from assistant.study.freezing import frozen_nodes as frozen_nodes
    from assistant.study.frozen_node import ProgramOptions as ProgramOptions
    from assistant.study.markdown import results_page as results_page
    from assistant.study.plot import results_svg as results_svg
    from assistant.study.results import StudyResults as StudyResults
    from assistant.study.results import results_of as results_of
    from assistant.study.study_run import StudyParts as StudyParts
    from assistant.study.study_run import StudyRun as StudyRun

__getattr__ = names_of(__name__, __file__)
