"""Parameters by which a kernel promises that nothing writes what they point to: ``const T* __restrict__``.

``__global__ void k(const float* __restrict__ in) {`` becomes ``… EMU_SEEN(in)) { EMU_THROUGH(in)``: the checked flavour gives the body a
pointer of its own (``include/checked/emu_promises.h``), the others leave everything as it was.
"""

from __future__ import annotations

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function, name_position, split_commas


def read_only_edits(stream: Stream, kernel: Function, restrict_words: set[str], renames: dict[int, str]) -> list[Edit]:
    """Edits of the names and of the body's start; nothing for a declaration without a body."""
    position = name_position(stream, kernel.head)
    if kernel.body is None or position is None or kernel.body.start in stream.alternatives:
        return []
    opener = position[1]
    parameters = split_commas(stream, range(opener + 1, stream.close(opener)))
    places = [place for p in parameters if (place := _promising(stream, p, restrict_words)) is not None]
    names = [stream.tokens[place] for place in places if stream.tokens[place].start not in renames]
    if not names:
        return []
    behind_brace = stream.tokens[kernel.body.start].end
    start = Edit(behind_brace, behind_brace, "".join(f" EMU_THROUGH({name.text})" for name in names))
    return [*(Edit(name.start, name.end, f"EMU_SEEN({name.text})") for name in names), start]


def _promising(stream: Stream, parameter: range, restrict_words: set[str]) -> int | None:
    """Index of the parameter's name if it is a restricted pointer to const; None for others, parameter packs among them."""
    stars = [i for i in parameter if stream.text(i) == "*"]
    if len(stars) != 1:
        return None
    pointee, qualifiers = range(parameter.start, stars[0]), range(stars[0] + 1, parameter.stop)
    words = [stream.text(i) for i in qualifiers]
    if not words or not any(stream.text(i) == "const" for i in pointee) or not restrict_words.intersection(words):
        return None
    if "..." in words:  # a pack has no single value
        return None
    is_named = stream.tokens[qualifiers.stop - 1].kind is Kind.NAME and words[-1] not in {*restrict_words, "const"}
    return qualifiers.stop - 1 if is_named else None
