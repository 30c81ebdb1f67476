"""Attempts, proposals, decisions and pair sessions as JSON records and back; hashes over both. Pure.

A record holds no source text, only the hash of it; the texts lie in the blob table. Records are ASCII JSON with sorted keys,
so that the same value always has the same hash. Example::

    record, texts = attempt_record(attempt)      # texts: {hash: text} to be stored next to it
    attempt_of(record, texts.__getitem__)        # the attempt again
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant import serialize
from assistant.model.attempt import Attempt, OtherFile
from assistant.model.pair import PairSession, Turn
from assistant.model.proposal import Decision, Proposal, ProposalState

__all__ = [
    "CHAIN_START",
    "attempt_of",
    "attempt_record",
    "canonical",
    "chained",
    "decision_of",
    "decision_record",
    "hash_of",
    "pair_session_of",
    "pair_session_record",
    "path_key",
    "proposal_of",
    "proposal_record",
    "text_bytes",
    "text_of",
    "turn_of",
    "turn_record",
]

CHAIN_START = "sha256:" + "0" * 64
"""What stands for the hash before the first entry."""

Texts = dict[str, str]
"""Hash → source text."""
_CHANGE_TEXTS = ("before_text", "after_text")
"""Texts of each file of a proposal, and of each other file of an attempt."""
_ATTEMPT_TEXTS = ("parent_text", "text")


def text_bytes(text: str) -> bytes:
    """The bytes of a source file; bytes that are not UTF-8 came in, and go out, as lone surrogates."""
    return text.encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def hash_of(data: bytes) -> str:
    """Tagged with its algorithm, so that another one can follow."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def canonical(data: Any) -> str:
    """The one JSON text of a JSON value."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chained(previous: str, kind: str, subject: str, record_hash: str) -> str:
    """Hash of a chain entry."""
    return hash_of("\n".join((previous, kind, subject, record_hash)).encode())


def path_key(path: Path | None) -> str | None:
    """A path as the JSON string that stands for it in SQL: file names need not be valid Unicode, bound text must be."""
    return None if path is None else json.dumps(str(path))


def attempt_record(attempt: Attempt) -> tuple[str, Texts]:
    data: dict[str, Any] = serialize.encode(attempt)
    texts: Texts = {}
    data["also"] = [_hashed(file, _CHANGE_TEXTS, texts) for file in data["also"]]
    return canonical(_hashed(data, _ATTEMPT_TEXTS, texts)), texts


def attempt_of(record: str, text: Callable[[str], str]) -> Attempt:
    """A record of before other files' texts were kept has their paths alone."""
    data = json.loads(record)
    also = [
        serialize.encode(OtherFile(Path(file), "", "", False)) if isinstance(file, str) else _with_texts(file, _CHANGE_TEXTS, text)
        for file in data.get("also", ())
    ]
    return serialize.decode(Attempt, _with_texts(data | {"also": also}, _ATTEMPT_TEXTS, text))


def proposal_record(workspace: Path, proposal: Proposal) -> tuple[str, Texts]:
    """The state is left out: it changes."""
    data: dict[str, Any] = serialize.encode(proposal) | {"workspace": str(workspace), "state": None}
    texts: Texts = {}
    for version in (data, *data["alternatives"]):
        version["files"] = [_hashed(change, _CHANGE_TEXTS, texts) for change in version["files"]]
    return canonical(data), texts


def proposal_of(record: str, state: str, text: Callable[[str], str]) -> Proposal:
    """A record of before edits of several files has its one file's fields among its own."""
    data = json.loads(record)
    del data["workspace"]
    files = data["files"] if "files" in data else [{"path": data["path"]} | {name: data.pop(name) for name in (*_CHANGE_TEXTS, "hunks")}]
    data["files"] = files
    for version in (data, *data.get("alternatives", ())):
        version["files"] = [_with_texts(change, _CHANGE_TEXTS, text) for change in version["files"]]
    return serialize.decode(Proposal, data | {"state": ProposalState(state)})


def decision_record(decision: Decision) -> str:
    return canonical(serialize.encode(decision))


def decision_of(record: str) -> Decision:
    return serialize.decode(Decision, json.loads(record))


def pair_session_record(session: PairSession) -> tuple[str, Texts]:
    return _record(session, ("baseline_text",), {})


def pair_session_of(record: str, text: Callable[[str], str]) -> PairSession:
    return serialize.decode(PairSession, _with_texts(json.loads(record), ("baseline_text",), text))


def turn_record(turn: Turn) -> tuple[str, Texts]:
    return _record(turn, () if turn.text is None else ("text",), {})


def turn_of(record: str, text: Callable[[str], str]) -> Turn:
    data = json.loads(record)
    return serialize.decode(Turn, _with_texts(data, () if data["text"] is None else ("text",), text))


def _record(value: PairSession | Turn, text_fields: tuple[str, ...], extra: dict[str, Any]) -> tuple[str, Texts]:
    texts: Texts = {}
    return canonical(_hashed(serialize.encode(value) | extra, text_fields, texts)), texts


def _hashed(data: dict[str, Any], text_fields: tuple[str, ...], texts: Texts) -> dict[str, Any]:
    """The object with hashes in place of its texts, which are added to ``texts``."""
    hashes = {name: hash_of(text_bytes(data[name])) for name in text_fields}
    texts.update({digest: data[name] for name, digest in hashes.items()})
    return data | hashes


def _with_texts(data: dict[str, Any], text_fields: tuple[str, ...], text: Callable[[str], str]) -> dict[str, Any]:
    return data | {name: text(data[name]) for name in text_fields}
