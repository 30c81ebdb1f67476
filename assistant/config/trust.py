"""Who may run what where: trusted folders and remembered consents, in the user's data, never in the folder itself.

Untrusted is the default: only parsing happens there. Consent is for one exact run (command, flags, reference); when any of them
changes the question comes again. So it is for sending a workspace's source to one endpoint of language models.
Folders are compared with symbolic links resolved. Example::

    trust = TrustStore(user_paths().trust)
    trust.trust(folder)
    trust.answer(run, ConsentAnswer.ALWAYS)
    trust.consent(run)                          # ConsentAnswer.ALWAYS
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Generator
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict

from assistant.disk.whole import write_whole
from assistant.errors import CannotAnswerError
from assistant.record import Record

__all__ = ["Consent", "ConsentAnswer", "EndpointConsent", "ProgramConsent", "RunPurpose", "TrustOfThisRun", "TrustStore"]

_LOCK_TIMEOUT_S = 10.0
"""The lock is held for one small write."""


class ConsentAnswer(StrEnum):
    ONCE = "once"
    """For this run; not remembered."""
    ALWAYS = "always"
    NEVER = "never"


class RunPurpose(StrEnum):
    """What a command of the user's is run for."""

    JUDGING = "judging"
    """A program is built and run, to verify and profile its kernels."""
    RECORDING = "recording"
    """A build is run once, in a private copy, to see what it compiles and links."""
    CONFIGURING = "configuring"
    """CMake configures a project in a folder of kernelopt's own, to see what it builds."""


class ProgramConsent(Record):
    """One exact run that a person is asked about."""

    folder: Path
    command: tuple[str, ...]
    flags: tuple[str, ...] = ()
    reference_sha256: str | None = None
    """Text of the reference implementation; None where there is none."""
    purpose: RunPurpose = RunPurpose.JUDGING
    words: tuple[str, ...] = ()
    """What that means, a sentence each: what is compiled and how, and how it is run. The answer does not depend on them."""
    runs_in: Path | None = None
    """Where it runs; None: in ``folder``."""

    @property
    def digest(self) -> str:
        parts = (list(self.command), list(self.flags), self.reference_sha256)
        if self.purpose is not RunPurpose.JUDGING:
            parts = (*parts, self.purpose.value)
        return "sha256:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class EndpointConsent(Record):
    """Sending source text of a workspace to an endpoint: a person is asked when it is first used."""

    folder: Path
    """The workspace."""
    endpoint: str
    """As `ServedModel.endpoint` has it: a base URL, or the editor's model."""

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(json.dumps(["endpoint", self.endpoint]).encode()).hexdigest()


Consent = ProgramConsent | EndpointConsent


class _TrustFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: dict[str, bool] = {}
    """Resolved folder → trusted, or revoked below a trusted one."""
    consents: dict[str, dict[str, ConsentAnswer]] = {}
    """Resolved folder → digest → ``always`` or ``never``."""


class TrustStore:
    """The trust file; read afresh each time, as other processes change it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def is_trusted(self, folder: Path) -> bool:
        """Whether the folder, or the nearest folder above that was ever decided on, is trusted."""
        known = self._read().folders
        resolved = folder.resolve()
        return next((known[str(f)] for f in (resolved, *resolved.parents) if str(f) in known), False)

    def trust(self, folder: Path) -> None:
        """Trust the folder and what is in it, except folders inside that were revoked on their own."""
        with self._changing() as file:
            file.folders[str(folder.resolve())] = True

    def revoke(self, folder: Path) -> None:
        """Distrust the folder and all in it, and drop every consent given there."""
        resolved = folder.resolve()
        with self._changing() as file:
            for entries in (file.folders, file.consents):
                for name in [name for name in entries if Path(name).is_relative_to(resolved)]:
                    del entries[name]
            file.folders[str(resolved)] = False

    def consent(self, asked: Consent) -> ConsentAnswer | None:
        """``ALWAYS`` or ``NEVER`` if this very run or endpoint was decided on in this folder; None means ask."""
        return self._read().consents.get(str(asked.folder.resolve()), {}).get(asked.digest)

    def answer(self, asked: Consent, answer: ConsentAnswer) -> None:
        """Remember the answer; ``ONCE`` leaves no trace."""
        if answer is ConsentAnswer.ONCE:
            return
        with self._changing() as file:
            file.consents.setdefault(str(asked.folder.resolve()), {})[asked.digest] = answer

    def _read(self) -> _TrustFile:
        try:
            return _TrustFile.model_validate(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            return _TrustFile()
        except OSError as error:
            raise CannotAnswerError(f"{self._path} cannot be read: {error.strerror}", "check its permissions") from error
        except ValueError as error:
            raise CannotAnswerError(
                f"{self._path} is damaged",
                "delete it; every folder is then untrusted until you trust it again",
            ) from error

    @contextlib.contextmanager
    def _changing(self) -> Generator[_TrustFile]:
        """The file's contents to change; written when the block ends well, with other processes kept out."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=_LOCK_TIMEOUT_S):
                file = self._read()
                yield file
                self._write(file)
        except (OSError, Timeout) as error:
            raise CannotAnswerError(f"{self._path} cannot be written: {error}", "make its folder writable") from error

    def _write(self, file: _TrustFile) -> None:
        write_whole(self._path, json.dumps(file.model_dump(), indent=1, sort_keys=True), mode=0o600)


class TrustOfThisRun(TrustStore):
    """What was decided for good counts, but answers are kept no longer than the process, as it is not certain who gives them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._given: dict[tuple[str, str], ConsentAnswer] = {}

    def consent(self, asked: Consent) -> ConsentAnswer | None:
        return self._given.get(_name_of(asked)) or super().consent(asked)

    def answer(self, asked: Consent, answer: ConsentAnswer) -> None:
        if answer is not ConsentAnswer.ONCE:
            self._given[_name_of(asked)] = answer


def _name_of(asked: Consent) -> tuple[str, str]:
    return str(asked.folder.resolve()), asked.digest
