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
  pattern = { "cuda", "python" },
  callback = function(event)
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
