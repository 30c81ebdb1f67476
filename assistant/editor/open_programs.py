"""The programs of the sources that are open: looked for behind the editor, chosen by a person, and put into what jobs are asked.

Example::

    programs = OpenPrograms(documents, settings_of, known, ask)
    programs.look(document)                                   # returns at once; `known` is called with what came of it
    await programs.request(document, programs.alone(document))     # with its program, and the open texts of that
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.config import Settings, find_workspace
from assistant.editor.open_document import OpenDocument
from assistant.editor.program_search import ProgramSearches
from assistant.editor.program_words import choice_question
from assistant.engine import FilePrograms, JobRequest, find_extension
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.program import STANDS_ALONE, FoundProgram, ProgramSearch
from assistant.program import choose_program

__all__ = ["AskProgram", "OpenPrograms"]

AskProgram = Callable[[str, tuple[str, ...]], Awaitable[str | None]]
"""Asks a person a question about programs, by their names; None: no answer."""


class OpenPrograms:
    """The programs of an editor session's sources."""

    def __init__(
        self,
        documents: Mapping[str, OpenDocument],
        settings_of: Callable[[Path], Settings],
        known: Callable[[OpenDocument], None],
        ask: AskProgram | None,
    ) -> None:
        """``known`` is called with a source whose programs are other ones now than before."""
        self._documents = documents
        self._settings_of = settings_of
        self._known = known
        self._ask = ask
        self._searches = ProgramSearches()
        self._extensions: dict[Path, FoundProgram | None] = {}
        """Of sources with declared launches, until a file changes."""
        self._looking: dict[str, asyncio.Task[FilePrograms | None]] = {}
        self._asking: dict[Path, asyncio.Task[str | None]] = {}

    def look(self, document: OpenDocument) -> None:
        """Look for a source's programs in the background, unless they are known."""
        if document.may_have_program and document.key not in self._looking and self._searches.known(self.alone(document)) is None:
            looking = asyncio.create_task(self.find(document))
            self._looking[document.key] = looking
            looking.add_done_callback(lambda _: self._looking.pop(document.key, None))

    async def find(self, document: OpenDocument) -> FilePrograms | None:
        """The programs of a source, which shows them from now on; None where none are looked for."""
        programs = await self._searches.find(self._question(document)) if document.may_have_program else None
        if document.take_programs(programs):
            self._known(document)
        return programs

    def alone(self, document: OpenDocument) -> JobRequest:
        """About the source alone, as it stands."""
        settings = self._settings_of(document.path)
        return JobRequest(
            document.path,
            programs=STANDS_ALONE,
            working_directory=document.path.parent,
            texts=((document.path, document.text), *self._written_by_cells(document)),
            region=document.region,
            usual_region=settings.region,
            is_everywhere=settings.verification.in_every_program and document.may_have_program,
            device=settings.device,
            target=settings.target,
            cflags=settings.build.flags or None,
            timeout_s=settings.run.timeout_s,
            is_live=True,
            live=document.live,
        )

    def _written_by_cells(self, document: OpenDocument) -> Iterator[tuple[Path, str]]:
        """For a notebook's cell, the files that other cells become when they are run: it may include one."""
        for other in self._documents.values() if document.inner is not None else ():
            if other is not document and other.inner is not None and other.inner.writes is not None:
                yield other.inner.writes, other.text

    async def request(self, document: OpenDocument, request: JobRequest) -> JobRequest:
        """``request`` about the source in its program; as it is where there is none, or a person has not chosen yet."""
        programs = await self.find(document)
        program = await self._extension_of(document, request) if programs is None else programs.program
        return _judged_in(programs, self.within(document, request, program))

    async def settled_request(self, document: OpenDocument, request: JobRequest) -> JobRequest:
        """As ``request``, for a job that a person asked for: where several programs are possible, they are asked which one is meant.

        Raises CannotAnswerError where they do not say, or what says which is damaged.
        """
        programs = await self.find(document)
        if programs is not None and len(programs.meant) > 1:
            programs = await self._chosen_by_person(document, programs)
        program = await self._extension_of(document, request) if programs is None else programs.settled()
        return _judged_in(programs, self.within(document, request, program))

    def within(self, document: OpenDocument, request: JobRequest, program: FoundProgram | None) -> JobRequest:
        """``request`` with the program that the source is run by, and what is open of that; what is reported of those is shown there."""
        if program is None:
            return request
        others = [other for other in self._documents.values() if other is not document and other.path in program.files]
        for other in others:
            self.look(other)
        folder = program.units[0].parent if program.units else request.working_directory
        texts = (*request.texts, *((other.path, other.text) for other in others))
        return replace(request, working_directory=folder, texts=texts, programs=ProgramSearch((program,)))

    async def choose(self, document: OpenDocument, name: str | None) -> None:
        """Remember which program is meant, as the command line does; None: ask a person, whether or not one was chosen before.

        Raises UsageError for one that there is not, CannotAnswerError where the choice cannot be kept.
        """
        programs = await self.find(document)
        found = () if programs is None else programs.search.found
        if programs is None or not found:
            raise UsageError(f"no program was found that runs {document.path.name}", "the hover on a kernel lists what was looked for")
        if name is None:
            await self._chosen_by_person(document, replace(programs, chosen=None))
            return
        if name not in {program.name for program in found}:
            names = ", ".join(program.name for program in found)
            raise UsageError(f"{document.path.name} belongs to no program {name}", f"it has: {names}")
        await asyncio.to_thread(choose_program, document.path, find_workspace(document.path), name)
        self._searches.forget((document.path,))
        await self.find(document)

    def changed(self, paths: Iterable[Path]) -> None:
        """Files changed: what was found with them is looked for again when it is next needed."""
        self._searches.forget(paths)
        self._extensions.clear()

    async def close(self) -> None:
        """End what is under way."""
        tasks: list[asyncio.Task[Any]] = [*self._looking.values(), *self._asking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _extension_of(self, document: OpenDocument, request: JobRequest) -> FoundProgram | None:
        """The PyTorch extension of a source with declared launches; None where there is none, or several differ and none was chosen."""
        if not document.may_be_of_extension:
            return None
        if document.path not in self._extensions:
            found = None
            with suppress(CannotAnswerError):
                found = await asyncio.to_thread(find_extension, replace(request, programs=None), Flags(request.cflags or ()))
            self._extensions[document.path] = found
        return self._extensions[document.path]

    def _question(self, document: OpenDocument) -> JobRequest:
        """With every open text, as any of them may say what belongs together."""
        texts = {other.path: other.text for other in self._documents.values()} | {document.path: document.text}
        return replace(self.alone(document), texts=tuple(texts.items()))

    async def _chosen_by_person(self, document: OpenDocument, programs: FilePrograms) -> FilePrograms:
        """The programs with their answer; several jobs that wait for one answer ask once."""
        if self._ask is None:
            return programs
        asking = self._asking.get(document.path)
        if asking is None:
            asking = self._asking[document.path] = asyncio.create_task(_answered(self._ask, programs))
            asking.add_done_callback(lambda _: self._asking.pop(document.path, None))
        name = await asyncio.shield(asking)
        if name is None:
            return programs
        await self.choose(document, name)
        return replace(programs, chosen=name)


def _judged_in(programs: FilePrograms | None, request: JobRequest) -> JobRequest:
    """``request``, whose edits are judged in every program only where there are several."""
    return replace(request, is_everywhere=bool(request.is_everywhere) and programs is not None and len(programs.search.found) > 1)


async def _answered(ask: AskProgram, programs: FilePrograms) -> str | None:
    return await ask(choice_question(programs), tuple(program.name for program in programs.meant))
