// Defects a worker has seen in one launch, one entry per kind, place and cause.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace emu {

// A thread of a launch. Of a defect that many have, the lowest block's lowest thread is reported, whichever worker saw which first.
struct Place {
  uint64_t block = 0;            // linear index in the grid
  unsigned thread = 0;           // index in the block
  bool operator<(const Place& other) const { return block != other.block ? block < other.block : thread < other.thread; }
};

struct Problem {
  const char* kind;              // a word of assistant.model.profile.Problem.kind
  uint32_t pc, other_pc;         // 0: none
  uint64_t address;
  unsigned block[3], thread[3];
  std::string message;
  uint64_t count;
  uint64_t cause = 0;            // tells defects of one kind at one place apart: the end of an allocation that was passed, for one
  int argument = -1;             // which argument of the launch points to the beginning of the memory that is concerned; -1: not known
  int64_t offset = 0;            // of the address from that beginning
  Place place{};
  bool is_end = false;           // it ends the launch: that of the lowest block is reported, and how many others came to theirs is chance
};

class ProblemLog {
 public:
  // True if the kind has not been seen at this line from this cause, or at higher places alone; then the caller adds a message.
  bool note(const char* kind, uint32_t pc, uint32_t other_pc, uint64_t cause, Place place);
  void add(Problem problem);     // in place of one at a higher place
  std::vector<Problem> take();   // empties the log

 private:
  std::map<std::tuple<const char*, uint32_t, uint32_t, uint64_t>, size_t> index_;
  std::vector<Problem> list_;
};

struct Worker;
// Reports at the current block and the given thread of it. `format` is printf's; it is only evaluated once per place and cause.
void report(Worker& w, const char* kind, uint32_t pc, uint32_t other_pc, uint64_t address, unsigned thread, const char* format, ...)
    __attribute__((format(printf, 7, 8)));
// The same, of one cause among several that a place may have.
void report_cause(Worker& w, const char* kind, uint64_t cause, uint32_t pc, uint64_t address, unsigned thread, const char* format, ...)
    __attribute__((format(printf, 7, 8)));
// In the order of the blocks, without those of blocks above `last_block`, which ran or did not by chance.
// The same, of what ends the launch.
void report_end(Worker& w, const char* kind, uint32_t pc, uint64_t address, unsigned thread, const char* format, ...)
    __attribute__((format(printf, 6, 7)));
std::vector<Problem> merge(std::vector<std::vector<Problem>> logs, uint64_t last_block);

}  // namespace emu
