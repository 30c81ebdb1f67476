-- Of C++ only headers with device code are looked at: without any there is no need for a server.
local function holds_cuda(buffer)
  if not vim.tbl_contains({ "c", "cpp" }, vim.bo[buffer].filetype) then
    return true
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  return text:find("__global__", 1, true) ~= nil or text:find("__device__", 1, true) ~= nil
end

local function attached(client, buffer)
  vim.api.nvim_create_autocmd("DiagnosticChanged", { -- whenever the server has news
    buffer = buffer,
    callback = vim.lsp.codelens.refresh,
  })
  local function map(keys, run, what)
    vim.keymap.set("n", keys, run, { buffer = buffer, desc = "kernelopt: " .. what })
  end
  map("<leader>kk", vim.lsp.buf.code_action, "everything that can be done here")
  map("<leader>kl", vim.lsp.codelens.run, "what the line above the kernel offers")
end

local client_id -- one server for all files
vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("kernelopt", {}),
  pattern = { "cuda", "cpp", "c", "python" },
  callback = function(event)
    if not holds_cuda(event.buf) then
      return
    end
    client_id = client_id
      or vim.lsp.start_client({
        name = "kernelopt",
        cmd = { "kernelopt", "lsp" },
        root_dir = vim.fn.getcwd(),
        settings = { kernelopt = { background = { profile = "on_command" } } },
        on_attach = attached,
        on_exit = function()
          client_id = nil
        end,
      })
    vim.lsp.buf_attach_client(event.buf, client_id)
  end,
})
