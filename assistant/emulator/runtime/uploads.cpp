#include "uploads.h"

#include <cstring>
#include <string>

#include "abi.h"
#include "blobs.h"
#include "memory.h"
#include "options.h"

namespace emu {

bool is_upload(const void* destination, const void* source) {
  auto to = reinterpret_cast<uint64_t>(destination), from = reinterpret_cast<uint64_t>(source);
  const Allocation* target = find_live(to);
  const Allocation* origin = find_live(from);
  bool is_to_device = find_symbol(to) || (target && target->space != EMU_PINNED);
  bool is_from_host = !find_symbol(from) && (!origin || origin->space == EMU_PINNED);
  return is_to_device && is_from_host;
}

bool holds_addresses(const void* data, size_t bytes) {
  ArenaRange range = arena();
  for (size_t offset = 0; offset + sizeof(uint64_t) <= bytes; offset += sizeof(uint64_t)) {
    uint64_t value;
    memcpy(&value, static_cast<const char*>(data) + offset, sizeof value);
    if ((in_range(value, range.begin, range.size) && find_live(value)) || find_symbol(value)) return true;
  }
  return false;
}

}  // namespace emu

using namespace emu;

extern "C" bool emu_upload_other(void* destination, const void* source, size_t bytes) {
  const std::string& directory = options().uploads_directory;
  if (directory.empty() || !is_upload(destination, source)) return false;
  return read_file(directory + "/" + BlobFolder::name_of(source, bytes), destination, bytes);
}
