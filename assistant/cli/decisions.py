"""Ask a person on the terminal what to do with a proposal."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

from rich.prompt import Prompt

from assistant.cli.jobs import console
from assistant.engine.decide import DecisionRequest
from assistant.model.proposal import REASON_CODES, DecisionKind, Proposal

__all__ = ["AskOnTerminal"]


@dataclass(frozen=True)
class AskOnTerminal:
    """Accept, accept some hunks, reject with a reason, or decide later."""

    @classmethod
    def if_terminal(cls, as_json: bool) -> AskOnTerminal | None:
        """None where nobody can answer: piped input or output, or JSON mode."""
        return cls() if sys.stdin.isatty() and sys.stdout.isatty() and not as_json else None

    async def __call__(self, proposal: Proposal) -> DecisionRequest | None:
        """The decision; None leaves the proposal open."""
        return await asyncio.to_thread(self._ask, proposal)

    def _ask(self, proposal: Proposal) -> DecisionRequest | None:
        choices = ["a", "r", "l"] if len(proposal.hunks) < 2 else ["a", "h", "r", "l"]
        text = "[a]ccept, [h]unks, [r]eject, decide [l]ater" if "h" in choices else "[a]ccept, [r]eject, decide [l]ater"
        match Prompt.ask(text.replace("[", r"\["), choices=choices, default="l", console=console(), show_choices=False):
            case "a":
                return DecisionRequest(DecisionKind.ACCEPTED)
            case "h":
                return self._ask_hunks(proposal)
            case "r":
                code = Prompt.ask("why", choices=list(REASON_CODES), default="other", console=console())
                reason = Prompt.ask("in your words (optional)", default="", console=console())
                return DecisionRequest(DecisionKind.REJECTED, reason_code=code, reason=reason or None)
            case _:
                return None

    def _ask_hunks(self, proposal: Proposal) -> DecisionRequest | None:
        taken: list[str] = []
        for hunk in proposal.hunks:
            view = console()
            view.print(f"hunk {hunk.id}, line {hunk.before_line}", highlight=False)
            view.print("".join(f"-{line}" for line in hunk.before) + "".join(f"+{line}" for line in hunk.after), markup=False)
            if Prompt.ask("take it", choices=["y", "n"], default="y", console=view) == "y":
                taken.append(hunk.id)
        return DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, hunk_ids=tuple(taken)) if taken else None
