// What ran, by the GPU's own records: each step while they are few enough to keep their order, and how often and how long in sum of all.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "record_log.h"

namespace capture {

// One kernel, copy or fill.
struct Step {
  std::string kind;  // "launch", "copy_to_device", "copy_to_host", "copy_on_device" or "fill"
  uint32_t call;     // CUPTI's number of the call that asked for it
  uint32_t stream;
  uint64_t bytes, start_ns, end_ns;
  std::string kernel;  // mangled; of a launch
  std::array<uint64_t, 7> shape;
};

class Ran {
 public:
  void add(Step step);
  // Of a run whose launches are recorded: in which order what ran was asked for, and how long kernels took.
  void write_order(emu::RecordLog& log);
  // Of a run that is only timed: when each step ran; of more than are kept in order, how often and how long in sum.
  void write_times(emu::RecordLog& log);

 private:
  using What = std::tuple<std::string, std::string, std::array<uint64_t, 7>>;  // kind, kernel, shape
  struct Sum {
    uint64_t count = 0, bytes = 0, time_ns = 0;
  };
  bool are_too_many() const;
  void sort();
  void write_operations(emu::RecordLog& log) const;

  std::vector<Step> steps_;  // the first ones, and one more than are kept where there are more
  std::map<What, Sum> sums_;
};

}  // namespace capture
