#include "record.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/stat.h>
#include <tuple>

#include "blobs.h"
#include "memory.h"
#include "options.h"
#include "record_log.h"
#include "shadow.h"
#include "streams.h"
#include "textures.h"
#include "uploads.h"

namespace emu {
namespace {

using Region = LaunchRecord::Region;
using Shape = std::tuple<const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, size_t>;

constexpr size_t MOST_OVERTAKING = 32;
constexpr uint64_t MOST_PASSED = 4096;                // launches without contents of which arguments are written

struct Recorder {
  std::mutex mutex;
  RecordLog log;
  BlobFolder blobs;
  std::map<uint64_t, uint64_t> buffer_ids;            // by address; an address that is used again gets a new id
  std::map<uint64_t, const Allocation*> owner;        // which allocation had the id
  std::map<Shape, uint64_t> kept;
  std::map<uint64_t, std::string> last_snapshot;      // host-visible memory: what the host saw last
  uint64_t next_id = 0;
  int64_t last_launch = -1;
  uint64_t upload_count = 0, upload_bytes = 0;
  bool are_uploads_cut = false;
  uint64_t passed_count = 0;
  bool is_full = false;
  std::set<std::tuple<std::string, const void*, int, std::string, const void*, int>> overtaking;
  explicit Recorder(const std::string& directory) : log(directory + "/log"), blobs(directory + "/blobs") {}
};

void snapshot_at_exit();

// nullptr unless this run is recorded.
Recorder* recorder() {
  static Recorder* instance = [] {
    const std::string& directory = options().record_directory;
    if (directory.empty()) return static_cast<Recorder*>(nullptr);
    mkdir(directory.c_str(), 0777);
    auto* made = new Recorder(directory);
    made->log.item("sees_operations");
    atexit(snapshot_at_exit);
    return made;
  }();
  return instance;
}

const char* space_name(int space) { return space == EMU_MANAGED ? "managed" : space == EMU_PINNED ? "host" : "device"; }
const char* symbol_space_name(int space) { return space == 1 ? "constant" : space == 2 ? "managed" : "device"; }

// The region's id; announces it in the log at its first use.
uint64_t identify(Recorder& r, uint64_t begin, const Allocation* allocation, const EmuSymbol* symbol) {
  auto found = r.buffer_ids.find(begin);
  if (found != r.buffer_ids.end() && r.owner[begin] == allocation) return found->second;
  uint64_t id = r.next_id++;
  r.buffer_ids[begin] = id;
  r.owner[begin] = allocation;
  r.log.item("buffer").number(id).number(begin).number(symbol ? symbol->bytes : allocation->size());
  r.log.word(symbol ? symbol_space_name(symbol->space) : space_name(allocation->space));
  r.log.text(symbol ? symbol->name : nullptr).text(symbol ? symbol->element_type : nullptr);
  return id;
}

struct Target { uint64_t id, begin, bytes; };

// The buffer that an address points into; false if it points into none. An address just behind a buffer is none.
bool resolve(Recorder& r, uint64_t address, Target& target) {
  ArenaRange range = arena();
  if (in_range(address, range.begin, range.size)) {
    const Allocation* a = find_live(address);
    if (!a) return false;
    target = {identify(r, a->begin, a, nullptr), a->begin, a->size()};
    return true;
  }
  const EmuSymbol* symbol = find_symbol(address);
  if (!symbol) return false;
  auto begin = reinterpret_cast<uint64_t>(symbol->address);
  target = {identify(r, begin, nullptr, symbol), begin, symbol->bytes};
  return true;
}

class Reach {
 public:
  explicit Reach(Recorder& r) : r_(r) {}
  void add(const Target& t) {
    for (const Region& known : regions_)
      if (known.id == t.id) return;
    regions_.push_back({t.id, t.begin, t.bytes});
    total_bytes_ += t.bytes;
  }
  const std::vector<Region>& regions() const { return regions_; }
  uint64_t total_bytes() const { return total_bytes_; }
  bool has_textures() const { return has_textures_; }

  struct Pointer { uint64_t container, offset; Target target; };
  std::vector<Pointer> argument_pointers, buffer_pointers;

  void add_arguments(const EmuLaunch& l) {
    for (unsigned i = 0; i < l.argument_count; ++i)
      scan(static_cast<const char*>(l.arguments[i]), l.argument_bytes[i], i, argument_pointers);
  }
  void add_symbols() {
    Target t;
    for (const EmuSymbol* symbol : symbols())
      if (resolve(r_, reinterpret_cast<uint64_t>(symbol->address), t)) add(t);
  }
  // One level: pointers inside the buffers reached so far.
  void add_inside() {
    std::vector<Region> first_level = regions_;
    for (const Region& region : first_level)
      scan(reinterpret_cast<const char*>(region.begin), region.bytes, region.id, buffer_pointers);
  }

 private:
  void scan(const char* data, size_t bytes, uint64_t container, std::vector<Pointer>& found) {
    ArenaRange range = arena();
    ProgramImage image = program_image();
    for (size_t offset = 0; offset + 8 <= bytes; offset += 8) {
      uint64_t value;
      memcpy(&value, data + offset, 8);
      has_textures_ = has_textures_ || is_texture(value);
      if (!in_range(value, range.begin, range.size) && !in_range(value, image.data_begin, image.end - image.data_begin)) continue;
      Target target;
      if (!resolve(r_, value, target)) continue;
      found.push_back({container, offset, {target.id, target.begin, value - target.begin}});
      add(target);
    }
  }

  Recorder& r_;
  std::vector<Region> regions_;
  uint64_t total_bytes_ = 0;
  bool has_textures_ = false;
};

// The legacy default stream has two handles.
uint64_t stream_word(const void* stream) { return stream == reinterpret_cast<void*>(1) ? 0 : reinterpret_cast<uint64_t>(stream); }

void write_header(Recorder& r, const char* item, uint32_t index, const EmuLaunch& l) {
  r.log.item(item).number(index).number(reinterpret_cast<uint64_t>(l.function));
  for (unsigned n : {l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z}) r.log.number(n);
  r.log.number(l.shared_bytes);
}

// Why the launch's contents are not kept; nullptr if they are. What it reaches is only looked into for pointers where it may be kept.
const char* reason_to_skip(Recorder& r, const EmuLaunch& l, Reach& reach) {
  if (r.is_full) return "recording is full";
  Shape shape{l.function, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, l.shared_bytes};
  uint64_t& count = r.kept[shape];
  // The second half of the space is for shapes not seen yet.
  uint64_t limit = r.blobs.written_bytes() > options().record_total_bytes / 2 ? 1 : options().record_per_shape;
  if (count >= limit) return "enough launches of this shape";
  auto reason_of_reach = [&]() -> const char* {
    if (reach.has_textures()) return "launch reads texture objects";
    return reach.total_bytes() > options().record_launch_bytes ? "launch reaches more memory than the limit" : nullptr;
  };
  if (const char* reason = reason_of_reach()) return reason;
  reach.add_inside();
  if (const char* reason = reason_of_reach()) return reason;
  ++count;
  return nullptr;
}

// What is missing must not read as what the program never had: the recording is of no use.
void note_unwritten(Recorder& r) { r.log.item("unwritten").number(static_cast<uint64_t>(errno)); }

void write_contents(Recorder& r, const char* item, const std::vector<Region>& regions) {
  for (const Region& region : regions) {
    std::string blob = r.blobs.put(reinterpret_cast<const void*>(region.begin), region.bytes);
    if (blob.empty()) note_unwritten(r);
    else r.log.item(item).number(region.id).word(blob.c_str());
  }
  if (r.blobs.written_bytes() > options().record_total_bytes) r.is_full = true;
}

// Without the buffers that the kernel itself has freed.
std::vector<Region> still_there(const std::vector<Region>& regions) {
  ArenaRange range = arena();
  std::vector<Region> kept;
  for (const Region& region : regions)
    if (!in_range(region.begin, range.begin, range.size) || find_live(region.begin)) kept.push_back(region);
  return kept;
}

// Of a launch that is not kept: what it was passed, for facts that hold for every launch.
void write_passed(Recorder& r, const EmuLaunch& l, const Reach& reach) {
  if (r.passed_count++ >= MOST_PASSED) return;
  for (unsigned i = 0; i < l.argument_count; ++i) r.log.item("passed").number(l.argument_bytes[i]).hex(l.arguments[i], l.argument_bytes[i]);
  for (const auto& p : reach.argument_pointers)
    r.log.item("passed_pointer").number(p.container).number(p.offset).number(p.target.id).number(p.target.bytes);
}

void write_arguments(Recorder& r, const EmuLaunch& l, const Reach& reach) {
  for (unsigned i = 0; i < l.argument_count; ++i) r.log.item("argument").number(l.argument_bytes[i]).hex(l.arguments[i], l.argument_bytes[i]);
  for (const auto& p : reach.argument_pointers)
    r.log.item("argument_pointer").number(p.container).number(p.offset).number(p.target.id).number(p.target.bytes);
  for (const auto& p : reach.buffer_pointers)
    r.log.item("pointer").number(p.container).number(p.offset).number(p.target.id).number(p.target.bytes);
}

// Buffers of which neither the host nor a checked kernel has written a byte.
void write_poisoned(Recorder& r, const std::vector<Region>& regions) {
  if (options().mode != Mode::check) return;  // only then are the kernels' own writes known
  for (const Region& region : regions) {
    const Allocation* a = find_live(region.begin);
    if (a && !a->is_initialised && !is_any_initialised(region.begin, region.bytes))
      r.log.item("poisoned").number(region.id);
  }
}

void write_transfer(Recorder& r, const char* kind, const void* data, size_t bytes, const char* type) {
  if (r.is_full) return;
  std::string blob = r.blobs.put(data, bytes);
  if (blob.empty()) return;
  Target source{};
  bool is_known = resolve(r, reinterpret_cast<uint64_t>(data), source);
  r.log.item("transfer").word(kind).word(blob.c_str()).number(bytes).integer(r.last_launch).text(type);
  r.log.integer(is_known ? static_cast<int64_t>(source.id) : -1).number(reinterpret_cast<uint64_t>(data) - source.begin);
  if (runs_late()) r.log.number(issue_number());
  if (r.blobs.written_bytes() > options().record_total_bytes) r.is_full = true;
}

// Too much to keep: equal names for equal bytes, which is all that tells whether two programs bring the same.
void name_upload(Recorder& r, const void* data, size_t bytes) {
  if (r.upload_count > MOST_NAMED_UPLOADS) return;
  r.log.item("uploaded").word(holds_addresses(data, bytes) ? "-" : BlobFolder::name_of(data, bytes).c_str());
}

// What the host brought to the device, before anything replaces it.
void write_upload(Recorder& r, uint64_t destination, const void* data, size_t bytes) {
  ++r.upload_count;
  if (r.are_uploads_cut) return name_upload(r, data, bytes);
  Target target{};
  r.are_uploads_cut = r.is_full || r.upload_count > MOST_RECORDED_UPLOADS || (r.upload_bytes += bytes) > MOST_UPLOAD_BYTES;
  std::string blob = r.are_uploads_cut ? "" : r.blobs.put(data, bytes);
  if (blob.empty() || !resolve(r, destination, target)) {
    r.are_uploads_cut = true;
    r.log.item("uploads_cut");
    return name_upload(r, data, bytes);
  }
  r.log.item("upload").word(blob.c_str()).number(bytes).number(target.id).number(destination - target.begin).number(holds_addresses(data, bytes));
}

// Host-visible memory whose contents differ from what the host saw at the last snapshot.
void snapshot(Recorder& r, const char* kind) {
  auto take = [&](uint64_t begin, uint64_t bytes, const char* type) {
    std::string name = BlobFolder::name_of(reinterpret_cast<const void*>(begin), bytes);
    if (r.last_snapshot[begin] == name) return;
    r.last_snapshot[begin] = name;
    write_transfer(r, kind, reinterpret_cast<const void*>(begin), bytes, type);
  };
  for (const Allocation* a : live_allocations())
    if (a->space != EMU_DEVICE && a->size()) take(a->begin, a->size(), nullptr);
  for (const EmuSymbol* symbol : symbols())
    if (symbol->space == 2) take(reinterpret_cast<uint64_t>(symbol->address), symbol->bytes, symbol->element_type);
}

// Copies to the host that the program has not waited for: what they would have brought has not reached it.
void write_unfinished(Recorder& r, const std::vector<uint64_t>& issue_numbers) {
  std::string nothing = r.blobs.put(nullptr, 0);
  for (uint64_t number : issue_numbers) {
    r.log.item("transfer").word("unfinished").word(nothing.c_str()).number(0).integer(r.last_launch).text(nullptr);
    r.log.integer(-1).number(0).number(number);
  }
}

void snapshot_at_exit() {
  Recorder* r = recorder();
  std::vector<uint64_t> unfinished = unfinished_copies();
  std::lock_guard<std::mutex> hold(r->mutex);
  if (runs_late()) write_unfinished(*r, unfinished);
  else snapshot(*r, "exit");
  r->log.flush();
}

}  // namespace

LaunchRecord begin_record(uint32_t index, const EmuLaunch& l) {
  Recorder* r = recorder();
  if (!r) return {};
  std::lock_guard<std::mutex> hold(r->mutex);
  r->last_launch = index;
  Reach reach(*r);
  reach.add_arguments(l);
  reach.add_symbols();
  if (const char* reason = reason_to_skip(*r, l, reach)) {
    write_header(*r, "skipped", index, l);
    r->log.text(reason).number(stream_word(l.stream));
    write_passed(*r, l, reach);
    return {};
  }
  write_header(*r, "launch", index, l);
  r->log.number(static_cast<uint64_t>(std::max(l.line, 0))).text(l.file).number(stream_word(l.stream));
  if (l.is_cooperative) r->log.item("cooperative");
  write_arguments(*r, l, reach);
  write_poisoned(*r, reach.regions());
  write_contents(*r, "before", reach.regions());
  return {true, reach.regions()};
}

void record_left_out(uint32_t index, const EmuLaunch& l) {
  Recorder* r = recorder();
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  Reach reach(*r);
  reach.add_arguments(l);
  write_header(*r, "skipped", index, l);
  r->log.text("time was up").number(stream_word(l.stream));
  write_passed(*r, l, reach);
  r->log.item("left_out");
}

void flush_record() {
  Recorder* r = recorder();
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  r->log.flush();
}

void end_record(const LaunchRecord& record, LaunchEnd end, uint64_t blocks_run) {
  if (!recorder()) return;
  Recorder& r = *recorder();
  std::lock_guard<std::mutex> hold(r.mutex);
  if (!record.is_kept) {
    if (end == LaunchEnd::cut) r.log.item("left_out");
    return;
  }
  if (end == LaunchEnd::whole) write_contents(r, "after", still_there(record.regions));
  else if (end == LaunchEnd::cut) r.log.item("cut").number(blocks_run);
  else r.log.item("failed");
  r.log.flush();
}

void begin_recording() { recorder(); }

void note_overtaking(const About& first, const About& earlier) {
  Recorder* r = recorder();
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  bool is_new = r->overtaking.emplace(first.kind, first.function, first.line, earlier.kind, earlier.function, earlier.line).second;
  if (!is_new || r->overtaking.size() > MOST_OVERTAKING) return;
  r->log.item("overtook");
  for (const About* about : {&first, &earlier})
    r->log.word(about->kind).number(reinterpret_cast<uint64_t>(about->function)).number(static_cast<uint64_t>(std::max(about->line, 0)));
}

void note_node(const std::vector<size_t>& needs) {
  Recorder* r = options().replay_directory.empty() ? recorder() : nullptr;
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  r->log.item("node");
  for (size_t index : needs) r->log.number(index);
}

}  // namespace emu

using namespace emu;

namespace {
constexpr int COPY_DEVICE_TO_HOST = 2, COPY_DEFAULT = 4;  // cudaMemcpyKind

// Page-locked memory is the host's: copies to and from it go over the link.
bool is_page_locked(const void* pointer) {
  const Allocation* a = find_live(reinterpret_cast<uint64_t>(pointer));
  return a ? a->space == EMU_PINNED : is_registered_host(reinterpret_cast<uint64_t>(pointer));
}

bool is_of_device(const void* pointer) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  const Allocation* a = find_live(address);
  return a ? a->space != EMU_PINNED : find_symbol(address) != nullptr;
}

bool is_device_memory(const void* pointer) { return find_live(reinterpret_cast<uint64_t>(pointer)) || find_symbol(reinterpret_cast<uint64_t>(pointer)); }

// Keeps "which bytes are initialised" in step with a host transfer.
void note_written(void* destination, const void* source, size_t bytes) {
  auto to = reinterpret_cast<uint64_t>(destination), from = reinterpret_cast<uint64_t>(source);
  Allocation* target = find_live(to);
  if (!target || target->is_initialised || to + bytes > target->end) return;
  const Allocation* origin = source ? find_live(from) : nullptr;
  if (origin && !origin->is_initialised) return copy_initialised(to, from, bytes);
  if (to == target->begin && bytes == target->size()) target->is_initialised = true;
  else set_initialised(to, bytes);
}
}  // namespace

namespace {
constexpr int INVALID_VALUE = 1;  // cudaErrorInvalidValue

// Whether a host transfer may touch the range: all of one allocation, or memory that is not the device's at all.
bool is_transferable(const void* pointer, size_t bytes) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  ArenaRange range = arena();
  if (bytes == 0 || !in_range(address, range.begin, range.size)) return true;
  const Allocation* a = find_live(address);
  return a && bytes <= a->end - address;
}
}  // namespace

extern "C" int emu_on_copy(void* destination, const void* source, size_t bytes, int kind) {
  if (!is_transferable(destination, bytes) || !is_transferable(source, bytes)) return INVALID_VALUE;
  note_written(destination, source, bytes);
  Recorder* r = recorder();
  if (!r || bytes == 0) return 0;
  std::lock_guard<std::mutex> hold(r->mutex);
  bool from_device = is_device_memory(source), to_device = is_device_memory(destination);
  if (is_upload(destination, source)) write_upload(*r, reinterpret_cast<uint64_t>(destination), source, bytes);
  if (kind != COPY_DEVICE_TO_HOST && kind != COPY_DEFAULT) return 0;
  if (!from_device || (kind == COPY_DEFAULT && to_device)) return 0;
  const EmuSymbol* symbol = find_symbol(reinterpret_cast<uint64_t>(source));
  write_transfer(*r, symbol ? "symbol" : "memcpy", source, bytes, symbol ? symbol->element_type : nullptr);
  return 0;
}

extern "C" int emu_on_memset(void* destination, size_t bytes) {
  if (!is_transferable(destination, bytes)) return INVALID_VALUE;
  note_written(destination, nullptr, bytes);
  return 0;
}

extern "C" void emu_on_copies(const void* destination, const void* source, size_t count, size_t bytes, const void* stream, bool is_waited_for) {
  Recorder* r = recorder();
  bool from_device = is_of_device(source), to_device = is_of_device(destination);
  if (!r || (!from_device && !to_device)) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  const char* kind = !from_device ? "copy_to_device" : to_device ? "copy_on_device" : "copy_to_host";
  bool is_pinned = (from_device || is_page_locked(source)) && (to_device || is_page_locked(destination));
  r->log.item("operation").word(kind).number(count).number(bytes).number(stream_word(stream)).number(is_waited_for).number(is_pinned);
}

extern "C" void emu_on_fills(size_t count, size_t bytes, const void* stream, bool is_waited_for) {
  Recorder* r = recorder();
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  r->log.item("operation").word("fill").number(count).number(bytes).number(stream_word(stream)).number(is_waited_for).number(1);
}

extern "C" void emu_on_order(const char* kind, const void* stream, uint64_t event) {
  Recorder* r = options().replay_directory.empty() ? recorder() : nullptr;
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  r->log.item("order").word(kind).number(stream_word(stream)).number(event);
}

extern "C" void emu_on_call(const char* kind, size_t bytes) {
  Recorder* r = options().replay_directory.empty() ? recorder() : nullptr;
  if (!r) return;
  std::lock_guard<std::mutex> hold(r->mutex);
  r->log.item("call").word(kind).number(bytes);
}

extern "C" void emu_on_synchronize() {
  Recorder* r = recorder();
  if (!r || runs_late()) return;  // what else is still to run has not reached the host
  std::lock_guard<std::mutex> hold(r->mutex);
  snapshot(*r, "managed");
}
