-- Drives a Neovim through two files in different folders below a working directory that no file marks as a project: which servers start.
-- Environment as for drive.lua, and KERNELOPT_TEST_OTHER, the second file. The configuration under test is loaded already.

local DEADLINE_MS = 1000 * tonumber(os.getenv("KERNELOPT_TEST_DEADLINE_S"))
local seen = { servers = {} }

for _, name in ipairs({ "KERNELOPT_TEST_SOURCE", "KERNELOPT_TEST_OTHER" }) do
  vim.cmd.edit(os.getenv(name))
  vim.wait(DEADLINE_MS, function()
    return #vim.lsp.get_clients({ bufnr = 0 }) > 0
  end, 50)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do
    table.insert(seen.servers, client.id)
  end
end

vim.fn.writefile({ vim.json.encode(seen) }, os.getenv("KERNELOPT_TEST_REPORT"))
vim.cmd("qall!")
