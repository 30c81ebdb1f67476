// Writes the recording: what each kept launch could reach, before and after, and what reached the host. The log's lines are those of
// the emulator (`emulator/runtime/record.h`), with mangled symbols for functions.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "blobs.h"
#include "memory.h"
#include "ran.h"
#include "record_log.h"
#include "snapshots.h"
#include "spread.h"

namespace capture {

struct Options {
  std::string folder;
  uint64_t launch_bytes = 256ull << 20;  // a launch that reaches more is counted only
  uint64_t total_bytes = 2ull << 30;
  uint64_t per_shape = 8;                // launches kept of one kernel with one configuration
  uint64_t per_large_shape = 2;          // of those that reach more than `large_bytes`
  uint64_t large_bytes = 32ull << 20;
  uint64_t alone_bytes = 256ull << 20;   // of those that reach more than this, one of a shape
  bool leaves_libraries_out = false;     // kernels of PyTorch, CuPy and CUDA's own libraries are counted only
  std::string snapshots;                 // folder of the pipes through which snapshots are taken; then nothing else is kept
};

struct Launch {
  CUfunction function = nullptr;
  std::string kernel;  // mangled
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  bool is_cooperative = false;
  unsigned cluster[3] = {1, 1, 1};  // where the launch says so; a kernel that was compiled for clusters keeps them anyway
  const char* declined = nullptr;  // why it cannot be recorded

  bool has_cluster() const { return cluster[0] * cluster[1] * cluster[2] > 1; }
  void set_cluster(const CUlaunchAttributeValue& value) {
    cluster[0] = value.clusterDim.x;
    cluster[1] = value.clusterDim.y;
    cluster[2] = value.clusterDim.z;
  }
};

// A kept launch between its beginning and its end.
struct Kept {
  std::vector<Region> regions;
  std::vector<Bytes> before;  // contents of the regions
  std::vector<std::string> words;  // of each region, where snapshots are taken: whose it is
};

class Recorder {
 public:
  explicit Recorder(const Options& options);
  // Whether contents of another launch like it would be kept.
  bool would_keep(const Launch& launch);
  // Numbers the launch and writes what it starts from; false: it is only counted. All earlier work must have ended.
  bool begin(const Launch& launch, Kept& kept);
  // Writes what it left; all its work must have ended.
  void end(const Kept& kept, bool has_succeeded);
  // `bytes` of `data` on the host came from `source` on the device (0: unknown).
  void transfer(const char* kind, const void* data, size_t bytes, uint64_t source);
  // `bytes` of the host's were copied to the device.
  void uploaded(const void* data, size_t bytes);
  // Memory that the host sees, where it differs from what the host saw last.
  void snapshot(const char* kind);
  void note(const std::string& text) { log_.item("note").text(text.c_str()); }
  void ran(Ran& ran, bool is_timeline) { is_timeline ? ran.write_times(log_) : ran.write_order(log_); }
  void flush() { log_.flush(); }
  void close() { log_.close(); }  // nothing is written any more
  void add_texture(uint64_t handle) { textures_.push_back(handle); }
  void add_tensor_map(const CUtensorMap& map) { tensor_maps_.push_back(map); }

  Symbols symbols;
  Memory memory{symbols};

 private:
  using Shape = std::tuple<std::string, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>;
  struct Pointer { uint64_t container, offset, target, target_offset; };
  struct Argument { const unsigned char* data; size_t bytes; };
  struct Reach;

  static Shape shape_of(const Launch& launch);
  uint64_t identify(const Region& region);
  std::vector<Argument> arguments_of(const Launch& launch);
  const char* reason_to_skip(const Launch& launch);
  bool are_enough(const Launch& launch, uint64_t limit);
  bool has_room() const;
  bool is_left_out(const Launch& launch);
  const char* gather(const Launch& launch, const std::vector<Argument>& arguments, Reach& reach);
  using Find = bool (Memory::*)(uint64_t word, Region&);
  void scan(const unsigned char* data, size_t bytes, uint64_t container, Find find, Reach& reach, std::vector<Pointer>& found);
  void write_header(const char* item, const Launch& launch);
  bool skip(const Launch& launch, const char* reason);
  bool begin_snapshots(const Launch& launch, Kept& kept);
  void write_contents(const char* item, const Region& region, const Bytes& bytes);

  Options options_;
  emu::RecordLog log_;
  emu::BlobFolder blobs_;
  std::map<uint64_t, uint64_t> ids_;         // by the driver's key
  std::map<uint64_t, uint64_t> symbol_ids_;  // by address
  std::map<CUfunction, std::vector<std::pair<size_t, size_t>>> parameters_;  // (offset, size) of each
  std::map<Shape, uint64_t> kept_;  // launches of each shape; of one that is left out as many as are enough
  Spread spread_;
  std::unique_ptr<Snapshots> snapshots_;
  std::map<std::string, uint64_t> numbers_;  // launches of each kernel, while snapshots are taken
  std::map<uint64_t, std::string> last_snapshot_;
  std::vector<CUtensorMap> tensor_maps_;  // each holds an address, in a form that is the driver's own
  std::vector<uint64_t> textures_;
  uint64_t next_id_ = 0;
  int64_t last_launch_ = -1;
  bool is_full_ = false;
};

}  // namespace capture
