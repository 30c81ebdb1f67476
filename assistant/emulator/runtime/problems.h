// Defects a worker has seen in one launch, one entry per kind and place.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace emu {

struct Problem {
  const char* kind;              // a word of assistant.model.profile.Problem.kind
  uint32_t pc, other_pc;         // 0: none
  uint64_t address;
  unsigned block[3], thread[3];
  std::string message;
  uint64_t count;
};

class ProblemLog {
 public:
  // True if the kind has not been seen at this place; then the caller adds a message.
  bool note(const char* kind, uint32_t pc, uint32_t other_pc);
  void add(Problem problem);
  std::vector<Problem> take();   // empties the log

 private:
  std::map<std::tuple<const char*, uint32_t, uint32_t>, size_t> index_;
  std::vector<Problem> list_;
};

struct Worker;
// Reports at the current block and the given thread of it. `format` is printf's; it is only evaluated once per place.
void report(Worker& w, const char* kind, uint32_t pc, uint32_t other_pc, uint64_t address, unsigned thread, const char* format, ...)
    __attribute__((format(printf, 7, 8)));
std::vector<Problem> merge(std::vector<std::vector<Problem>> logs);

}  // namespace emu
