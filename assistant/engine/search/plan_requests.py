"""What a planner is asked: one version of a kernel as it was judged, what memory recalls, what was tried."""

from __future__ import annotations

import os
import time
from pathlib import Path

from assistant.build.cutlass_place import find_cutlass
from assistant.cuda.same_code import code_hash
from assistant.engine.evaluate import KernelAssessment, costliest, facts_of_launches, outer_definitions_of, reaches_of_launches
from assistant.engine.job import Job
from assistant.engine.proposals import DECIDED_GAIN_RATIO, SHOWN_GAIN_RATIO
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.attempts import kernel_traits
from assistant.engine.search.named_headers import only_named
from assistant.engine.search.resume import EarlierSearch
from assistant.engine.search.trials import SearchNode
from assistant.model.build import Build
from assistant.model.experience import Choice, DeviceTraits, RecallQuery, State, device_class
from assistant.model.plan import AttemptSummary
from assistant.model.profile import Finding
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from assistant.plan.policy.situation import OFF
from assistant.ports.planner import PlanRequest
from assistant.ports.store import AttemptStore
from assistant.record import Record

__all__ = ["NO_MEMORY", "PlanRequests"]

NO_MEMORY = "none"
"""`OptimizeOptions.choice` where memory is not asked."""


class PlanRequests(Record):
    """Makes the requests of a job."""

    job: Job
    options: OptimizeOptions
    store: AttemptStore
    catalogue: Catalogue
    workspace: Path
    earlier: EarlierSearch
    deferred: frozenset[Label] = frozenset()
    """What a person decides on at the end of the search."""

    def request(self, node: SearchNode, items: tuple[KernelAssessment, ...], tried: tuple[AttemptSummary, ...]) -> PlanRequest:
        """``items``: the kernel's instances in the node's version, at least one; ``tried``: candidates before, oldest first."""
        main = costliest(items)
        evaluation = node.evaluation
        build = evaluation.assessment.build
        query = self.query(node, main)
        headers = only_named(evaluation.version)
        cutlass = find_cutlass(evaluation.version.program.flags.arguments, evaluation.version.source.path.parent, os.environ)
        return PlanRequest(
            parsed=evaluation.version.parsed,
            kernel=main.kernel,
            profiles=tuple(launch.profile for launch in main.launches),
            findings=self._wanted(main.findings),
            evidence=main.evidence,
            resources=main.resources,
            target=self.job.target,
            architecture=self.job.architecture,
            build=build if isinstance(build, Build) else None,
            recalled=() if self.options.choice == NO_MEMORY else self.store.recall(query),
            choice=query.choice,
            state=query.state,
            policy=self.options.policy or OFF,
            excluded=self._excluded(node),
            excluded_designs=frozenset((step.technique, line, step.design) for step in node.settled for line in step.lines if step.design),
            tried=tried,
            diagnostics=build.diagnostics if isinstance(build, Build) else (),
            wishes=self.options.wishes,
            hint=self.options.hint,
            deferred=tuple(label for label in Label if label in self.deferred),
            least_ratio=self._least(SHOWN_GAIN_RATIO),
            decided_ratio=self._least(DECIDED_GAIN_RATIO),
            others=tuple(source for source in evaluation.version.sources[1:] if source not in headers),
            headers=(*evaluation.version.headers, *headers),
            outer_definitions=outer_definitions_of(evaluation.version, main.kernel, evaluation.version.elsewhere),
            program=() if main.kernel.file else evaluation.version.others,
            cutlass=None if cutlass is None else cutlass.release,
            is_emulated=self.job.lab.timing is None,
            is_run_in_part=evaluation.counted.is_partial,
            recorded=facts_of_launches(evaluation.version, evaluation.counted, main.kernel),
            reaches=reaches_of_launches(evaluation.version, evaluation.counted, main.kernel),
            elsewhere=evaluation.version.elsewhere,
        )

    def _least(self, ratio: float) -> float:
        """The gate's, or what a person asked for where that is more."""
        return max(ratio, self.options.rules.min_ratio or ratio)

    def _wanted(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Those that the plan is to answer."""
        code = self.options.only_finding
        return findings if code is None else tuple(finding for finding in findings if finding.code == code)

    def query(self, node: SearchNode, main: KernelAssessment) -> RecallQuery:
        """What memory is asked about the kernel in the node's version."""
        lab = self.job.lab.describe()
        return RecallQuery(
            workspace=self.workspace,
            kernel=main.kernel.key,
            state=State(
                signature=main.signature,
                traits=kernel_traits(node.evaluation, main),
                device=DeviceTraits(
                    device_class(lab.name, lab.device, self.job.target.name), self.job.architecture.name, lab.name != "cpu"
                ),
            ),
            techniques=tuple(technique.id for technique in self.catalogue.techniques),
            now_ms=time.time_ns() // 1_000_000,
            job=self.job.id,
            may_cross_workspaces=self.options.may_recall_across_workspaces,
            choice=self._choice(node, main),
        )

    def _choice(self, node: SearchNode, main: KernelAssessment) -> Choice:
        """Each version of each kernel is a draw of its own, which depends on nothing but its text and the seed."""
        key = f"{main.kernel.key}/{code_hash(node.key)}"
        default = Choice()
        seed = default.seed if self.options.choice_seed is None else self.options.choice_seed
        return Choice(self.options.choice or default.rule, seed, key)

    def _excluded(self, node: SearchNode) -> frozenset[tuple[str, int]]:
        here = frozenset((step.technique, line) for step in node.settled for line in step.lines)
        return here | self.earlier.excluded(node.key)
