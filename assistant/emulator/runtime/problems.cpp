#include "problems.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "worker.h"

namespace emu {

bool ProblemLog::note(const char* kind, uint32_t pc, uint32_t other_pc) {
  auto found = index_.find({kind, pc, other_pc});
  if (found == index_.end()) return true;
  ++list_[found->second].count;
  return false;
}

void ProblemLog::add(Problem problem) {
  index_[{problem.kind, problem.pc, problem.other_pc}] = list_.size();
  list_.push_back(std::move(problem));
}

std::vector<Problem> ProblemLog::take() {
  index_.clear();
  std::vector<Problem> taken;
  taken.swap(list_);
  return taken;
}

void report(Worker& w, const char* kind, uint32_t pc, uint32_t other_pc, uint64_t address, unsigned thread, const char* format, ...) {
  ++w.in_core;
  if (w.problems.note(kind, pc, other_pc)) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    EmuDim3 block = w.launch->request->block;
    const EmuThreadContext& at = __emu_tc;
    w.problems.add(Problem{kind, pc, other_pc, address, {at.block_x, at.block_y, at.block_z},
                           {thread % block.x, thread / block.x % block.y, thread / block.x / block.y}, text, 1});
  }
  --w.in_core;
}

std::vector<Problem> merge(std::vector<std::vector<Problem>> logs) {
  std::vector<Problem> all;
  for (auto& log : logs)
    for (Problem& problem : log) {
      bool is_known = false;
      for (Problem& other : all) {
        if (strcmp(other.kind, problem.kind) || other.pc != problem.pc || other.other_pc != problem.other_pc) continue;
        other.count += problem.count;
        is_known = true;
      }
      if (!is_known) all.push_back(std::move(problem));
    }
  return all;
}

}  // namespace emu
