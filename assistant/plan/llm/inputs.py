"""Which prompt is asked with which inputs: facts as the signals allow, raw or summarised, cut to what fits.

Knows prompts' names and inputs; says nothing itself. Example::

    await inputs.plan(request, 6)     # Prompt("plan@1", "…")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assistant.config import Settings
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.model.completion import CompletionFailure, FailureKind, ModelRole, ToolSpec
from assistant.model.plan import Rewrite, Setback, SetbackKind, Step
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from assistant.plan.llm.annotate import annotated, elided
from assistant.plan.llm.code.headers import HeaderRights, decided_header_words, header_words
from assistant.plan.llm.code.launching import declared_launches
from assistant.plan.llm.code.library import Prompt, PromptLibrary
from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.unusable import UnusableAnswer
from assistant.plan.llm.context import Facts, diagnostic_lines, facts_of, limits_of, problem_lines, region_lines
from assistant.plan.llm.fit import fitted
from assistant.plan.llm.pages import page_of, pages_for
from assistant.plan.llm.setbacks import case_lines, failure_lines
from assistant.plan.llm.shown_evidence import evidence_groups, stated_in
from assistant.plan.llm.summaries import Summaries
from assistant.plan.llm.talk import Talk
from assistant.plan.tokens import estimated_tokens, most_tool_tokens
from assistant.ports.planner import PlanRequest, Story

__all__ = ["Inputs"]

_PROMPT_OF = {
    SetbackKind.BUILD: "repair-compile",
    SetbackKind.WRONG_ANSWER: "repair-wrong-answer",
    SetbackKind.NOT_FASTER: "refine",
    SetbackKind.ONLY_HERE: "repair-only-here",
    SetbackKind.UNTUNED: "repair-tuning",
}
_SIGNAL_OF = {
    SetbackKind.BUILD: "compile",
    SetbackKind.WRONG_ANSWER: "verify",
    SetbackKind.NOT_FASTER: "profile",
    SetbackKind.ONLY_HERE: "verify",
}
_SHARE_OF_TURNS = 3
"""A third of what a model can read is kept for the turns of a conversation with tools (chosen)."""
_LABELS = tuple(label.value for label in Label if label not in (Label.HOST_CODE, Label.NEW_FLAGS, Label.IN_PART))
"""Risks that a model may state; the others are seen, not believed."""


class Inputs:
    """Renders the prompts of a job."""

    def __init__(self, talk: Talk, library: PromptLibrary, catalogue: Catalogue, settings: Settings) -> None:
        self._library = library
        self._catalogue = catalogue
        self._signals = settings.signals
        self._talk = talk
        self._system_tokens = estimated_tokens(library.render("system", {"reasons": False, "has_tools": False}).text)
        self._summaries = Summaries(talk, library, settings.signals)

    async def plan(self, request: PlanRequest, step_count: int, with_code: bool = False) -> Prompt | CompletionFailure:
        """Asks for at most ``step_count`` steps. ``with_code``: and for the code of each."""
        facts = await self._facts(request)
        facts = replace(facts, worked=pages_for(self._catalogue, request) if with_code else ())
        inputs = {"techniques": self._catalogue.techniques, "step_count": step_count, "with_code": with_code, "island": request.island}
        return self._fitted(ModelRole.PLANNER, "plan", facts, inputs | self._form(request) | _decisions(request))

    async def agent(self, request: PlanRequest, tools: Iterable[ToolSpec]) -> Prompt | CompletionFailure:
        """Begins a conversation with tools, and leaves room for what follows, unless the kernel alone takes it."""
        facts = replace(await self._facts(request), worked=pages_for(self._catalogue, request))
        inputs = {"techniques": self._catalogue.techniques} | self._form(request) | _decisions(request)
        token_count = most_tool_tokens(tools, ())
        room = self._talk.limits(ModelRole.CODER).input_tokens // _SHARE_OF_TURNS
        prompt = self._fitted(ModelRole.CODER, "agent", facts, inputs, token_count + room)
        if isinstance(prompt, CompletionFailure):
            return self._fitted(ModelRole.CODER, "agent", facts, inputs, token_count)
        return prompt

    async def code(self, request: PlanRequest, step: Step, others: tuple[Rewrite, ...]) -> Prompt | CompletionFailure:
        """Asks for an edit that carries out ``step`` and differs from ``others``."""
        technique = page_of(self._catalogue, request, step)
        inputs = {
            "step": self._titled(step),
            "technique_text": "" if technique is None else technique.text,
            "technique_is_near": technique is not None and technique.id != step.technique,
            "others": tuple(rewrite.summary for rewrite in others),
        }
        return self._fitted(ModelRole.CODER, "code", await self._facts(request), inputs | self._form(request))

    async def improve(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Prompt | CompletionFailure:
        """Asks for the candidate again, without what it met."""
        facts = replace(facts_of(request, self._signals), designs=())
        if setback.kind is not SetbackKind.NOT_FASTER:
            facts = replace(facts, limits=(), findings=(), evidence=(), meanings=(), hardware=(), recalled=(), resources=(), diagnostics=())
        facts = await self._summaries.made(facts, request.evidence)
        signal = _SIGNAL_OF.get(setback.kind)
        is_shown = signal is None or getattr(self._signals, signal) != "off"
        is_repeated = any(setback.reason == finding.message for finding in setback.findings)
        inputs: dict[str, object] = {
            "step": self._titled(step),
            "summary": rewrite.summary,
            "candidate": "\n".join(self._candidate(request, setback)),
            "reason": setback.reason if is_shown and not is_repeated else "",
        }
        return self._fitted(
            ModelRole.CODER, _PROMPT_OF[setback.kind], facts, inputs | await self._met(request, setback) | self._form(request)
        )

    def explain(self, story: Story) -> Prompt | CompletionFailure:
        """Asks for an explanation of a confirmed candidate."""
        inputs: dict[str, object] = {
            "diff": story.diff,
            "steps": tuple(self._titled(step) for step in story.steps),
            "summaries": tuple(rewrite.summary for rewrite in story.rewrites),
            "assumptions": tuple(dict.fromkeys(text for rewrite in story.rewrites for text in rewrite.assumptions)),
            "labels": tuple(label.value for label in story.verification.labels),
            "after": evidence_groups(story.after) if self._signals.profile != "off" else (),
            "left": tuple(f"{finding.code}, line {finding.line}: {finding.message}" for finding in story.left),
            "others": story.others,
        }
        facts = replace(
            facts_of(story.before, self._signals), tried=(), designs=(), recalled=(), loops=(), arrays=(), diagnostics=(), hardware=()
        )
        return self._fitted(ModelRole.SUMMARISER, "explain", facts, inputs)

    def refused(self, refusal: UnusableAnswer) -> Prompt:
        """Asks for an edit that can be made, in the same conversation."""
        return self._library.render("repair-region", {"problem": refusal.reason})

    def cut(self) -> Prompt:
        """Asks for a turn again that ended before it asked for anything."""
        return self._library.render("repair-reply", {"problem": "it asks for no tool", "is_cut": True})

    def uncalled(self) -> Prompt:
        """Reminds a model that has called nothing so far of what it can do."""
        return self._library.render("repair-no-call", {})

    async def _facts(self, request: PlanRequest) -> Facts:
        return await self._summaries.made(facts_of(request, self._signals), request.evidence)

    def _form(self, request: PlanRequest) -> dict[str, object]:
        return {"labels": _LABELS, "headers": header_words(_rights(request))}

    def _titled(self, step: Step) -> Step:
        technique = self._catalogue.get(step.technique)
        return step if step.title is not None else replace(step, title=step.technique if technique is None else technique.title)

    async def _met(self, request: PlanRequest, setback: Setback) -> dict[str, object]:
        """What went wrong, as the prompt of its kind declares it and as far as the signals allow."""
        match setback.kind:
            case SetbackKind.BUILD:
                lines = diagnostic_lines(setback.diagnostics, request.parsed.source.path) if self._signals.compile != "off" else ()
                return {"diagnostics": await self._summaries.shortened("compile", lines)}
            case SetbackKind.WRONG_ANSWER:
                failures = failure_lines(setback.findings, setback.cases) if self._signals.verify != "off" else ()
                problems = problem_lines(setback.problems) if self._signals.sanitizer != "off" else ()
                cases = case_lines(setback.cases) if self._signals.verify != "off" else ()
                return {
                    "failures": await self._summaries.shortened("verify", failures),
                    "cases": cases,
                    "candidate_problems": await self._summaries.shortened("sanitizer", problems),
                }
            case SetbackKind.UNTUNED:
                return {}
            case SetbackKind.ONLY_HERE:
                failures = failure_lines(setback.findings, setback.cases) if self._signals.verify != "off" else ()
                return {"failures": await self._summaries.shortened("verify", failures)}
            case SetbackKind.NOT_FASTER:
                is_shown = self._signals.profile != "off"
                after = evidence_groups(setback.evidence, stated_in(self._candidate(request, setback)))
                limits = limits_of(setback.profiles, setback.resources, request, setback.evidence)
                return {
                    "after": after if is_shown else (),
                    "limits": limits if is_shown else (),
                    "ratio": None if setback.ratio is None else f"{setback.ratio:.2f}",
                }

    def _candidate(self, request: PlanRequest, setback: Setback) -> tuple[str, ...]:
        """The candidate's region as a listing with its own line numbers; the whole text where the kernel cannot be found in it."""
        parsed = parse(Source(request.parsed.source.path, setback.text))
        changed = {source.path: parse(source) for source in setback.others}
        others = tuple(changed.get(file.source.path, file) for file in request.program)
        kernel = next(iter(select_kernels(parsed, request.kernel.qualified_name)), None)
        shown = setback.evidence if self._signals.profile != "off" else ()
        listing = annotated(setback.text, shown)
        if kernel is None:
            return (*listing, *(line for file in changed.values() for line in _named(file, annotated(file.source.text, ()))))
        region = replace(region_of(request), parsed=parsed, kernel=kernel, others=others)
        launches = {site.line for site in parsed.launch_sites_of(kernel)} | {line for line, _ in declared_launches(parsed, kernel)}
        lines = list(elided(listing, region_lines(region.parts_of(parsed)) | launches))
        for file in changed.values():
            lines += _named(file, elided(annotated(file.source.text, ()), region_lines(region.parts_of(file))))
        return tuple(lines)

    def _fitted(
        self, role: ModelRole, template: str, facts: Facts, inputs: Mapping[str, object], besides: int = 0
    ) -> Prompt | CompletionFailure:
        """``besides``: tokens that are left free."""
        limits = self._talk.limits(role)
        token_count = limits.input_tokens - self._system_tokens - besides
        facts = replace(facts, has_fences=limits.has_fences and template != "agent")  # a tool's arguments are JSON
        prompt = fitted(facts, lambda smaller: self._library.render(template, {"facts": smaller, **inputs}), token_count)
        if prompt is not None:
            return prompt
        message = f"the prompt {template} does not fit: the kernel and its launches alone are more than {token_count:,} tokens"
        return CompletionFailure(FailureKind.TOO_LARGE, message, "raise provider.max_input_tokens, if the model can read as much")


def _rights(request: PlanRequest) -> HeaderRights:
    return HeaderRights(request.may_edit_host, request.may_call_libraries, request.cutlass, request.is_emulated)


def _decisions(request: PlanRequest) -> dict[str, object]:
    """What a person has to decide on, and which of it is put off to the end."""
    deferred = tuple(label.value for label in request.deferred)
    return {"decided_headers": decided_header_words(_rights(request)), "deferred": deferred}


def _named(file: ParsedSource, listing: Iterable[str]) -> list[str]:
    """A listing under its file's name."""
    return ["", f"{file.source.path.name}:", *listing]
