"""Parameter packs of kernels: ``template <class... Ts> __global__ void k(const Ts... xs)``."""

from __future__ import annotations

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function, name_position, split_commas

_QUALIFIERS = {"const", "volatile"}


def is_pack(stream: Stream, declared: range) -> bool:
    """Whether ``...`` stands outside every bracket: ``Ts*... xs``, but not ``List<Ts...> xs``."""
    i = declared.start
    while i < declared.stop:
        text = stream.text(i)
        if text == "...":
            return True
        if text in ("(", "[", "{"):
            i = stream.close(i)
        elif text == "<":
            i = stream.close_angle(i)
        i += 1
    return False


def pack_edits(stream: Stream, kernel: Function, restrict_words: set[str]) -> list[Edit]:
    """``const Ts... xs`` loses its outermost qualifiers: g++ 12 refuses the address of a function template that has them in a pack."""
    position = name_position(stream, kernel.head)
    if position is None:
        return []
    opener = position[1]
    packs = [p for p in split_commas(stream, range(opener + 1, stream.close(opener))) if is_pack(stream, p)]
    tokens = (stream.tokens[i] for p in packs for i in _outermost(stream, p) if stream.text(i) in _QUALIFIERS | restrict_words)
    return [Edit(token.start, token.end, "") for token in tokens]


def _outermost(stream: Stream, parameter: range) -> range:
    """What follows the last ``*`` or ``&``; everything where there is none."""
    marks = [i for i in parameter if stream.text(i) in ("*", "&", "&&")]
    return range(marks[-1] + 1, parameter.stop) if marks else parameter
