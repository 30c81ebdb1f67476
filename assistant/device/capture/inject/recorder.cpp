#include "recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace capture {
namespace {

const char* const ENOUGH = "enough launches of this shape";

const char* space_name(Space space) { return space == Space::constant ? "constant" : space == Space::managed ? "managed" : "device"; }

// Mangled names of kernels that PyTorch, CuPy and CUDA's own libraries bring.
bool is_of_a_library(const std::string& kernel) {
  for (const char* start : {"_ZN2at", "_ZN3c10", "_ZN5torch", "_ZN6thrust", "_ZN3cub", "_ZN4cuda", "_ZN7cutlass", "_ZN5cudnn", "_ZN8internal", "cupy_"})
    if (kernel.rfind(start, 0) == 0) return true;
  return false;
}

// Memory may be gone while the process ends: then this fails where a plain copy would be a fault.
bool read_host(const void* data, Bytes& bytes) {
  static const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  size_t done = 0;
  ssize_t got = 1;
  while (memory >= 0 && done < bytes.size() && got > 0) {
    got = pread(memory, bytes.data() + done, bytes.size() - done, static_cast<off_t>(reinterpret_cast<uint64_t>(data) + done));
    if (got > 0) done += static_cast<size_t>(got);
  }
  return done == bytes.size();
}

}  // namespace

struct Recorder::Reach {
  std::vector<Region> regions;
  std::vector<uint64_t> ids;
  std::vector<Bytes> contents;
  std::vector<Pointer> argument_pointers, buffer_pointers;
  uint64_t total_bytes = 0;

  void add(uint64_t id, const Region& region) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return;
    ids.push_back(id);
    regions.push_back(region);
    total_bytes += region.bytes;
  }
};

Recorder::Recorder(const Options& options) : options_(options), log_(options.folder + "/log"), blobs_(options.folder + "/blobs") {
  if (!options.snapshots.empty()) snapshots_ = std::make_unique<Snapshots>(options.snapshots);
}

Recorder::Shape Recorder::shape_of(const Launch& l) {
  return {l.kernel, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.shared_bytes};
}

// The region's id; announces it in the log at its first use.
uint64_t Recorder::identify(const Region& region) {
  auto& ids = region.symbol ? symbol_ids_ : ids_;
  auto [at, is_new] = ids.emplace(region.symbol ? region.begin : region.key, next_id_);
  if (!is_new) return at->second;
  log_.item("buffer").number(next_id_).number(region.begin).number(region.bytes);
  log_.word(region.is_host ? "host" : space_name(region.space));
  log_.text(region.symbol).text(nullptr);
  return next_id_++;
}

std::vector<Recorder::Argument> Recorder::arguments_of(const Launch& launch) {
  auto [known, is_new] = parameters_.try_emplace(launch.function);
  if (is_new) {
    auto kernel = reinterpret_cast<CUkernel>(launch.function);
    size_t offset = 0, bytes = 0;
    for (size_t i = 0; driver()->kernel_get_param_info(kernel, i, &offset, &bytes) == CUDA_SUCCESS ||
                       driver()->func_get_param_info(launch.function, i, &offset, &bytes) == CUDA_SUCCESS; ++i)
      known->second.emplace_back(offset, bytes);
  }
  const unsigned char* packed = nullptr;
  for (void** word = launch.extra; word && *word != CU_LAUNCH_PARAM_END; word += 2)
    if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) packed = static_cast<const unsigned char*>(word[1]);
  std::vector<Argument> arguments;
  for (size_t i = 0; i < known->second.size(); ++i) {
    auto [offset, bytes] = known->second[i];
    const void* data = launch.parameters ? launch.parameters[i] : packed ? packed + offset : nullptr;
    if (data) arguments.push_back({static_cast<const unsigned char*>(data), bytes});
  }
  return arguments;
}

const char* Recorder::reason_to_skip(const Launch& launch) {
  if (launch.declined) return launch.declined;
  if (options_.leaves_libraries_out && is_of_a_library(launch.kernel)) return "it is a library's own kernel";
  if (is_full_) return "recording is full";
  // The second half of the space is for shapes not seen yet.
  bool is_half_full = blobs_.written_bytes() > options_.total_bytes / 2;
  bool is_one_enough = is_half_full || (!has_room() && spread_.has_many(launch.kernel));
  uint64_t limit = is_one_enough ? 1 : has_room() ? options_.per_shape : options_.per_large_shape;
  return are_enough(launch, limit) ? ENOUGH : nullptr;
}

bool Recorder::has_room() const { return blobs_.written_bytes() <= options_.total_bytes / 8; }

// Of a shape that is seen for the first time, for good: whether others of the kernel stand for it.
bool Recorder::is_left_out(const Launch& launch) {
  if (kept_.count(shape_of(launch)) || spread_.keeps_next(launch.kernel, has_room())) return false;
  kept_[shape_of(launch)] = options_.per_shape;
  return true;
}

bool Recorder::are_enough(const Launch& launch, uint64_t limit) {
  auto kept = kept_.find(shape_of(launch));
  return kept != kept_.end() && kept->second >= limit;
}

bool Recorder::would_keep(const Launch& launch) { return !snapshots_ && reason_to_skip(launch) == nullptr; }

void Recorder::scan(const unsigned char* data, size_t bytes, uint64_t container, Find find, Reach& reach, std::vector<Pointer>& found) {
  Region target;
  for (size_t offset = 0; offset + 8 <= bytes; offset += 8) {
    uint64_t word;
    memcpy(&word, data + offset, 8);
    if (word == 0 || !(memory.*find)(word, target)) continue;
    uint64_t id = identify(target);
    found.push_back({container, offset, id, word - target.begin});
    reach.add(id, target);
  }
}

// What the launch can reach, with contents; why not, where that is too much.
const char* Recorder::gather(const Launch& launch, const std::vector<Argument>& arguments, Reach& reach) {
  static const char* const TOO_MUCH = "launch reaches more memory than the limit";
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto is_argument = [&](const CUtensorMap& map) { return arguments[i].bytes == sizeof map && !memcmp(arguments[i].data, &map, sizeof map); };
    if (std::any_of(tensor_maps_.begin(), tensor_maps_.end(), is_argument)) return "a tensor map cannot be captured";
    scan(arguments[i].data, arguments[i].bytes, i, &Memory::find, reach, reach.argument_pointers);
    uint64_t word = 0;
    if (arguments[i].bytes == 8) memcpy(&word, arguments[i].data, 8);
    if (word && std::find(textures_.begin(), textures_.end(), word) != textures_.end()) return "a texture or surface object cannot be captured";
  }
  for (const Region& variable : symbols.of(launch.function, launch.kernel)) reach.add(identify(variable), variable);
  if (reach.total_bytes > options_.launch_bytes) return TOO_MUCH;
  uint64_t most = reach.total_bytes > options_.alone_bytes ? 1 : options_.per_large_shape;
  if (reach.total_bytes > options_.large_bytes && are_enough(launch, most)) return ENOUGH;
  size_t first_level = reach.regions.size();
  for (size_t i = 0; i < reach.regions.size(); ++i) {
    reach.contents.emplace_back();
    if (!Memory::read(reach.regions[i], reach.contents.back())) return "memory that it reaches cannot be read";
    if (i >= first_level) continue;  // one level of pointers inside buffers
    scan(reach.contents[i].data(), reach.contents[i].size(), reach.ids[i], &Memory::find_word, reach, reach.buffer_pointers);
    if (reach.total_bytes > options_.launch_bytes) return TOO_MUCH;
  }
  return nullptr;
}

void Recorder::write_header(const char* item, const Launch& launch) {
  log_.item(item).number(static_cast<uint64_t>(last_launch_)).text(launch.kernel.c_str());
  for (unsigned n : launch.grid) log_.number(n);
  for (unsigned n : launch.block) log_.number(n);
  log_.number(launch.shared_bytes);
}

bool Recorder::skip(const Launch& launch, const char* reason) {
  write_header("skipped", launch);
  log_.text(reason);
  return false;
}

bool Recorder::begin(const Launch& launch, Kept& kept) {
  ++last_launch_;
  symbols.of(launch.function, launch.kernel);
  if (symbols.may_launch(launch.kernel)) log_.item("launching").text(launch.kernel.c_str());
  if (snapshots_) return begin_snapshots(launch, kept);
  if (const char* reason = reason_to_skip(launch)) return skip(launch, reason);
  if (is_left_out(launch)) return skip(launch, "enough shapes of this kernel");
  std::vector<Argument> arguments = arguments_of(launch);
  Reach reach;
  if (const char* reason = gather(launch, arguments, reach)) return skip(launch, reason);
  ++kept_[shape_of(launch)];
  write_header("launch", launch);
  log_.number(0).text(nullptr);  // the launch site is not known
  if (launch.is_cooperative) log_.item("cooperative");
  if (launch.has_cluster()) log_.item("cluster").number(launch.cluster[0]).number(launch.cluster[1]).number(launch.cluster[2]);
  for (const Argument& a : arguments) log_.item("argument").number(a.bytes).hex(a.data, a.bytes);
  for (const Pointer& p : reach.argument_pointers)
    log_.item("argument_pointer").number(p.container).number(p.offset).number(p.target).number(p.target_offset);
  for (const Pointer& p : reach.buffer_pointers)
    log_.item("pointer").number(p.container).number(p.offset).number(p.target).number(p.target_offset);
  for (size_t i = 0; i < reach.regions.size(); ++i) write_contents("before", reach.regions[i], reach.contents[i]);
  log_.flush();  // a kernel that never ends is known by its name
  kept = {std::move(reach.regions), std::move(reach.contents), {}};
  return true;
}

// Of each shape the first launch that reaches too much to be kept otherwise: what its arguments point to.
bool Recorder::begin_snapshots(const Launch& launch, Kept& kept) {
  skip(launch, "a snapshot may be taken of it");
  uint64_t number = numbers_[launch.kernel]++;
  if (launch.declined || !kept_.emplace(shape_of(launch), 1).second) return false;
  Reach reach;
  std::vector<Argument> arguments = arguments_of(launch);
  for (size_t i = 0; i < arguments.size(); ++i)
    scan(arguments[i].data, arguments[i].bytes, i, &Memory::find, reach, reach.argument_pointers);
  if (reach.total_bytes <= options_.launch_bytes) return false;
  for (size_t i = 0; i < reach.regions.size(); ++i) {
    auto is_first = [&](const Pointer& p) { return p.target == reach.ids[i]; };
    const Pointer& p = *std::find_if(reach.argument_pointers.begin(), reach.argument_pointers.end(), is_first);
    if (reach.regions[i].is_host) continue;
    kept.regions.push_back(reach.regions[i]);
    kept.words.push_back(std::to_string(number) + " " + std::to_string(p.container) + " " + std::to_string(p.offset) + " " +
                         std::to_string(p.target_offset) + " " + launch.kernel);
  }
  return true;
}

void Recorder::end(const Kept& kept, bool has_succeeded) {
  for (size_t i = 0; has_succeeded && i < kept.words.size(); ++i) snapshots_->take(kept.regions[i], kept.words[i]);
  if (!kept.words.empty()) return;
  Bytes bytes;
  for (const Region& region : kept.regions) {
    if (!has_succeeded || !Memory::read(region, bytes)) {
      log_.item("failed");
      break;
    }
    write_contents("after", region, bytes);
  }
  log_.flush();
}

void Recorder::write_contents(const char* item, const Region& region, const Bytes& bytes) {
  std::string blob = blobs_.put(bytes.data(), bytes.size());
  if (blob.empty()) log_.item("unwritten").number(static_cast<uint64_t>(errno));
  else log_.item(item).number(identify(region)).word(blob.c_str());
  if (blobs_.written_bytes() > options_.total_bytes) is_full_ = true;
}

void Recorder::transfer(const char* kind, const void* data, size_t bytes, uint64_t source) {
  if (is_full_ || bytes == 0) return;
  Bytes copy(bytes);
  if (!read_host(data, copy)) return;
  Region region;
  bool is_known = source && memory.find(source, region);
  uint64_t id = is_known ? identify(region) : 0;
  std::string blob = blobs_.put(copy.data(), copy.size());
  if (blob.empty()) {
    log_.item("unwritten").number(static_cast<uint64_t>(errno));
    return;
  }
  log_.item("transfer").word(is_known && region.symbol ? "symbol" : kind).word(blob.c_str()).number(bytes).integer(last_launch_);
  log_.text(nullptr).integer(is_known ? static_cast<int64_t>(id) : -1).number(is_known ? source - region.begin : 0);
  if (blobs_.written_bytes() > options_.total_bytes) is_full_ = true;
}

void Recorder::uploaded(const void* data, size_t bytes) {
  Bytes copy(bytes);
  if (bytes > 0 && read_host(data, copy)) log_.item("uploaded").word(emu::BlobFolder::name_of(copy.data(), bytes).c_str());
}

void Recorder::snapshot(const char* kind) {
  for (const auto& [begin, region] : memory.host_visible()) {
    Bytes bytes(region.bytes);
    if (region.bytes > options_.launch_bytes || !read_host(reinterpret_cast<const void*>(begin), bytes)) continue;
    std::string name = emu::BlobFolder::name_of(bytes.data(), bytes.size());
    if (last_snapshot_[begin] == name) continue;
    last_snapshot_[begin] = name;
    transfer(kind, reinterpret_cast<const void*>(begin), region.bytes, begin);
  }
}

}  // namespace capture
