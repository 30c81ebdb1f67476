// The program's device memory: which buffer an address lies in, what it holds, which device variables there are.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver.h"

namespace capture {

using Bytes = std::vector<unsigned char>;

enum class Space { device, constant, managed };  // managed: the host sees it too (managed and page-locked memory)

// An allocation or a device variable.
struct Region {
  uint64_t key = 0;    // of the driver for allocations: never used twice
  uint64_t begin = 0, bytes = 0;
  Space space = Space::device;
  const char* symbol = nullptr;  // mangled; nullptr for an allocation
  bool is_host = false;          // its address is one of the host's: page-locked memory
  bool contains(uint64_t address) const { return address >= begin && address - begin < bytes; }
};

// `__device__` and `__constant__` variables of the loaded modules.
class Symbols {
 public:
  // Notes which variables stand beside which kernels in a module's code (an ELF image).
  void add_module(const char* image, size_t bytes);
  // Of the module that holds the kernel, which is loaded for it if need be; found once per function.
  const std::vector<Region>& of(CUfunction function, const std::string& kernel);
  const Region* find(uint64_t address) const;
  // Whether the kernel's module is linked with the device runtime, by which kernels start kernels.
  bool may_launch(const std::string& kernel) const { return launching_.count(kernel) != 0; }

 private:
  struct Variable { std::string name; bool is_constant; };
  using Variables = std::shared_ptr<std::vector<Variable>>;
  std::map<std::string, Variables> by_kernel_;
  std::map<CUfunction, std::vector<Region>> by_function_;
  std::map<uint64_t, Region> by_address_;
  std::set<std::string> launching_;
};

class Memory {
 public:
  explicit Memory(const Symbols& symbols) : symbols_(symbols) {}
  // The buffer that an address points into; false if it points into none. Asks the driver.
  bool find(uint64_t address, Region& region);
  // Likewise for a word of which nothing says that it is a pointer: cheap for nearly all that are none.
  bool find_word(uint64_t word, Region& region);
  void add_host_visible(uint64_t address);
  void remove(uint64_t address);
  const std::map<uint64_t, Region>& host_visible() const { return host_visible_; }
  // Contents once earlier work has ended; false where the driver refuses.
  static bool read(const Region& region, Bytes& bytes);
  static bool write(const Region& region, const Bytes& bytes);
  // A stream of ours in the current context, on which nothing of the program waits.
  static CUstream own_stream();

 private:
  const Symbols& symbols_;
  std::map<uint64_t, Region> known_;  // allocations by first address, as they were last seen
  std::map<uint64_t, Region> host_visible_;
};

}  // namespace capture
