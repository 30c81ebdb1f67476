"""About how many tokens a text has, without any tokenizer: within 15 % of what the tokenizers of today's models count.

Byte-pair encoders first split a text into words with the character in front of them, runs of digits, of punctuation and of white space,
and never merge across those (the patterns of cl100k, o200k, Llama 3 and Qwen, in the ``tiktoken`` and ``transformers`` sources). Common
words are one token, long and made-up ones several. The weights below are a least-squares fit to o200k and cl100k on CUDA sources, prompts,
answers and documentation; ``tests/unit/plan/test_tokens.py`` holds each kind of text to 15 %. Example::

    estimated_tokens("float x = in[i];")     # 7; o200k counts 6
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from assistant.model.completion import ChatMessage, ToolSpec

__all__ = ["estimated_tokens", "most_message_tokens", "most_tool_tokens"]

_WORD_LETTERS = 6
"""A word up to this length is one token as a rule."""
_PER_FURTHER_LETTER = 0.2
_BEHIND_A_MARK = 0.2
"""More, for a word that punctuation stands directly in front of (``_idx``, ``.x``): the vocabularies have few of those as one token."""
_PER_FURTHER_MARK = 0.5
"""For each character of punctuation beyond the second of a run: ``);`` and ``+=`` are single tokens, and so are rules (``=====``)."""
_BYTES_PER_TOKEN = 3
"""Of characters beyond ASCII: about one token for each Chinese character or symbol."""
_MESSAGE_TOKENS = 4
"""Around each message: role and separators, 3 to 4 in OpenAI's chat format (the cookbook's "How to count tokens")."""
_MARGIN = 1.15
"""What a budget sets aside beyond the estimate, which may be so much too low."""
_REPEATED = re.compile(r"(.)\1{2,}")
_PIECE = re.compile(
    r"(?P<word>[^\r\nA-Za-z0-9\x80-\U0010ffff]?(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]))"
    r"|(?P<digits>[0-9]{1,3})"
    r"|(?P<marks> ?[^\sA-Za-z0-9\x80-\U0010ffff]+[\r\n]*)"
    r"|(?P<other>[^\x00-\x7f]+)"
    r"|(?P<space>[\s]*[\r\n]+|\s+(?=\s\S)|\s+|.)"
)


def estimated_tokens(text: str) -> int:
    """Tokens of ``text``, about."""
    return math.ceil(sum(map(_of_piece, _PIECE.finditer(text))))


def most_message_tokens(messages: Sequence[ChatMessage]) -> int:
    """Tokens that a budget sets aside for a request, with what goes around its messages."""
    return math.ceil(sum(estimated_tokens(message.text) + _MESSAGE_TOKENS for message in messages) * _MARGIN)


def most_tool_tokens(tools: Iterable[ToolSpec], messages: Iterable[ChatMessage]) -> int:
    """Tokens of tools and of their calls, which stand beside the messages' texts."""
    of_tools = sum(estimated_tokens(f"{tool.name} {tool.description} {tool.json_schema}") for tool in tools)
    return of_tools + sum(estimated_tokens(call.arguments) for message in messages for call in message.calls)


def _of_piece(found: re.Match[str]) -> float:
    piece = found.group()
    match found.lastgroup:
        case "word":
            is_led = not piece[0].isalpha()
            letters = len(piece) - is_led
            mark = _BEHIND_A_MARK if is_led and not piece[0].isspace() else 0.0
            return 1.0 + max(0, letters - _WORD_LETTERS) * _PER_FURTHER_LETTER + mark
        case "marks":
            return 1.0 + max(0, len(_REPEATED.sub(r"\1", piece.strip())) - 2) * _PER_FURTHER_MARK
        case "other":
            return math.ceil(len(piece.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)
        case _:
            return 1.0
