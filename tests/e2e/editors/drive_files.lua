-- Drives a Neovim through a header's profile and a proposal that changes the header and the file that launches its kernel: accepted in
-- part, undone, accepted whole.
-- Environment as for drive.lua, and KERNELOPT_TEST_OTHER, the second file. The configuration under test is loaded already.

local DEADLINE_MS = 1000 * tonumber(os.getenv("KERNELOPT_TEST_DEADLINE_S"))
local seen = { steps = {}, said = {} }

local function wait(what, condition)
  if not vim.wait(DEADLINE_MS, condition, 50) then
    error("waited in vain for " .. what)
  end
  table.insert(seen.steps, what)
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n")
end

local function lens_titles(buffer)
  return vim.tbl_map(function(lens)
    return (lens.lens or lens).command.title
  end, vim.lsp.codelens.get(buffer))
end

local function has(buffer, beginning)
  for _, title in ipairs(lens_titles(buffer)) do
    if title:find(beginning, 1, true) == 1 then
      return title
    end
  end
end

local handler = vim.lsp.handlers["window/logMessage"]
vim.lsp.handlers["window/logMessage"] = function(err, result, ...)
  table.insert(seen.said, result.message)
  return handler(err, result, ...)
end

-- Waits until the server has kept a decision for the so manieth time: what the editor shows may run ahead of that.
local function decided(words, count)
  wait(words, function()
    local found = 0
    for _, message in ipairs(seen.said) do
      if message:find("^P%w+ " .. words .. "$") then
        found = found + 1
      end
    end
    return found == count
  end)
end

-- Takes the menu's item with these words at the cursor.
local function choose(words)
  local titles, chosen = {}, false
  vim.ui.select = function(items, options, take)
    if items[1].title == "Once" then
      return take(items[1], 1)
    end
    for number, item in ipairs(items) do
      local title = (options.format_item or tostring)(item)
      table.insert(titles, title)
      if title:find(words, 1, true) and not chosen then
        chosen = true
        return take(item, number)
      end
    end
    error("no '" .. words .. "' among " .. table.concat(titles, " | "))
  end
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("\\kk", true, false, true), "xt", false)
  wait("the menu's item " .. words, function()
    return chosen
  end)
  seen.menu = titles
end

-- The first hover of the buffer that holds the word; nil where none does.
local function hover_with(buffer, word)
  local uri = vim.uri_from_bufnr(buffer)
  for line = 0, vim.api.nvim_buf_line_count(buffer) - 1 do
    local asked = { textDocument = { uri = uri }, position = { line = line, character = 0 } }
    for _, answer in pairs(vim.lsp.buf_request_sync(buffer, "textDocument/hover", asked, 5000) or {}) do
      local found = answer.result and answer.result.contents and answer.result.contents.value or ""
      if found:find(word, 1, true) then
        return found
      end
    end
  end
end

local function drive()
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("KERNELOPT_TEST_SOURCE")))
  local header = vim.api.nvim_get_current_buf()
  vim.cmd("badd " .. vim.fn.fnameescape(os.getenv("KERNELOPT_TEST_OTHER")))
  local other = vim.fn.bufnr(os.getenv("KERNELOPT_TEST_OTHER"))
  vim.fn.bufload(other)
  local before = { header = text(header), other = text(other) }

  wait("the program's name", function()
    return has(header, "via ")
  end)
  wait("the proposal", function()
    return has(header, "Review")
  end)
  seen.via, seen.proposal = has(header, "via "), has(header, "Review")

  local function at_kernel()
    vim.api.nvim_set_current_buf(header)
    vim.fn.search("__global__", "w")
  end

  at_kernel()
  choose("kernelopt: profile")
  wait("the header's profile", function()
    seen.profile = hover_with(header, "counted exactly")
    return seen.profile ~= nil
  end)

  choose("kernelopt: accept ")
  wait("the edit of both files", function()
    return text(header) ~= before.header and text(other) ~= before.other
  end)
  decided("accepted", 1)
  for _, buffer in ipairs({ other, header }) do
    vim.api.nvim_set_current_buf(buffer)
    vim.cmd("undo")
  end
  seen.is_undone = text(header) == before.header and text(other) == before.other
  decided("undone", 1)
end

local ok, problem = xpcall(drive, debug.traceback)
seen.problem = not ok and (problem .. "\n" .. vim.fn.execute("messages")) or nil
local report = assert(io.open(os.getenv("KERNELOPT_TEST_REPORT"), "w"))
report:write(vim.fn.json_encode(seen))
report:close()
vim.cmd("qall!")
