// Which shapes of a kernel's launches are kept once a recording has grown large: ever fewer of the new ones, so that a kernel whose grid
// changes with every step is known at its first shape and at one beyond three quarters of them, without filling the disk.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace capture {

class Spread {
 public:
  // Whether the kernel's next new shape is kept: its 1st, 2nd, 3rd, 5th, 7th, 10th, 14th, each a third further on than the one before.
  // All of them where `has_room`.
  bool keeps_next(const std::string& kernel, bool has_room) {
    Seen& seen = seen_[kernel];
    ++seen.count;
    if (!has_room && seen.count < seen.next) return false;
    seen.next = seen.count + seen.count / 3 + 1;
    return true;
  }

 private:
  struct Seen {
    uint64_t count = 0, next = 1;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace capture
