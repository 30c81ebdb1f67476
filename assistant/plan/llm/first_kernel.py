"""The first kernel of a PyTorch task by a language model: the whole text of a ``.cu`` with its table. It is judged like any candidate."""

from __future__ import annotations

import re

from assistant.model.completion import CompletionFailure, FailureKind, ModelRole
from assistant.plan.llm.code.library import PromptLibrary
from assistant.plan.llm.reading.answers import MOST_REPLY_CHARACTERS, BadReply, Form
from assistant.plan.llm.reading.schemas import MOST_CODE_CHARACTERS
from assistant.plan.llm.talk import NoAnswer, Talk
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.plan.tokens import estimated_tokens
from assistant.ports.operator_writer import OperatorQuestion, WrittenOperator

__all__ = ["WHOLE_FILE", "FirstKernelWriter"]

_FENCED = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,})(?:(?:cuda|cuh|cu|cpp|c\+\+|cc|c)(?:[ \t:][^\n]*)?)?[ \t]*\n(?P<code>.*?)^[ \t]*(?P=mark)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _read(answer: str) -> str | BadReply:
    """The last whole fence that holds an operator's table."""
    found = [
        match["code"] for match in _FENCED.finditer(answer[:MOST_REPLY_CHARACTERS].replace("\r\n", "\n")) if "[operator]" in match["code"]
    ]
    if not found:
        return BadReply("there is no complete ```cuda block with a `/* kernelopt [operator] … */` table in it")
    if len(found[-1]) > MOST_CODE_CHARACTERS or _CONTROL.search(found[-1]):
        return BadReply("the file is too long, or holds control characters")
    return found[-1]


WHOLE_FILE = Form[str](None, _read)


class FirstKernelWriter:
    """Asks the coder."""

    def __init__(self, talk: Talk, library: PromptLibrary) -> None:
        self._talk = talk
        self._library = library

    async def written(self, question: OperatorQuestion) -> WrittenOperator | CompletionFailure:
        prompt = self._library.render(
            "first-kernel",
            {
                "name": question.name,
                "task": question.task,
                "functions": question.functions,
                "weights": question.weights,
                "reason": question.reason,
                "candidate": question.candidate,
                "problems": question.problems,
            },
        )
        most = self._talk.limits(ModelRole.CODER).input_tokens
        if estimated_tokens(prompt.text) > most:
            return CompletionFailure(
                FailureKind.TOO_LARGE, f"the task is larger than the {most:,} tokens that the model may be sent", "make the file smaller"
            )
        answer = await self._talk.ask(ModelRole.CODER, prompt, WHOLE_FILE)
        if isinstance(answer, NoAnswer):
            return answer.failure
        return WrittenOperator(answer.value, shown(answer.model, NAME_CHARACTERS))
