// Which shapes of a kernel's launches are kept once a recording has grown large: ever fewer of the new ones, so that a kernel whose grid
// changes with every step is known at its first shape and at one beyond half of them, without filling the disk.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace capture {

class Spread {
 public:
  // Whether the kernel's next new shape is kept: its 1st, 2nd, 4th, 8th, each twice as far on as the one before. All of them where
  // `has_room`.
  bool keeps_next(const std::string& kernel, bool has_room) {
    Seen& seen = seen_[kernel];
    ++seen.count;
    if (!has_room && seen.count < seen.next) return false;
    seen.next = 2 * seen.count;
    return true;
  }

  // Whether the kernel's shapes, rather than several launches of one shape, show what it is launched with.
  bool has_many(const std::string& kernel) const {
    auto seen = seen_.find(kernel);
    return seen != seen_.end() && seen->second.count > 2;
  }

 private:
  struct Seen {
    uint64_t count = 0, next = 1;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace capture
