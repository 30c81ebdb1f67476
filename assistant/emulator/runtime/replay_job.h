// One case of a replay: buffers with contents, and launches of registered kernels on them.
//
// A file of jobs holds them one after another. One item per line, fields separated by one space, text percent-encoded ("-": none):
//   case                                                              the items of one job follow
//   fill BYTE / shared_fill BYTE / repeats N / seed N
//   unkept                                                            what the launches leave is not written
//   buffer ID SIZE SPACE SYMBOL CONTENTS_PATH IS_POISONED
//   pointer BUFFER OFFSET TARGET TARGET_OFFSET
//   launch NAME FUNCTION GX GY GZ BX BY BZ SHARED     FUNCTION: address, 0 if only the name is known
//   cooperative                                                       the launch above is one
//   blocks N …                                                        of the launch above only these run, by their linear numbers
//   argument SIZE HEX                                                 of the launch above
//   argument_pointer ARGUMENT OFFSET BUFFER BUFFER_OFFSET
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"

namespace emu {

struct ReplayBuffer {
  uint64_t size = 0;
  int space = EMU_DEVICE;
  std::string symbol;               // empty: an allocation
  std::string contents_path;        // empty: only filled
  bool is_poisoned = false;
};

// In `container` (a buffer id, or an argument's index) at `offset` stands the address of a buffer.
struct ReplayPointer { uint64_t container, offset, target, target_offset; };

struct ReplayLaunch {
  std::string name;
  uint64_t function = 0;
  EmuDim3 grid{1, 1, 1}, block{1, 1, 1};
  size_t shared_bytes = 0;
  bool is_cooperative = false;
  std::vector<uint64_t> chosen_blocks;
  std::vector<std::vector<unsigned char>> arguments;
  std::vector<ReplayPointer> pointers;
};

struct ReplayJob {
  std::optional<uint8_t> fill, shared_fill;
  uint64_t repeats = 1, seed = 0;
  bool is_kept = true;
  std::map<uint64_t, ReplayBuffer> buffers;
  std::vector<ReplayPointer> pointers;
  std::vector<ReplayLaunch> launches;
};

// The text of each job in the file; none if it cannot be read.
std::vector<std::string> read_jobs(const std::string& path);
// Reads one job; `failure` says what is wrong with its text if nullopt is returned.
std::optional<ReplayJob> read_job(const std::string& text, std::string& failure);

}  // namespace emu
