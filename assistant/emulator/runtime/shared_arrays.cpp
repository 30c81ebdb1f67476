#include "shared_arrays.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

namespace emu {
namespace {

using ull = unsigned long long;

constexpr const char* DYNAMIC = "__emu_dynamic_shared";
constexpr const char* RENAMED = "emu_user_";   // what the translator puts before a name that is one of CUDA's, too

// The program's own file, as long as it is read.
class OwnFile {
 public:
  OwnFile() {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0) {
      size_ = static_cast<size_t>(status.st_size);
      void* mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) bytes_ = static_cast<const char*>(mapped);
    }
    if (file >= 0) close(file);
  }
  ~OwnFile() {
    if (bytes_) munmap(const_cast<char*>(bytes_), size_);
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  bool is_open() const { return bytes_ != nullptr; }
  template <class T>
  const T* at(uint64_t offset) const { return reinterpret_cast<const T*>(bytes_ + offset); }

 private:
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

// `tile` of `_ZZ6kernelPfE4tile`.
std::string source_name(const char* symbol) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : symbol;
  free(demangled);
  size_t scope = name.rfind("::");
  if (scope != std::string::npos) name.erase(0, scope + 2);
  name.erase(std::min(name.find('.'), name.size()));
  return name.rfind(RENAMED, 0) == 0 ? name.substr(strlen(RENAMED)) : name;
}

bool is_core(const char* symbol) { return !strncmp(symbol, "__emu_", 6) || !strcmp(symbol, "emu_thread"); }

void add_symbols(const OwnFile& file, const Elf64_Shdr& table, const Elf64_Shdr& strings, std::vector<SharedVariable>& found) {
  const auto* symbol = file.at<Elf64_Sym>(table.sh_offset);
  for (const auto* end = symbol + table.sh_size / sizeof(Elf64_Sym); symbol != end; ++symbol) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_TLS || symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0) continue;
    const char* name = file.at<char>(strings.sh_offset + symbol->st_name);
    bool is_dynamic = !strcmp(name, DYNAMIC);
    if (is_core(name) && !is_dynamic) continue;
    found.push_back({symbol->st_value, symbol->st_size, is_dynamic ? "" : source_name(name), is_dynamic});
  }
}

std::vector<SharedVariable> read_variables() {
  std::vector<SharedVariable> found;
  OwnFile file;
  if (!file.is_open()) {
    fprintf(stderr, "emulator: cannot read the program's own file through /proc/self/exe\n");
    exit(3);
  }
  const auto* header = file.at<Elf64_Ehdr>(0);
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (sections[i].sh_type == SHT_SYMTAB) add_symbols(file, sections[i], sections[sections[i].sh_link], found);
  std::sort(found.begin(), found.end(), [](const SharedVariable& a, const SharedVariable& b) { return a.offset < b.offset; });
  return found;
}

// The variable that starts at or before the offset; nullptr if none.
const SharedVariable* at_or_before(uint64_t offset) {
  const auto& all = shared_variables();
  auto after = std::upper_bound(all.begin(), all.end(), offset, [](uint64_t value, const SharedVariable& v) { return value < v.offset; });
  return after == all.begin() ? nullptr : &*std::prev(after);
}

const SharedVariable* holder(uint64_t offset, unsigned bytes) {
  const SharedVariable* found = at_or_before(offset);
  return found && offset + bytes <= found->offset + found->bytes ? found : nullptr;
}

// Which variable an access that is in none was meant for: the one that the same instruction accessed before, else the nearer one.
const SharedVariable* meant(const Site& site, uint64_t offset) {
  if (in_range(site.known_begin, emu_thread.shared_begin, emu_thread.shared_size))
    if (const SharedVariable* known = holder(site.known_begin - emu_thread.shared_begin, 1)) return known;
  const SharedVariable* before = at_or_before(offset);
  const auto& all = shared_variables();
  const SharedVariable* after = before ? before + 1 : all.data();
  if (after == all.data() + all.size()) return before;
  return before && offset - std::min(before->offset + before->bytes, offset) <= after->offset - offset ? before : after;
}

const char* verb(const Event& event) {
  switch (event.kind & EVENT_KIND_MASK) {
    case EVENT_LOAD: return "read";
    case EVENT_STORE: return "write";
    default: return "atomic";
  }
}

void report_outside(Worker& w, const Event& event, const SharedVariable& of, uint64_t address, unsigned thread) {
  uint64_t offset = address - emu_thread.shared_begin;
  if (of.is_dynamic)
    report_cause(w, "out_of_bounds", of.offset, event.pc, address, thread, "%s of %u bytes, %llu bytes before dynamic shared memory", verb(event), event.size_bytes,
                 static_cast<ull>(of.offset - offset));
  else if (offset < of.offset)
    report_cause(w, "out_of_bounds", of.offset, event.pc, address, thread, "%s of %u bytes, %llu bytes before the shared array %s of %llu bytes", verb(event),
                 event.size_bytes, static_cast<ull>(of.offset - offset), of.name.c_str(), static_cast<ull>(of.bytes));
  else
    report_cause(w, "out_of_bounds", of.offset + of.bytes, event.pc, address, thread, "%s of %u bytes at offset %llu of the shared array %s of %llu bytes",
                 verb(event), event.size_bytes, static_cast<ull>(offset - of.offset), of.name.c_str(), static_cast<ull>(of.bytes));
}

}  // namespace

const std::vector<SharedVariable>& shared_variables() {
  static const auto& variables = *new std::vector<SharedVariable>(read_variables());
  return variables;
}

std::string shared_name(uint64_t address) {
  if (!in_range(address, emu_thread.shared_begin, emu_thread.shared_size)) return "";
  const SharedVariable* found = holder(address - emu_thread.shared_begin, 1);
  if (!found) return "";
  return found->is_dynamic ? "dynamic shared memory" : found->name;
}

bool find_outside(Worker& w, Site& site, const Event& event, const Request& r, uint64_t* address, uint8_t* lane, unsigned& lane_count) {
  lane_count = 0;
  for (unsigned i = 0; i < r.lane_count; ++i) {
    uint64_t offset = r.address[i] - emu_thread.shared_begin;
    if (const SharedVariable* found = holder(offset, r.size_bytes)) {
      site.known_begin = emu_thread.shared_begin + found->offset;
      site.known_end = site.known_begin + found->bytes;
      address[lane_count] = r.address[i];
      lane[lane_count++] = r.lane[i];
    } else if (const SharedVariable* of = meant(site, offset)) {
      report_outside(w, event, *of, r.address[i], thread_index(w, r.lane[i]));
    }
  }
  return lane_count < r.lane_count;
}

}  // namespace emu
