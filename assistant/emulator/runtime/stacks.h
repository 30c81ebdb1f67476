// Fiber stacks of one worker, and the switch between fibers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emu {

// Saves the callee-saved registers and the stack pointer into *save and continues at the context `load`.
extern "C" void emu_switch(void** save, void* load);

class StackPool {
 public:
  char* take();                             // top of a free stack
  void give(char* top) { free_.push_back(top); }
  void reset();                             // forget every user: after a launch was aborted
  uint64_t begin() const { return begin_; }
  uint64_t size() const { return size_; }
  void reserve();

 private:
  std::vector<char*> free_;
  std::vector<char*> all_;
  uint64_t begin_ = 0, size_ = 0;
  size_t used_ = 0;
  void reserve_region();
};

// A context that starts at `entry` on the given stack.
void* fresh_context(char* top, void (*entry)());

}  // namespace emu
