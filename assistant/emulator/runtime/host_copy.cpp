// Copies and fills. Every transfer is first shown to the core, which checks its ends and records it.
#include <algorithm>
#include <cstring>
#include <vector>

#include "graphs.h"
#include "host.h"
#include "memory.h"
#include "textures.h"

using emu_host::device_fault;
using emu_host::fail;

namespace {
bool is_known_kind(int kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

bool lies_within(size_t offset, size_t bytes, size_t size) { return offset <= size && bytes <= size - offset; }

bool is_in_arena(const void* pointer) {
  emu::ArenaRange range = emu::arena();
  return emu::in_range(reinterpret_cast<uint64_t>(pointer), range.begin, range.size);
}

// Whether all the bytes belong to one live allocation, or to one device variable.
bool is_device_range(const void* pointer, size_t bytes) {
  void* start;
  size_t size;
  if (emu_find_allocation(pointer, &start, &size, nullptr))
    return lies_within(static_cast<const char*>(pointer) - static_cast<char*>(start), bytes, size);
  auto address = reinterpret_cast<uint64_t>(pointer);
  const EmuSymbol* symbol = emu::find_symbol(address);
  return symbol && lies_within(address - reinterpret_cast<uint64_t>(symbol->address), bytes, symbol->bytes);
}

// Host memory is everything outside the arena, and inside it what the host may touch as well.
bool is_host_range(const void* pointer, size_t bytes) {
  if (!is_in_arena(pointer)) return true;
  int space;
  return emu_find_allocation(pointer, nullptr, nullptr, &space) && space != EMU_DEVICE && is_device_range(pointer, bytes);
}

bool is_end_valid(const void* pointer, size_t bytes, bool must_be_device, bool must_be_host) {
  if (must_be_device) return is_device_range(pointer, bytes);
  if (must_be_host) return is_host_range(pointer, bytes);
  return !is_in_arena(pointer) || is_device_range(pointer, bytes);
}

// Bytes that lie together; a copy of rows has one a row.
struct Piece {
  char* to;
  const char* from;
  size_t bytes;
};

struct Copy {
  std::vector<Piece> pieces;
  cudaMemcpyKind kind;
  std::vector<char> staged;                  // what the sources held at the call, where the copy need not wait for it
  cudaStream_t stream = nullptr;
  bool is_waited_for = false;
};

struct Fill {
  char* to;
  size_t bytes;
};

cudaError_t check(const Piece& p, cudaMemcpyKind kind) {
  if (!p.to || !p.from) return cudaErrorInvalidValue;
  bool reads_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  bool writes_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool is_default = kind == cudaMemcpyDefault;
  bool is_valid = is_end_valid(p.from, p.bytes, reads_device, !reads_device && !is_default) &&
                  is_end_valid(p.to, p.bytes, writes_device, !writes_device && !is_default);
  return is_valid ? cudaSuccess : cudaErrorInvalidValue;
}

template <typename Pieces>
size_t total_bytes(const Pieces& pieces) {
  size_t bytes = 0;
  for (const auto& p : pieces) bytes += p.bytes;
  return bytes;
}

cudaError_t run(const Copy& copy) {
  if (cudaError_t error = device_fault()) return error;
  const char* staged = copy.staged.data();
  emu_on_copies(copy.pieces[0].to, copy.pieces[0].from, copy.pieces.size(), total_bytes(copy.pieces), copy.stream, copy.is_waited_for);
  for (const Piece& p : copy.pieces) {
    const char* from = copy.staged.empty() ? p.from : staged;
    staged += p.bytes;
    if (int error = emu_on_copy(p.to, from, p.bytes, copy.kind)) return fail(static_cast<cudaError_t>(error));
    if (!emu_upload_other(p.to, from, p.bytes)) memmove(p.to, from, p.bytes);
  }
  return device_fault();
}

enum class Place { device, pinned, managed, pageable };

Place place_of(const void* pointer) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (const EmuSymbol* symbol = emu::find_symbol(address)) return symbol->space == 2 ? Place::managed : Place::device;
  int space;
  if (!emu_find_allocation(pointer, nullptr, nullptr, &space)) return emu::is_registered_host(address) ? Place::pinned : Place::pageable;
  return space == EMU_DEVICE ? Place::device : space == EMU_PINNED ? Place::pinned : Place::managed;
}

// How late a copy may be (CUDA Runtime API, "API synchronization behavior"). Where the documentation leaves open whether the host waits for
// it, it does: for the synchronous forms from pageable memory, for what ends in pageable memory, and for managed memory.
bool may_be_late(const Copy& copy, bool is_async) {
  Place from = place_of(copy.pieces[0].from), to = place_of(copy.pieces[0].to);
  if (from == Place::managed || to == Place::managed || to == Place::pageable) return false;
  if (from == Place::device && to == Place::device) return true;
  return is_async && (from == Place::device || to == Place::device);
}

cudaError_t issue(Copy copy, cudaStream_t stream, bool is_async) {
  if (cudaError_t error = device_fault()) return error;
  if (!is_known_kind(copy.kind)) return fail(cudaErrorInvalidMemcpyDirection);
  copy.pieces.erase(std::remove_if(copy.pieces.begin(), copy.pieces.end(), [](const Piece& p) { return p.bytes == 0; }), copy.pieces.end());
  if (copy.pieces.empty()) return cudaSuccess;
  copy.stream = stream;
  for (const Piece& p : copy.pieces)
    if (cudaError_t error = check(p, copy.kind)) return fail(error);
  const bool is_captured = emu::is_capturing(stream);
  copy.is_waited_for = !is_captured && !may_be_late(copy, is_async);
  if (!emu::runs_late() && !is_captured) return run(copy);
  emu::About about{"copy", nullptr, 0, {emu::place_at(copy.pieces[0].to), emu::place_at(copy.pieces[0].from)}};
  if (is_captured) return static_cast<cudaError_t>(emu::issue(stream, about, [kept = std::move(copy)] { return run(kept); }));
  if (copy.is_waited_for) return static_cast<cudaError_t>(emu::issue_and_wait(stream, about, [&copy] { return run(copy); }));
  if (place_of(copy.pieces[0].from) == Place::pageable)
    for (const Piece& p : copy.pieces) copy.staged.insert(copy.staged.end(), p.from, p.from + p.bytes);
  if (place_of(copy.pieces[0].to) == Place::pinned) about.copy_count = static_cast<unsigned>(copy.pieces.size());
  return static_cast<cudaError_t>(emu::issue(stream, about, [kept = std::move(copy)] { return run(kept); }));
}

cudaError_t issue(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool is_async) {
  return issue(Copy{{{static_cast<char*>(to), static_cast<const char*>(from), bytes}}, kind, {}}, stream, is_async);
}

void add_rows(Copy& copy, char* to, size_t to_pitch, const char* from, size_t from_pitch, size_t width, size_t height) {
  if (to_pitch == width && from_pitch == width) copy.pieces.push_back({to, from, width * height});
  else
    for (size_t row = 0; row < height; row++) copy.pieces.push_back({to + row * to_pitch, from + row * from_pitch, width});
}

cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool is_async) {
  if (to_pitch < width || from_pitch < width) return fail(cudaErrorInvalidPitchValue);
  Copy copy{{}, kind, {}};
  add_rows(copy, static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height);
  return issue(std::move(copy), stream, is_async);
}

// One end of a copy of planes: an array's elements, or bytes of pitched memory (CUDA Runtime API, cudaMemcpy3D).
struct Planes {
  char* data;
  size_t pitch, rows, unit;                  // unit: bytes of what positions and extents count
};

Planes planes_of(const cudaArray* array, const cudaPitchedPtr& pitched) {
  if (array) return {array->data, array->row_bytes(), array->rows(), array->element_bytes};
  return {static_cast<char*>(pitched.ptr), pitched.pitch, pitched.ysize, 1};
}

cudaError_t copy_planes(const struct cudaMemcpy3DParms* p, cudaStream_t stream, bool is_async) {
  if (!p) return fail(cudaErrorInvalidValue);
  const Planes to = planes_of(p->dstArray, p->dstPtr), from = planes_of(p->srcArray, p->srcPtr);
  const size_t width = p->extent.width * std::max(to.unit, from.unit);
  if (to.pitch < width || from.pitch < width) return fail(cudaErrorInvalidPitchValue);
  Copy copy{{}, p->kind, {}};
  for (size_t z = 0; z < p->extent.depth; z++) {
    auto place = [z](const Planes& q, const cudaPos& at) { return q.data + ((at.z + z) * q.rows + at.y) * q.pitch + at.x * q.unit; };
    add_rows(copy, place(to, p->dstPos), to.pitch, place(from, p->srcPos), from.pitch, width, p->extent.height);
  }
  return issue(std::move(copy), stream, is_async);
}

char* place_in(cudaArray_const_t array, size_t x_bytes, size_t y) { return array->data + y * array->row_bytes() + x_bytes; }

cudaError_t copy_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                          cudaStream_t stream, bool is_async) {
  if (!to || x_bytes + width > to->row_bytes() || y + height > to->rows()) return fail(cudaErrorInvalidValue);
  return copy_rows(place_in(to, x_bytes, y), to->row_bytes(), from, pitch, width, height, kind, stream, is_async);
}

cudaError_t copy_from_array(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                            cudaStream_t stream, bool is_async) {
  if (!from || x_bytes + width > from->row_bytes() || y + height > from->rows()) return fail(cudaErrorInvalidValue);
  return copy_rows(to, pitch, place_in(from, x_bytes, y), from->row_bytes(), width, height, kind, stream, is_async);
}

cudaError_t run(const std::vector<Fill>& fills, int value, cudaStream_t stream, bool is_waited_for) {
  if (cudaError_t error = device_fault()) return error;
  emu_on_fills(fills.size(), total_bytes(fills), stream, is_waited_for);
  for (const Fill& f : fills) {
    if (int error = emu_on_memset(f.to, f.bytes)) return fail(static_cast<cudaError_t>(error));
    memset(f.to, value, f.bytes);
  }
  return cudaSuccess;
}

// Asynchronous in both forms, but for memory that the host sees (as above, "Memset").
cudaError_t issue(std::vector<Fill> fills, int value, cudaStream_t stream, bool is_async) {
  if (cudaError_t error = device_fault()) return error;
  fills.erase(std::remove_if(fills.begin(), fills.end(), [](const Fill& f) { return f.bytes == 0; }), fills.end());
  if (fills.empty()) return cudaSuccess;
  for (const Fill& f : fills)
    if (!f.to || !is_device_range(f.to, f.bytes)) return fail(cudaErrorInvalidValue);
  bool is_waited_for = !is_async && place_of(fills[0].to) != Place::device;
  emu::About about{"fill", nullptr, 0, {emu::place_at(fills[0].to)}};
  emu::Work work = [kept = std::move(fills), value, stream, is_waited_for] { return run(kept, value, stream, is_waited_for); };
  return static_cast<cudaError_t>(is_waited_for ? emu::issue_and_wait(stream, about, work) : emu::issue(stream, about, work));
}

cudaError_t fill_rows(struct cudaPitchedPtr p, int value, size_t width, size_t height, size_t depth, cudaStream_t stream, bool is_async) {
  if (p.pitch < width) return fail(cudaErrorInvalidValue);
  std::vector<Fill> fills;
  for (size_t z = 0; z < depth; z++)
    for (size_t row = 0; row < height; row++) fills.push_back({static_cast<char*>(p.ptr) + (z * p.ysize + row) * p.pitch, width});
  return issue(std::move(fills), value, stream, is_async);
}
}  // namespace

extern "C" {
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return issue(to, from, bytes, kind, nullptr, false);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return issue(to, from, bytes, kind, stream, true);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return to_device || from_device ? fail(cudaErrorInvalidDevice) : cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream) {
  return to_device || from_device ? fail(cudaErrorInvalidDevice) : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr, false);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  emu_on_synchronize();
  return copy_planes(p, nullptr, false);
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream) { return copy_planes(p, stream, true); }
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return to ? issue(place_in(to, x_bytes, y), from, bytes, kind, nullptr, false) : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return from ? issue(to, place_in(from, x_bytes, y), bytes, kind, nullptr, false) : fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return copy_to_array(to, x_bytes, y, from, pitch, width, height, kind, nullptr, false);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_array(to, x_bytes, y, from, pitch, width, height, kind, stream, true);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return copy_from_array(to, pitch, from, x_bytes, y, width, height, kind, nullptr, false);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width, size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from_array(to, pitch, from, x_bytes, y, width, height, kind, stream, true);
}
cudaError_t cudaMemset(void* pointer, int value, size_t bytes) { return issue({{static_cast<char*>(pointer), bytes}}, value, nullptr, false); }
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return issue({{static_cast<char*>(pointer), bytes}}, value, stream, true);
}
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return fill_rows({pointer, pitch, width, height}, value, width, height, 1, nullptr, false);
}
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return fill_rows({pointer, pitch, width, height}, value, width, height, 1, stream, true);
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
  return fill_rows(p, value, extent.width, extent.height, extent.depth, nullptr, false);
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream) {
  return fill_rows(p, value, extent.width, extent.height, extent.depth, stream, true);
}

cudaError_t emu_memcpy_to_symbol(const void* symbol, size_t symbol_bytes, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                 cudaStream_t stream, bool is_async) {
  if (!lies_within(offset, bytes, symbol_bytes)) return fail(cudaErrorInvalidValue);
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
  return issue(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes, kind, stream, is_async);
}
cudaError_t emu_memcpy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                   cudaStream_t stream, bool is_async) {
  if (!lies_within(offset, bytes, symbol_bytes)) return fail(cudaErrorInvalidValue);
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
  emu_on_synchronize();
  return issue(to, static_cast<const char*>(symbol) + offset, bytes, kind, stream, is_async);
}
}
