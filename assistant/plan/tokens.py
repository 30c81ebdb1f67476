"""How many tokens a text has at most, without any tokenizer.

Byte-pair encoders first split a text into runs of letters, digits, punctuation and space, and never merge across those (the patterns of
GPT-2, cl100k, o200k and Llama 3, in the ``tiktoken`` and ``llama-models`` sources). A run of n characters is n tokens at the very most;
runs of letters and of spaces are far fewer. The estimate is for budgets, so it errs upwards::

    estimated_tokens("float x = in[i];")     # 10
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from assistant.model.completion import ChatMessage

__all__ = ["estimated_message_tokens", "estimated_tokens"]

_LETTERS_PER_TOKEN = 3.0
"""English has about four characters a token (OpenAI's help page "What are tokens and how to count them"); three leaves room for the
names that code makes up."""
_SPACES_PER_TOKEN = 8.0
"""A run of spaces is one token in the vocabularies above up to far more than eight; older ones split runs."""
_MESSAGE_TOKENS = 8
"""Around each message: role and separators, 3 to 4 in OpenAI's chat format (the cookbook's "How to count tokens")."""
_RUN = re.compile(r"[A-Za-z]+|[ \t]+|[^\x00-\x7f]+|[\x00-\x7f]")


def estimated_tokens(text: str) -> int:
    """Tokens of ``text``, rather too many than too few."""
    return sum(_of_run(run.group()) for run in _RUN.finditer(text))


def estimated_message_tokens(messages: Sequence[ChatMessage]) -> int:
    """Tokens of a request, with what goes around its messages."""
    return sum(estimated_tokens(message.text) + _MESSAGE_TOKENS for message in messages)


def _of_run(run: str) -> int:
    first = run[0]
    if first.isascii() and first.isalpha():
        return math.ceil(len(run) / _LETTERS_PER_TOKEN)
    if first in " \t":
        return 0 if run == " " else math.ceil(len(run) / _SPACES_PER_TOKEN)
    return 1 if first.isascii() else len(run.encode("utf-8", "surrogatepass"))
