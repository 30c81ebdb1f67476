-- Of C++ only headers with device code are looked at: without any there is no need for a server.
local function holds_cuda(buffer)
  if not vim.tbl_contains({ "c", "cpp" }, vim.bo[buffer].filetype) then
    return true
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  return text:find("__global__", 1, true) ~= nil or text:find("__device__", 1, true) ~= nil
end

local group = vim.api.nvim_create_augroup("kernelopt", {})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = { "cuda", "cpp", "c", "python" },
  callback = function(event)
    if not holds_cuda(event.buf) then
      return
    end
    vim.lsp.start({
      name = "kernelopt",
      cmd = { "kernelopt", "lsp" },
      root_dir = vim.fs.root(event.buf, { "kernelopt.toml", "pyproject.toml", ".git" }) or vim.fn.getcwd(),
      settings = { kernelopt = { background = { profile = "on_command" } } },
    })
  end,
})

-- Runs the action of a proposal under the cursor without asking which.
local function proposal(verb)
  return function()
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action)
        local command = action.command -- other servers offer actions without one
        return type(command) == "table" and command.command == "kernelopt.proposal." .. verb and not command.arguments[1].hunk_ids
      end,
    })
  end
end

vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client.name ~= "kernelopt" then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    vim.api.nvim_create_autocmd("DiagnosticChanged", { -- whenever the server has news
      buffer = event.buf,
      callback = function()
        vim.lsp.codelens.refresh({ bufnr = event.buf })
      end,
    })
    local function map(keys, run, what)
      vim.keymap.set("n", keys, run, { buffer = event.buf, desc = "kernelopt: " .. what })
    end
    map("<leader>kk", vim.lsp.buf.code_action, "everything that can be done here")
    map("<leader>kl", vim.lsp.codelens.run, "what the line above the kernel offers")
    map("<leader>kp", proposal("preview"), "preview the proposal")
    map("<leader>ka", proposal("accept"), "accept the proposal")
    map("<leader>kr", proposal("reject"), "reject the proposal")
    map("<leader>ke", proposal("explain"), "explain the proposal")
  end,
})

-- What is at work, in the last line, as far as it has room.
vim.api.nvim_create_autocmd("LspProgress", {
  group = group,
  callback = function()
    vim.api.nvim_echo({ { vim.fn.strcharpart(vim.lsp.status(), 0, vim.v.echospace) } }, false, {})
  end,
})
