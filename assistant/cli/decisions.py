"""Ask a person on the terminal what to do with a proposal, and whether candidates may edit host code."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.cli.console import console
from assistant.config import ConsentAnswer, ProgramConsent, TrustStore, find_workspace, user_paths
from assistant.cuda.changes import shown_names
from assistant.cuda.tied_hunks import tied_hunks
from assistant.engine.proposals import DecisionRequest
from assistant.model.proposal import REASON_CODES, DecisionKind, Proposal
from assistant.record import Record

__all__ = ["AskOnTerminal", "HostCodeOnTerminal", "choose"]


class AskOnTerminal(Record):
    """Accept, accept some hunks, reject with a reason, or decide later."""

    @classmethod
    def if_terminal(cls, as_json: bool) -> AskOnTerminal | None:
        """None where no person can answer: piped input or output, or JSON mode."""
        return cls() if sys.stdin.isatty() and sys.stdout.isatty() and not as_json else None

    async def __call__(self, proposal: Proposal) -> DecisionRequest | None:
        """The decision; None leaves the proposal open."""
        numbers = tuple(str(number) for number in range(1, len(proposal.alternatives) + 1))
        choices = (*(("a", "r", "l") if len(tied_hunks(proposal.files)) < 2 else ("a", "h", "r", "l")), *numbers)
        hunks = ", [h]unks" if "h" in choices else ""
        others = "".join(f", [{number}]" for number in numbers)
        match await choose(f"[a]ccept{hunks}{others}, [r]eject, decide [l]ater", choices, "l"):
            case number if number in numbers:
                return DecisionRequest(DecisionKind.ACCEPTED, alternative=int(number))
            case "a":
                return DecisionRequest(DecisionKind.ACCEPTED)
            case "h":
                return await _ask_hunks(proposal)
            case "r":
                code = await choose(f"why? {', '.join(REASON_CODES)}", REASON_CODES, "other")
                reason = await _answer("in your words (optional)")
                return DecisionRequest(DecisionKind.REJECTED, reason_code=code, reason=reason or None)
            case _:
                return None


class HostCodeOnTerminal(Record):
    """May candidates edit host code? ``always here`` is remembered for the workspace; ``kernelopt trust --revoke`` forgets it."""

    trust: TrustStore
    consent: ProgramConsent

    @classmethod
    def in_workspace_of(cls, file: Path) -> HostCodeOnTerminal:
        return cls(TrustStore(user_paths().trust), ProgramConsent(find_workspace(file), ("optimize", "--allow-host-code")))

    async def __call__(self, edit: str) -> bool:
        if self.trust.consent(self.consent) is ConsentAnswer.ALWAYS:
            return True
        question = f"{edit} edits host code. It runs limited (kernelopt doctor lists how), with your rights only once you accept it."
        console().print(question, markup=False)
        answer = await choose("allow such edits in this search? [y]es, [n]o, [a]lways here", ("y", "n", "a"), "n")
        if answer == "a":
            self.trust.answer(self.consent, ConsentAnswer.ALWAYS)
        return answer != "n"


async def _ask_hunks(proposal: Proposal) -> DecisionRequest | None:
    taken: list[str] = []
    names = shown_names(proposal.paths)
    placed = {hunk.id: (names(change.path), hunk) for change in proposal.files for hunk in change.hunks}
    for group in tied_hunks(proposal.files):
        view = console()
        for name, hunk in (placed[hunk_id] for hunk_id in group):
            view.print(f"hunk {hunk.id}, {name} line {hunk.before_line}", markup=False)
            view.print("".join(f"-{line}" for line in hunk.before) + "".join(f"+{line}" for line in hunk.after), markup=False)
        question = "take it? y, n" if len(group) == 1 else "take them? They only work together: y, n"
        if await choose(question, ("y", "n"), "y") == "y":
            taken += group
    return DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, hunk_ids=tuple(taken)) if taken else None


async def choose(question: str, choices: Sequence[str], default: str) -> str:
    """One of ``choices``; asks again until it is."""
    while True:
        answer = await _answer(f"{question} ({default})") or default
        if answer in choices:
            return answer
        console().print(f"please type one of: {', '.join(choices)}", markup=False)


async def _answer(question: str) -> str:
    """What the person typed, or nothing at the end of input. Waits in the event loop, so that Ctrl-C and the heartbeat are heard."""
    console().print(f"{question}: ", end="", markup=False)
    loop = asyncio.get_running_loop()
    has_line = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), has_line.set)
    try:
        await has_line.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline().strip()
