// Snapshots of what large launches left: they stay on the device, in memory of a process of ours that outlives this one. The two talk
// through two named pipes in the folder KERNELOPT_CAPTURE_SNAPSHOTS: a line asks for memory, an answer of fixed length gives its
// CUipcMemHandle in hexadecimal, or dashes where there is none (`device/snapshots.py`).
#pragma once
#include <string>

#include "memory.h"

namespace capture {

class Snapshots {
 public:
  // Where the pipes are not there, nothing is taken.
  explicit Snapshots(const std::string& folder);
  // Copies a region, once all work on it has ended. `words`: whose it is, as the other side reads it. False: there is no room.
  bool take(const Region& region, const std::string& words);

 private:
  int asked_ = -1, given_ = -1;
};

}  // namespace capture
