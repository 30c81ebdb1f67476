"""What an editor shows of a source: while typing, after a pause, after a save."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from lsprotocol import types

from assistant.editor.hover_words import HOVER_LINES
from assistant.editor.words import HINT_LIMIT
from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.lsp.capabilities import neovim
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor, start
from tests.e2e.lsp.programs import RACE

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def warm(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Cli, Editor]]:
    """One server for this module."""
    with working_cli(tmp_path_factory.mktemp("showing"), "showing") as cli, no_orphans():
        editor = await start(cli)
        yield cli, editor
        assert await editor.stop() == 0
    assert editor.complaints == ""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def slow(warm: tuple[Cli, Editor]) -> tuple[Editor, Document]:
    """``transpose.cu``, compiled, checked and profiled behind the session."""
    cli, editor = warm
    document = editor.open(cli.small("transpose.cu"))
    await editor.until(lambda: "KO101" in editor.codes(document))
    await editor.quiet()
    return editor, document


async def test_the_server_says_what_it_can_do(warm: tuple[Cli, Editor]) -> None:
    _, editor = warm
    can = editor.result.capabilities
    assert editor.result.server_info is not None and editor.result.server_info.name == "kernelopt"
    assert can.text_document_sync is not None and can.code_lens_provider and can.inlay_hint_provider and can.hover_provider
    assert can.document_symbol_provider and can.code_action_provider
    assert can.execute_command_provider is not None
    assert {"kernelopt.check", "kernelopt.profile", "kernelopt.optimize", "kernelopt.job.cancel"} <= set(
        can.execute_command_provider.commands
    )
    assert can.workspace is not None and can.workspace.text_document_content is not None
    assert can.diagnostic_provider is None, "diagnostics are pushed, never also pulled"


async def test_a_lens_over_a_kernel_says_what_is_known_and_what_can_be_done(slow: tuple[Editor, Document]) -> None:
    editor, document = slow
    lenses = await editor.lenses(document)
    titles = [lens.command.title for lens in lenses if lens.command]
    assert titles[0].startswith("≈ ") and titles[0].endswith("-bound") and titles[1:] == ["Optimize"], titles
    assert lenses[0].command is not None and "predicted for h200 from counts of CPU emulator" in str(lenses[0].command.tooltip)
    assert {lens.range.start.line for lens in lenses} == {document.line_of("__global__")}
    begins = [lens.range.start.character for lens in lenses]
    assert begins == sorted(set(begins)), "Neovim shows those that begin at one place in any order"


async def test_hints_stand_at_the_kernel_and_on_hot_lines(slow: tuple[Editor, Document]) -> None:
    editor, document = slow
    hints = await editor.hints(document)
    assert "registers" in hints[document.line_of("__global__")] and "occupancy" in hints[document.line_of("__global__")]
    assert any("sectors/request, 4 would do" in text for text in hints.values())
    assert all(len(text) <= HINT_LIMIT for text in hints.values()), hints


async def test_a_hover_is_five_lines_and_the_tables_are_a_command_away(slow: tuple[Editor, Document]) -> None:
    editor, document = slow
    kernel = await editor.hover(document, document.line_of("__global__"))
    assert len(kernel.splitlines()) <= HOVER_LINES and "occupancy" in kernel and "predicted for h200" in kernel
    line = editor.of_code(document, "KO101")[0].range.start.line
    hot = await editor.hover(document, line, 8)
    assert len(hot.splitlines()) <= HOVER_LINES and hot.startswith("Let threadIdx.x run along") and "counted exactly" in hot
    assert "[More](command:kernelopt.kernel.explain" in hot, "the diagnostic says the rest in this client's hover"
    beside = await editor.hover(document, line, 40)
    assert beside.startswith("**Each store request touches 32 sectors where 4 would do**"), "where nothing is underlined the hover says it"
    assert len(beside.splitlines()) <= HOVER_LINES and "[More]" in beside
    page = (await editor.run("kernelopt.kernel.explain", uri=document.uri))["markdown"]
    assert "| evidence | line | value | method |" in page and "h200" in page
    table = (await editor.run("kernelopt.kernel.explain", uri=document.uri, line=line + 1))["markdown"]
    assert "| global store | " in table and "Counted by" in table


async def test_an_editor_without_markdown_gets_its_hovers_without_marks(cli: Cli, open_editor: Start) -> None:
    capabilities = neovim()
    assert capabilities.text_document is not None
    capabilities.text_document.hover = types.HoverClientCapabilities(
        content_format=[types.MarkupKind.PlainText]
    )  # Emacs without markdown-mode
    editor = await open_editor(capabilities=capabilities)
    document = editor.open(cli.write("race.cu", RACE))
    hover = await editor.hover(document, document.line_of("__global__"))
    assert hover.startswith("not profiled yet") and "*" not in hover


async def test_a_finding_has_code_page_and_cost(slow: tuple[Editor, Document]) -> None:
    editor, document = slow
    finding = editor.of_code(document, "KO101")[0]
    assert finding.source == "kernelopt" and finding.severity is types.DiagnosticSeverity.Warning
    assert finding.code_description is not None and finding.code_description.href.endswith("/findings/KO101.md")
    assert "(costs ≈ " in finding.message and finding.message.endswith(" % of the kernel's time)")
    assert editor.part(document, finding.range) == "out[x * height + y]", "the characters that cause it, not the line"


async def test_a_race_names_the_other_access(warm: tuple[Cli, Editor]) -> None:
    cli, editor = warm
    document = editor.open(cli.write("race.cu", RACE))
    found = await editor.until(lambda: editor.of_code(document, "KO202"))
    assert found[0].severity in (types.DiagnosticSeverity.Error, types.DiagnosticSeverity.Warning)
    related = [place for item in found for place in item.related_information or []]
    lines = {document.line_of("tile[threadIdx.x] ="), document.line_of("out[threadIdx.x] =")}
    assert {item.range.start.line for item in found} | {place.location.range.start.line for place in related} == lines
    await editor.quiet()
    editor.close(document)
    assert await editor.until(lambda: not editor.diagnostics(document)) is True


async def test_typing_above_keeps_notes_on_their_lines_and_an_edited_line_loses_its_own(slow: tuple[Editor, Document]) -> None:
    editor, document = slow
    text = document.text
    finding = editor.of_code(document, "KO101")[0]
    line = document.text.splitlines()[finding.range.start.line]
    editor.type(document, "// one\n// two\n" + text)
    await editor.until(lambda: [n.range.start.line for n in editor.of_code(document, "KO101")] == [finding.range.start.line + 2])
    assert editor.part(document, editor.of_code(document, "KO101")[0].range) == "out[x * height + y]"
    editor.replace(document, line, line.replace("= ", "= 1.0f * "))
    await editor.until(lambda: finding.range.start.line + 2 not in {n.range.start.line for n in editor.of_code(document, "KO101")})
    assert (await editor.titles(document))[0].startswith("before the edit: ")
    editor.type(document, text)
    await editor.until(lambda: [n.range.start.line for n in editor.of_code(document, "KO101")] == [finding.range.start.line])


async def test_a_syntax_error_is_the_compilers_and_goes_when_it_is_fixed(warm: tuple[Cli, Editor]) -> None:
    cli, editor = warm
    document = editor.open(cli.write("fixed.cu", "__global__ void k(float *x)\n{\n    x[threadIdx.x] = missing_name;\n}\n"))
    (error,) = await editor.until(lambda: editor.errors(document))
    assert editor.part(document, error.range) == "missing_name"
    assert 'identifier "missing_name" is undefined' in error.message and error.source in ("nvcc", "nvrtc")
    editor.replace(document, "missing_name", "1.0f")
    await editor.until(lambda: not editor.errors(document))
    await editor.until(lambda: editor.hints(document))
    editor.close(document)
