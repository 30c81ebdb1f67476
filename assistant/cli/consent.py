"""May a language model be asked? Shown and asked on the terminal, at the first use per workspace and endpoint.

Where no person can be asked, naming the model's planner is the consent, and what is sent is reported on standard error.
"""

from __future__ import annotations

from assistant.cli.console import console
from assistant.cli.decisions import choose
from assistant.config import ConsentAnswer, EndpointConsent, TrustStore, user_paths
from assistant.engine.search import AskModel, ModelNotice
from assistant.record import Record

__all__ = ["ask_model", "model_as_remembered"]

_FORGET = "kernelopt trust --revoke forgets it"


def model_as_remembered() -> AskModel:
    """No person is asked now."""
    return RememberedConsent(TrustStore(user_paths().trust))


def ask_model(is_terminal: bool) -> AskModel:
    """Who answers for this command."""
    trust = TrustStore(user_paths().trust)
    return ModelOnTerminal(trust) if is_terminal else ModelByName(trust)


class ModelOnTerminal(Record):
    """Once, always here, or never; the last two are remembered for the workspace and the endpoint."""

    trust: TrustStore

    async def __call__(self, notice: ModelNotice) -> str | None:
        refused = _refused(self.trust, notice)
        if refused is not None:
            return refused
        open_consents = [consent for consent in _consents(notice) if self.trust.consent(consent) is None]
        if not open_consents:
            return None
        for line in notice.lines:
            console().print(line, markup=False)
        match await choose("ask it? [o]nce, [a]lways here, [n]ever here, no (for [t]his search)", ("o", "a", "n", "t"), "t"):
            case "o":
                return None
            case "a":
                self._remember(open_consents, ConsentAnswer.ALWAYS)
                return None
            case "n":
                self._remember(open_consents, ConsentAnswer.NEVER)
                return f"no language model is asked in this workspace; {_FORGET}"
            case _:
                return "no language model is asked in this search"

    def _remember(self, consents: list[EndpointConsent], answer: ConsentAnswer) -> None:
        for consent in consents:
            self.trust.answer(consent, answer)


class ModelByName(Record):
    """No person can answer: what the command names is the answer, or what was answered for good before."""

    trust: TrustStore

    async def __call__(self, notice: ModelNotice) -> str | None:
        refused = _refused(self.trust, notice)
        if refused is None and not (notice.is_named or _is_agreed(self.trust, notice)):
            return "there is no terminal on which to ask for consent to a language model"
        if refused is None:
            for line in notice.lines:
                console(is_error=True).print(line, markup=False)
        return refused


class RememberedConsent(Record):
    """Only what was answered before counts: in a session whose input is commands, a question would read the next one."""

    trust: TrustStore

    async def __call__(self, notice: ModelNotice) -> str | None:
        refused = _refused(self.trust, notice)
        if refused is not None or _is_agreed(self.trust, notice):
            return refused
        return f"kernelopt optimize {notice.file.name} asks once whether a language model may be asked here"


def _consents(notice: ModelNotice) -> tuple[EndpointConsent, ...]:
    return tuple(EndpointConsent(notice.workspace, endpoint) for endpoint in notice.endpoints)


def _is_agreed(trust: TrustStore, notice: ModelNotice) -> bool:
    """Whether all its endpoints may always be asked in this workspace."""
    return all(trust.consent(consent) is ConsentAnswer.ALWAYS for consent in _consents(notice))


def _refused(trust: TrustStore, notice: ModelNotice) -> str | None:
    """What a person answered once and for all."""
    never = [consent.endpoint for consent in _consents(notice) if trust.consent(consent) is ConsentAnswer.NEVER]
    return f"{', '.join(never)} is never to be asked in this workspace; {_FORGET}" if never else None
