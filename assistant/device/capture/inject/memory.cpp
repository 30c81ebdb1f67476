#include "memory.h"

#include <cstring>

#include "calls.h"

namespace capture {
namespace {

template <class T>
bool attribute(T& value, CUpointer_attribute which, uint64_t address) {
  return driver()->pointer_get_attribute(&value, which, address) == CUDA_SUCCESS;
}

bool ask(uint64_t address, Region& region) {
  unsigned long long key = 0;
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  unsigned type = 0, is_managed = 0;
  if (!attribute(key, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) || key == 0) return false;
  if (!attribute(begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) || !attribute(bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address)) return false;
  attribute(type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  attribute(is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  bool is_host = type == CU_MEMORYTYPE_HOST;
  region = {key, begin, bytes, is_host || is_managed ? Space::managed : Space::device, nullptr, is_host};
  return region.contains(address);
}

}  // namespace

bool Memory::find(uint64_t address, Region& region) {
  if (const Region* variable = symbols_.find(address)) {
    region = *variable;
    return true;
  }
  if (!ask(address, region)) return false;
  known_[region.begin] = region;
  return true;
}

bool Memory::find_word(uint64_t word, Region& region) {
  auto after = known_.upper_bound(word);
  bool is_near = after != known_.begin() && std::prev(after)->second.contains(word);
  if (!is_near) {
    const Region* variable = symbols_.find(word);
    if (variable) region = *variable;
    return variable != nullptr;
  }
  return find(word, region);  // it may have been freed, and used again
}

void Memory::add_host_visible(uint64_t address) {
  Region region;
  if (!ask(address, region)) return;
  known_[region.begin] = region;
  if (region.space == Space::managed) host_visible_[region.begin] = region;
}

void Memory::remove(uint64_t address) {
  host_visible_.erase(address);
  known_.erase(address);
}

CUstream Memory::own_stream() {
  static std::map<CUcontext, CUstream> streams;
  CUcontext context = nullptr;
  driver()->ctx_get_current(&context);
  CUstream& stream = streams[context];
  if (!stream && driver()->stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) note_own_stream(context, stream);
  return stream;
}

bool Memory::read(const Region& region, Bytes& bytes) {
  bytes.resize(region.bytes);
  if (region.is_host) {
    memcpy(bytes.data(), reinterpret_cast<const void*>(region.begin), region.bytes);
    return true;
  }
  CUstream stream = own_stream();
  return driver()->memcpy_dtoh_async(bytes.data(), region.begin, region.bytes, stream) == CUDA_SUCCESS &&
         driver()->stream_synchronize(stream) == CUDA_SUCCESS;
}

bool Memory::write(const Region& region, const Bytes& bytes) {
  if (region.is_host) {
    memcpy(reinterpret_cast<void*>(region.begin), bytes.data(), bytes.size());
    return true;
  }
  CUstream stream = own_stream();
  return driver()->memcpy_htod_async(region.begin, bytes.data(), bytes.size(), stream) == CUDA_SUCCESS &&
         driver()->stream_synchronize(stream) == CUDA_SUCCESS;
}

}  // namespace capture
