"""Beside clangd Neovim shows once what both say of a line, by the documentation's own snippet."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.editors.packages import NEOVIM
from tests.e2e.editors.stage import SNIPPETS

_DRIVE = """
local buffer = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(buffer, 0, -1, true, { "a", "b", "c", "d" })
local function say(name, source, said)
  local diagnostics = {}
  for _, each in ipairs(said) do
    table.insert(diagnostics, { lnum = each[1], col = 0, severity = each[2], message = source, source = source })
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), buffer, diagnostics)
end
local seen = {}
local function look()
  table.insert(seen, vim.tbl_map(function(each) return { each.lnum, each.source } end, vim.diagnostic.get(buffer)))
end
say("kernelopt", "nvcc", { { 0, 1 }, { 1, 2 }, { 2, 1 } })
look()
say("clangd", "clang", { { 0, 1 }, { 1, 2 }, { 2, 2 } })
vim.wait(200)
look()
local report = io.open(os.getenv("REPORT"), "w")
report:write(vim.fn.json_encode(seen))
report:close()
vim.cmd("qall!")
"""


def test_the_compiler_does_not_repeat_what_clangd_says_of_a_line_at_least_as_severely(tmp_path: Path) -> None:
    if not NEOVIM.is_unpacked:
        pytest.skip(f"{NEOVIM.name} is not there: make editors")
    (tmp_path / "drive.lua").write_text(_DRIVE, "utf-8")
    report = tmp_path / "report.json"
    command = (*NEOVIM.command(), "--headless", "-u", str(SNIPPETS / "neovim-clangd.lua"), "-c", f"luafile {tmp_path / 'drive.lua'}")
    own = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    variables = os.environ | own | {"VIMRUNTIME": str(NEOVIM.folder / "usr/share/nvim/runtime"), "REPORT": str(report)}
    subprocess.run(command, env=variables, capture_output=True, timeout=60, check=True)
    alone, beside = json.loads(report.read_text("utf-8"))
    assert alone == [[0, "nvcc"], [1, "nvcc"], [2, "nvcc"]]
    assert sorted(beside) == [[0, "clang"], [1, "clang"], [2, "clang"], [2, "nvcc"]], "an error of which clangd only warns stays"
