// Reads which variables and kernels stand in a module's code: an ELF image for NVIDIA's machines, 64 bits, little endian.
#include <cstring>
#include <elf.h>

#include "memory.h"

namespace capture {
namespace {

bool starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

// Not the compiler's (format strings, tables of the mathematical functions) nor a constant of CUDA's C++ libraries.
bool is_of_the_program(const char* name) {
  for (const char* start : {"__cuda", "cudart", "__CNPRT", "__unnamed", "__nv_"})
    if (starts_with(name, start)) return false;
  for (const char* part : {"$", "4cuda3std", "4cuda3__", "4cuda2mr", "4cuda9execution", "6thrust", "3cub", "__nv_atomic", "4cupy"})
    if (strstr(name, part)) return false;
  return *name != 0;
}

}  // namespace

void Symbols::add_module(const char* image, size_t bytes) {
  if (bytes < sizeof(Elf64_Ehdr) || memcmp(image, ELFMAG, SELFMAG) != 0) return;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image);
  if (header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) > bytes) return;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  const char* section_names = image + sections[header->e_shstrndx].sh_offset;
  auto variables = std::make_shared<std::vector<Variable>>();
  std::vector<std::string> kernels;
  bool is_launching = false;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* names = image + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image + sections[i].sh_offset);
    for (size_t n = 0; n < sections[i].sh_size / sizeof(Elf64_Sym); ++n) {
      const char* name = names + symbols[n].st_name;
      is_launching = is_launching || strstr(name, "cudaCDP2Launch") || strstr(name, "cudaLaunchDevice");
      if (symbols[n].st_shndx == SHN_UNDEF || symbols[n].st_shndx >= header->e_shnum) continue;
      const char* section = section_names + sections[symbols[n].st_shndx].sh_name;
      unsigned type = ELF64_ST_TYPE(symbols[n].st_info);
      if (type == STT_FUNC) kernels.emplace_back(name);
      if (type != STT_OBJECT || symbols[n].st_size == 0 || !is_of_the_program(name)) continue;
      bool is_constant = starts_with(section, ".nv.constant3");
      if (is_constant || starts_with(section, ".nv.global")) variables->push_back({name, is_constant});
    }
  }
  for (const std::string& kernel : kernels) {
    by_kernel_[kernel] = variables;
    if (is_launching) launching_.insert(kernel);
  }
}

const std::vector<Region>& Symbols::of(CUfunction function, const std::string& kernel) {
  auto known = by_function_.find(function);
  if (known != by_function_.end()) return known->second;
  std::vector<Region>& regions = by_function_[function];
  CUfunction loaded = nullptr;  // modules are loaded by the first launch otherwise: too late
  driver()->kernel_get_function(&loaded, reinterpret_cast<CUkernel>(function));
  auto module_variables = by_kernel_.find(kernel);
  if (module_variables == by_kernel_.end()) return regions;
  // What the runtime launches is a kernel of a library; what cuModuleGetFunction gave, a function of a module.
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  bool is_library = driver()->kernel_get_library(&library, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS;
  if (!is_library && driver()->func_get_module(&module, function) != CUDA_SUCCESS) return regions;
  for (const Variable& variable : *module_variables->second) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    const char* name = variable.name.c_str();
    CUresult result = is_library ? driver()->library_get_global(&address, &bytes, library, name)
                                 : driver()->module_get_global(&address, &bytes, module, name);
    if (result != CUDA_SUCCESS || bytes == 0) continue;
    unsigned is_managed = 0;
    driver()->pointer_get_attribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
    Space space = variable.is_constant ? Space::constant : is_managed ? Space::managed : Space::device;
    Region region{0, address, bytes, space, name, false};
    regions.push_back(region);
    by_address_[address] = region;
  }
  return regions;
}

const Region* Symbols::find(uint64_t address) const {
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  return region.contains(address) ? &region : nullptr;
}

}  // namespace capture
