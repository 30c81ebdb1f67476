"""When an editor looks for the programs of its open files, and when it does not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.config import Settings
from assistant.editor.open_document import InnerText, OpenDocument
from assistant.editor.open_programs import OpenPrograms
from assistant.editor.program_words import program_about, program_lens
from assistant.errors import CannotAnswerError
from assistant.model.program import ProgramOrigin

KERNEL = "__global__ void grow(float* x) { *x += 1; }\n"
MAIN = '#include "grow.cuh"\nint main() { float* x; grow<<<1, 1>>>(x); }\n'


class Opened:
    """Sources of one workspace, open in an editor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "kernelopt.toml").touch()
        self.documents: dict[str, OpenDocument] = {}
        self.questions: list[tuple[str, tuple[str, ...]]] = []
        self.answer: str | None = None
        self.programs = OpenPrograms(self.documents, lambda _: Settings(), lambda _: None, self._ask)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def open(self, name: str, text: str, inner: InnerText | None = None) -> OpenDocument:
        path = self.write(name, text)
        document = self.documents[name] = OpenDocument(name, path, text, inner)
        return document

    async def lens(self, document: OpenDocument) -> str | None:
        return program_lens(await self.programs.find(document))

    async def _ask(self, question: str, names: tuple[str, ...]) -> str | None:
        self.questions.append((question, names))
        await asyncio.sleep(0)
        return self.answer


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(tmp_path)


async def test_typing_starts_no_search_and_a_change_of_a_file_does(opened: Opened) -> None:
    header = opened.open("grow.cuh", KERNEL)
    assert await opened.lens(header) == "no program runs this"
    main = opened.write("main.cu", MAIN)
    for text in (KERNEL + "// a", KERNEL + "// ab"):
        header.text = text
        assert await opened.lens(header) == "no program runs this", "what was found stands until somebody says that files changed"
    opened.programs.changed((main,))
    assert await opened.lens(header) == "via main.cu"


async def test_a_main_without_kernels_has_the_places_of_its_programs_kernels(opened: Opened) -> None:
    opened.write("twice.cu", "__global__ void twice(float *x) { *x *= 2; }\nvoid run(float *x) { twice<<<1, 1>>>(x); }\n")
    opened.write("grow.cuh", KERNEL)
    main = opened.open("main.cu", MAIN.replace("int main", "void run(float *x);\nint main").replace(" }", " run(x); }"))
    programs = await opened.programs.find(main)
    assert programs is not None
    places = [(place.name, place.file.name, place.line) for place in programs.elsewhere]
    assert places == [("grow", "grow.cuh", 1), ("twice", "twice.cu", 1)], "what it launches itself comes first"
    for name in ("grow.cuh", "twice.cu"):
        other = await opened.programs.find(opened.open(name, (opened.folder / name).read_text()))
        assert other is not None and other.elsewhere == (), "its kernels have lenses of their own"


async def test_what_is_typed_in_an_open_file_counts_before_it_is_saved(opened: Opened) -> None:
    header, main = opened.open("grow.cuh", KERNEL), opened.open("main.cu", "int main() {}\n")
    assert await opened.lens(header) == "no program runs this"
    main.text = MAIN
    opened.programs.changed((main.path,))
    assert await opened.lens(header) == "via main.cu"
    request = await opened.programs.request(header, opened.programs.alone(header))
    assert (request.text_of(main.path), request.working_directory) == (MAIN, opened.folder)
    assert request.programs is not None and [program.units for program in request.programs.found] == [(main.path,)]


async def test_a_change_of_another_file_of_the_program_outdates_answers(opened: Opened) -> None:
    main = opened.write("main.cu", MAIN)
    header = opened.open("grow.cuh", KERNEL)
    await opened.programs.find(header)
    assert header.is_made_with((main,)) and not header.is_made_with((header.path,))
    before = header.view.programs
    opened.write("main.cu", MAIN.replace("<<<1,", "<<<2,"))
    opened.programs.changed((main,))
    await opened.programs.find(header)
    assert header.view.programs != before and header.program == (before.program if before else None)


async def test_a_person_is_asked_once_and_the_answer_is_kept(opened: Opened) -> None:
    opened.write("a.cu", MAIN)
    opened.write("b.cu", MAIN)
    header = opened.open("grow.cuh", KERNEL)
    assert await opened.lens(header) == "2 programs run this · Choose"
    alone = opened.programs.alone(header)
    assert await opened.programs.request(header, alone) == alone, "nobody chose: what runs unasked leaves it alone"
    with pytest.raises(CannotAnswerError, match=r"grow.cuh is part of 2 programs \(a.cu, b.cu\)"):
        await opened.programs.settled_request(header, alone)
    opened.answer = "b.cu"
    both = await asyncio.gather(*(opened.programs.settled_request(header, alone) for _ in range(2)))
    assert [request.programs.found[0].name for request in both if request.programs] == ["b.cu", "b.cu"]
    assert len(opened.questions) == 2, "one for each time that no answer was known"
    assert opened.questions[0] == ("grow.cuh is part of 2 programs. Which one runs its kernels?", ("a.cu", "b.cu"))
    assert await opened.lens(header) == "via b.cu"
    assert "b.cu includes grow.cuh" in program_about(header.view.programs)


async def test_cells_and_files_with_their_own_shapes_are_part_of_no_program(opened: Opened) -> None:
    opened.write("main.cu", MAIN)
    assert await opened.lens(opened.open("grow.cuh", KERNEL, inner=InnerText())) is None
    declared = '/* kernelopt\nkernel = "grow"\n*/\n' + KERNEL
    document = opened.open("grow.cuh", declared)
    assert not document.may_have_program


async def test_declared_launches_of_an_extension_are_asked_about_with_what_builds_it(opened: Opened) -> None:
    block = '/* kernelopt\n[workload.grow]\nargs = { x = "randn(1)" }\ngrid = [1]\nblock = [1]\nshapes = [{}]\n*/\n'
    for name, text, origins in (("of_torch.cu", "#include <torch/torch.h>\n", [ProgramOrigin.EXTENSION]), ("alone.cu", "", [])):
        document = opened.open(name, text + block + KERNEL)
        alone = opened.programs.alone(document)
        for request in (await opened.programs.request(document, alone), await opened.programs.settled_request(document, alone)):
            assert request.programs is not None and [found.origin for found in request.programs.found] == origins
        assert await opened.lens(document) is None, "nothing of the extension is run"


async def test_where_none_is_found_it_is_said_what_was_looked_for(opened: Opened) -> None:
    header = opened.open("grow.cuh", KERNEL)
    await opened.programs.find(header)
    about = program_about(header.view.programs)
    assert about.startswith("No program runs these kernels:") and "compile_commands.json" in about
