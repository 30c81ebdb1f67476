-- Drives a Neovim of any version through the life of one proposal, as a person would, and writes what was seen as JSON.
-- Environment: KERNELOPT_TEST_SOURCE, KERNELOPT_TEST_REPORT, KERNELOPT_TEST_DEADLINE_S. The configuration under test is loaded already.

local DEADLINE_MS = 1000 * tonumber(os.getenv("KERNELOPT_TEST_DEADLINE_S"))
local seen = { said = {}, steps = {}, questions = {} }

for _, method in ipairs({ "window/showMessage", "window/logMessage" }) do
  local handler = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(err, result, ...)
    table.insert(seen.said, result.message)
    return handler(err, result, ...)
  end
end

-- The consent to run the program, asked in the editor's own way.
vim.fn.inputlist = function(lines)
  table.insert(seen.questions, lines[1])
  return 1
end

local function finish(problem)
  seen.problem = problem
  local report = assert(io.open(os.getenv("KERNELOPT_TEST_REPORT"), "w"))
  report:write(vim.fn.json_encode(seen))
  report:close()
  vim.cmd("qall!")
end

local function wait(what, condition)
  if not vim.wait(DEADLINE_MS, condition, 50) then
    error("waited in vain for " .. what)
  end
  table.insert(seen.steps, what)
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n")
end

local function messages(buffer)
  return vim.tbl_map(function(diagnostic)
    return diagnostic.message
  end, vim.diagnostic.get(buffer))
end

local function is_proposed(buffer)
  for _, message in ipairs(messages(buffer)) do
    if message:find("x predicted", 1, true) then
      return true
    end
  end
  return false
end

local function key(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "xt", false)
end

-- Answers the next menus with the first item that begins so.
local function choose_from_menus(beginning)
  vim.ui.select = function(items, options, chosen)
    if items[1].title == "Once" then
      table.insert(seen.questions, options.prompt)
      return chosen(items[1], 1)
    end
    local titles = {}
    for _, item in ipairs(items) do
      local title = (options.format_item or tostring)(item)
      table.insert(titles, title)
      if title:find(beginning, 1, true) == 1 then
        return chosen(item, #titles)
      end
    end
    error("no '" .. beginning .. "' among " .. table.concat(titles, " | "))
  end
end

local function kernel_line(buffer)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
    if line:find("__global__", 1, true) then
      return number
    end
  end
end

local function lens_titles(buffer)
  return vim.tbl_map(function(lens)
    return (lens.lens or lens).command.title
  end, vim.lsp.codelens.get(vim.fn.has("nvim-0.12") == 1 and { bufnr = buffer } or buffer))
end

local function drive()
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("KERNELOPT_TEST_SOURCE")))
  local buffer = vim.api.nvim_get_current_buf()
  seen.filetype = vim.bo[buffer].filetype

  wait("a compiler diagnostic", function()
    return #messages(buffer) > 0
  end)
  seen.diagnostics = messages(buffer)
  vim.cmd([[%s/blockDim.y + threadIdx.y$/&;/]])
  vim.cmd("write")
  local corrected = text(buffer)
  wait("the diagnostic to go", function()
    return #messages(buffer) == 0
  end)
  wait("code lenses", function()
    return #lens_titles(buffer) > 0
  end)
  seen.lenses = lens_titles(buffer)
  if vim.lsp.inlay_hint then
    wait("inlay hints", function()
      return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0
    end)
  end

  vim.api.nvim_win_set_cursor(0, { kernel_line(buffer), 0 })
  choose_from_menus("kernelopt: optimize")
  key("\\kk")
  wait("a proposal", function()
    return is_proposed(buffer)
  end)

  choose_from_menus("kernelopt: preview")
  local is_bare = vim.fn.maparg("\\kp", "n") == ""
  key(is_bare and "\\kk" or "\\kp")
  if is_bare then
    wait("a message that names the preview", function()
      return seen.said[#seen.said]:find("%.diff$") ~= nil
    end)
    seen.preview = table.concat(vim.fn.readfile(seen.said[#seen.said]:match(": (.*)$")), "\n")
  else
    wait("the preview", function()
      return vim.api.nvim_buf_get_name(0):find("%.diff$") ~= nil
    end)
    seen.preview = text(0)
    vim.cmd("buffer " .. buffer)
  end

  local function accept()
    vim.api.nvim_win_set_cursor(0, { kernel_line(buffer), 0 })
    choose_from_menus("kernelopt: accept")
    key(is_bare and "\\kk" or "\\ka")
  end

  local apply_edit = vim.lsp.handlers["workspace/applyEdit"]
  local is_late = false
  vim.lsp.handlers["workspace/applyEdit"] = function(...) -- a person types while the edit is on its way
    vim.api.nvim_buf_set_lines(buffer, -1, -1, true, { "// typed meanwhile" })
    is_late = true
    return apply_edit(...)
  end
  accept()
  wait("an edit that comes too late", function()
    return is_late
  end)
  seen.is_late_edit_refused = text(buffer) == corrected .. "\n// typed meanwhile"
  vim.lsp.handlers["workspace/applyEdit"] = apply_edit
  vim.cmd("undo")
  wait("the proposal to be still offered", function()
    return is_proposed(buffer)
  end)

  accept()
  wait("the edit", function()
    return text(buffer) ~= corrected
  end)
  seen.accepted = text(buffer)
  wait("the proposal to be decided", function()
    return not is_proposed(buffer)
  end)
  vim.cmd("undo")
  seen.is_undone = text(buffer) == corrected
  wait("the proposal to be offered again", function()
    return is_proposed(buffer)
  end)
end

local ok, problem = xpcall(drive, debug.traceback)
finish(not ok and (problem .. "\n" .. vim.fn.execute("messages")) or nil)
