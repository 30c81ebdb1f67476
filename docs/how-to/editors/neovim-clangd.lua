-- What clangd says of a line, at least as severely, the compiler need not say again.
vim.api.nvim_create_autocmd("DiagnosticChanged", {
  group = vim.api.nvim_create_augroup("kernelopt-clangd", {}),
  callback = function(event)
    local worst = {} -- by line: clangd's most severe; 1 is an error
    for _, said in ipairs(vim.diagnostic.get(event.buf)) do
      if said.source == "clang" or said.source == "clang-tidy" then
        worst[said.lnum] = math.min(said.severity, worst[said.lnum] or said.severity)
      end
    end
    for namespace in pairs(vim.diagnostic.get_namespaces()) do
      local all = vim.diagnostic.get(event.buf, { namespace = namespace })
      local kept = vim.tbl_filter(function(said)
        return said.source ~= "nvcc" or (worst[said.lnum] or math.huge) > said.severity
      end, all)
      if #kept < #all then
        vim.diagnostic.set(namespace, event.buf, kept)
      end
    end
  end,
})
