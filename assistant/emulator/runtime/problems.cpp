#include "problems.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "memory.h"
#include "shared_arrays.h"
#include "worker.h"

namespace emu {

bool ProblemLog::note(const char* kind, uint32_t pc, uint32_t other_pc, uint64_t cause, Place place) {
  auto found = index_.find({kind, pc, other_pc, cause});
  if (found == index_.end() || place < list_[found->second].place) return true;
  ++list_[found->second].count;
  return false;
}

void ProblemLog::add(Problem problem) {
  auto [known, is_new] = index_.emplace(std::tuple{problem.kind, problem.pc, problem.other_pc, problem.cause}, list_.size());
  if (is_new) return list_.push_back(std::move(problem));
  if (!problem.is_end) problem.count += list_[known->second].count;
  list_[known->second] = std::move(problem);
}

std::vector<Problem> ProblemLog::take() {
  index_.clear();
  std::vector<Problem> taken;
  taken.swap(list_);
  return taken;
}

namespace {

// ` (in tile)`, ` (at offset 16 of an allocation of 400 bytes)`: where two accesses meet, or what was read; empty where that is not known.
std::string place_in_words(const Problem& problem) {
  if (problem.address == 0 || !strcmp(problem.kind, "out_of_bounds")) return "";
  std::string shared = shared_name(problem.address);
  if (!shared.empty()) return " (in " + shared + ")";
  if (problem.other_pc == 0) return "";
  if (const EmuSymbol* symbol = find_symbol(problem.address)) return std::string(" (in ") + symbol->name + ")";
  const Allocation* in = find_live(problem.address);
  if (!in) return "";
  return " (at offset " + std::to_string(problem.address - in->begin) + " of an allocation of " + std::to_string(in->size()) + " bytes)";
}

// The allocation that is concerned: the one that the address lies in, or the one whose beginning or end was passed, which is the cause.
const Allocation* concerned(const Problem& problem) {
  const Allocation* in = find_live(problem.address);
  if (in && (in->begin <= problem.address && problem.address < in->end)) return in;
  for (const Allocation* allocation : live_allocations())
    if (problem.cause && (allocation->begin == problem.cause || allocation->end == problem.cause)) return allocation;
  return nullptr;
}

// The first argument that is a pointer to the allocation's beginning; -1 if none is. One into its middle would have another offset.
int argument_to(const EmuLaunch& launch, const Allocation& allocation) {
  for (unsigned i = 0; i < launch.argument_count; ++i) {
    uint64_t value;
    if (launch.argument_bytes[i] != sizeof value) continue;
    memcpy(&value, launch.arguments[i], sizeof value);
    if (value == allocation.begin) return static_cast<int>(i);
  }
  return -1;
}

void add_report(Worker& w, Problem problem, unsigned thread, const char* format, va_list arguments) {
  ++w.in_core;
  problem.place = {w.block ? w.block->linear : 0, thread};
  if (w.problems.note(problem.kind, problem.pc, problem.other_pc, problem.cause, problem.place)) {
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    problem.message = text + place_in_words(problem);
    if (const Allocation* memory = problem.address ? concerned(problem) : nullptr) {
      problem.argument = argument_to(*w.launch->request, *memory);
      problem.offset = static_cast<int64_t>(problem.address - memory->begin);
    }
    EmuDim3 block = w.launch->request->block;
    const EmuThreadContext& at = __emu_tc;
    const unsigned place[3] = {at.block_x, at.block_y, at.block_z};
    const unsigned lane[3] = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
    memcpy(problem.block, place, sizeof place);
    memcpy(problem.thread, lane, sizeof lane);
    w.problems.add(std::move(problem));
  }
  --w.in_core;
}
}  // namespace

void report(Worker& w, const char* kind, uint32_t pc, uint32_t other_pc, uint64_t address, unsigned thread, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_report(w, Problem{kind, pc, other_pc, address, {}, {}, "", 1}, thread, format, arguments);
  va_end(arguments);
}

void report_cause(Worker& w, const char* kind, uint64_t cause, uint32_t pc, uint64_t address, unsigned thread, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_report(w, Problem{kind, pc, 0, address, {}, {}, "", 1, cause}, thread, format, arguments);
  va_end(arguments);
}

void report_end(Worker& w, const char* kind, uint32_t pc, uint64_t address, unsigned thread, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_report(w, Problem{kind, pc, 0, address, {}, {}, "", 1, 0, -1, 0, {}, true}, thread, format, arguments);
  va_end(arguments);
}

std::vector<Problem> merge(std::vector<std::vector<Problem>> logs, uint64_t last_block) {
  std::vector<Problem> all;
  for (auto& log : logs)
    for (Problem& problem : log) {
      if (problem.place.block > last_block) continue;
      bool is_known = false;
      for (Problem& other : all) {
        if (strcmp(other.kind, problem.kind) || other.pc != problem.pc || other.other_pc != problem.other_pc || other.cause != problem.cause) continue;
        uint64_t count = problem.is_end ? 1 : other.count + problem.count;
        if (problem.place < other.place) other = problem;
        other.count = count;
        is_known = true;
      }
      if (!is_known) all.push_back(std::move(problem));
    }
  auto is_earlier = [](const Problem& a, const Problem& b) { return a.place.block < b.place.block; };
  std::stable_sort(all.begin(), all.end(), is_earlier);
  return all;
}

}  // namespace emu
