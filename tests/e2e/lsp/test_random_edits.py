"""Ten thousand random edits: the server's text, the source it looks at and the client's text stay the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from assistant.engine.pair.sessions import PairSessions
from assistant.memory.store import open_store
from assistant.ports.store import Store
from lsp.server import KernelOptServer, build_server
from tests.thorough import first_of

_EDITS = 100
_PIECES = (
    "__global__ void k(float *x) {\n", "}\n", "x[threadIdx.x] = 0.5;", "\r\n", "\n", "\r", "", "/*", "*/", '"', "R\"(", ")\"",
    "#define A \\\n", "<<<1, 2>>>", "😀", "漢字", "\u2028", "\x0c", "\x85", "\x00", "template <int N>", "é", "\t", "// kernelopt:",
    "k<<<", "int main() {", "[", "(",
)  # fmt: skip
"""What is typed: halves of everything, and characters that some take for line ends."""

Edit = tuple[float, int, str]
"""Where (a share of the text), how much goes, what comes."""


class Wire:
    """Takes what the server sends."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def write(self, data: bytes) -> None:
        self.sent.append(data.partition(b"\r\n\r\n")[2].decode())

    def close(self) -> None:
        pass

    @property
    def errors(self) -> list[str]:
        return [message for message in self.sent if '"error"' in message]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[asyncio.AbstractEventLoop, KernelOptServer, Wire]]:
    """A server in this process, which trusts nothing and so starts nothing."""
    folder = tmp_path_factory.mktemp("random")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELOPT_HOME", str(folder))
        made, wire = build_server(lambda: open_store(folder / "memory.sqlite"), _no_pairs), Wire()
        loop = asyncio.new_event_loop()
        made.protocol.set_writer(wire)
        loop.run_until_complete(_say(made, "initialize", 1, {
            "processId": None, "rootUri": folder.as_uri(), "capabilities": {"general": {"positionEncodings": ["utf-16"]}},
            "initializationOptions": {"kernelopt": {"protocol": 1, "trusted": False}},
        }))  # fmt: skip
        yield loop, made, wire
        loop.run_until_complete(made.close())
        loop.close()


def _no_pairs(store: Store, who: str) -> PairSessions:
    raise AssertionError(f"{who} needs no pair session of {store} here")


async def _say(server: KernelOptServer, method: str, number: int | None, parameters: object) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": parameters} | ({} if number is None else {"id": number})
    server.protocol.handle_message(json.loads(json.dumps(message), object_hook=server.protocol.structure_message))


@pytest.mark.parametrize("quarter", first_of(range(4)))
@settings(max_examples=25, deadline=None, database=None, phases=(Phase.explicit, Phase.generate))
@given(random=st.randoms(use_true_random=False))
def test_the_text_is_the_clients_after_any_edits(
    server: tuple[asyncio.AbstractEventLoop, KernelOptServer, Wire], quarter: int, random: Random
) -> None:
    loop, made, wire = server
    seeded = Random(random.getrandbits(32) * 4 + quarter)
    edits = [(seeded.random(), seeded.randrange(40), "".join(seeded.choices(_PIECES, k=seeded.randrange(5)))) for _ in range(_EDITS)]
    loop.run_until_complete(_play(made, edits))
    assert wire.errors == []


async def _play(server: KernelOptServer, edits: list[Edit]) -> None:
    uri, text = Path("/nowhere/random.cu").as_uri(), ""
    await _say(server, "textDocument/didOpen", None, {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}})
    for version, (where, length, new) in enumerate(edits, start=2):
        start = _whole(text, int(where * len(text)))
        end = _whole(text, min(len(text), start + length))
        place = {"start": _position(text, start), "end": _position(text, end)}
        change = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": place, "text": new}]}
        await _say(server, "textDocument/didChange", None, change)
        text = text[:start] + new + text[end:]
        assert server.workspace.get_text_document(uri).source == text
        if version % 20 == 0:
            await asyncio.sleep(0)
            server.parts.backend.editor.view(uri)
    server.parts.late.catch_up()  # as before every request: on a busy machine a reading may have been put off
    (unit,) = server.parts.units.of(uri)
    assert unit.text == server.parts.backend.editor.text(uri) == server.parts.backend.editor.parsed(uri).source.text == text
    for offset in range(0, len(text), 7):
        offset = _whole(text, offset)
        position = unit.position(offset)
        assert {"line": position.line, "character": position.character} == _position(text, offset) and unit.offset(position) == offset
    await _say(server, "textDocument/didClose", None, {"textDocument": {"uri": uri}})


def _whole(text: str, offset: int) -> int:
    """A client's cursor is never between CR and LF."""
    return offset + 1 if 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n" else offset


def _position(text: str, offset: int) -> dict[str, int]:
    """As the specification says: lines end with CRLF, CR or LF, and nothing else; UTF-16 code units."""
    lines = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}
