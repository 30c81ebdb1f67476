// Kernels and device symbols that the program's static constructors announce.
#include <algorithm>
#include <cstring>

#include "memory.h"
#include "registry.h"
#include "worker.h"

namespace emu {
namespace {
std::vector<EmuSymbol*>& symbol_list() {
  static auto& list = *new std::vector<EmuSymbol*>;
  return list;
}
std::vector<EmuKernel*>& kernel_list() {
  static auto& list = *new std::vector<EmuKernel*>;
  return list;
}
}  // namespace

const std::vector<EmuSymbol*>& symbols() { return symbol_list(); }
const std::vector<EmuKernel*>& kernels() { return kernel_list(); }

const EmuSymbol* find_symbol(uint64_t address) {
  for (const EmuSymbol* symbol : symbol_list())
    if (in_range(address, reinterpret_cast<uint64_t>(symbol->address), symbol->bytes)) return symbol;
  return nullptr;
}

const EmuSymbol* symbol_before(uint64_t address) {
  const EmuSymbol* nearest = nullptr;
  for (const EmuSymbol* symbol : symbol_list())
    if (reinterpret_cast<uint64_t>(symbol->address) <= address && (!nearest || symbol->address > nearest->address)) nearest = symbol;
  return nearest;
}

const EmuSymbol* symbol_named(const char* name) {
  for (const EmuSymbol* symbol : symbol_list())
    if (!strcmp(symbol->name, name)) return symbol;
  return nullptr;
}

}  // namespace emu

extern "C" void emu_register_symbol(EmuSymbol* symbol) {
  auto& list = emu::symbol_list();
  auto before = [](const EmuSymbol* a, const EmuSymbol* b) { return a->address < b->address; };
  list.insert(std::upper_bound(list.begin(), list.end(), symbol, before), symbol);
}

extern "C" void emu_register_kernel(EmuKernel* kernel) { emu::kernel_list().push_back(kernel); }

extern "C" void emu_note_communication() { emu::program_communicates = true; }
