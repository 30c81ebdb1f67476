#include "replay_case.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <time.h>

#include "blobs.h"
#include "launch_limits.h"
#include "memory.h"
#include "options.h"
#include "partial.h"
#include "probes.h"
#include "record_log.h"
#include "registry.h"
#include "replay_job.h"
#include "shadow.h"

namespace emu {
namespace {

constexpr unsigned char CANARY = 0xC5;
// Repeats that left something else than the first run: how many are kept (enough to show how far results spread), and how much of them.
constexpr unsigned MOST_VARIED = 8;
constexpr uint64_t MOST_VARIED_BYTES = 512 << 20;

struct Placed {
  char* begin = nullptr;
  uint64_t size = 0;
  bool has_guards = false;          // symbols have neighbours instead
};

std::string without_spaces(const std::string& text) {
  std::string result;
  for (char c : text)
    if (c != ' ') result += c;
  return result;
}

std::string base_name(const std::string& name) { return without_spaces(name.substr(0, name.find_first_of("<("))); }

// The kernel at the address, or of that name, or the only one whose name without template and parameter lists is the same.
const EmuKernel* find_kernel(const ReplayLaunch& launch) {
  const EmuKernel* similar = nullptr;
  unsigned similar_count = 0;
  for (const EmuKernel* kernel : kernels())
    if (launch.function && reinterpret_cast<uint64_t>(kernel->function) == launch.function) return kernel;
  for (const EmuKernel* kernel : kernels()) {
    if (without_spaces(kernel->name) == without_spaces(launch.name)) return kernel;
    if (base_name(kernel->name) == base_name(launch.name)) {
      similar = kernel;
      ++similar_count;
    }
  }
  return similar_count == 1 ? similar : nullptr;
}

class Case {
 public:
  Case(const ReplayJob& job, RecordLog& result, BlobFolder& blobs) : job_(job), result_(result), blobs_(blobs) {}

  void run() {
    begin_case();
    if (!place_buffers()) return;
    std::map<uint64_t, std::string> first;
    const double begin_s = now_s();
    for (uint64_t repeat = 0; repeat < std::max<uint64_t>(job_.repeats, 1); ++repeat) {
      options().seed = job_.seed + repeat;
      if (!restore() || !run_launches()) return;
      if (repeat == 0) {
        keep_results(first);
        continue;
      }
      if (report_difference(repeat, first)) keep_varied();
      if (varied_count_ == MOST_VARIED) break;
    }
    result_.item("error").number(static_cast<uint64_t>(error_));
    if (options().mode == Mode::check && !error_) {
      options().seed = job_.seed;
      run_probes([this] { return outcome(); }, now_s() - begin_s);
    }
  }

 private:
  bool fail(const std::string& text) {
    result_.item("failure").text(text.c_str());
    return false;
  }

  static double now_s() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  // Runs the case once more; the same text where it left the same.
  std::string outcome() {
    error_ = 0;
    if (!restore() || !run_launches()) return "not run";
    std::string text = std::to_string(error_);
    for (const auto& [id, place] : placed_) text += ' ' + BlobFolder::name_of(place.begin, place.size);
    emu_reset_device();
    return text;
  }

  bool place_buffers() {
    for (const auto& [id, buffer] : job_.buffers) {
      Placed& place = placed_[id];
      place.size = buffer.size;
      if (!buffer.symbol.empty()) {
        if (const EmuSymbol* symbol = symbol_named(buffer.symbol.c_str())) {
          place.begin = static_cast<char*>(symbol->address);
          place.size = std::min<uint64_t>(place.size, symbol->bytes);
          continue;
        }
      }  // an edit may do without a variable: memory in its place stays as it was
      place.begin = static_cast<char*>(emu_malloc(buffer.size, buffer.space));
      if (!place.begin) return fail("out of device memory");
      place.has_guards = true;
    }
    return true;
  }

  bool restore() {
    for (const auto& [id, buffer] : job_.buffers) {
      Placed& place = placed_[id];
      if (place.has_guards) {
        memset(place.begin - GUARD_BYTES, CANARY, GUARD_BYTES);
        memset(place.begin + place.size, CANARY, GUARD_BYTES);
        clear_initialised(reinterpret_cast<uint64_t>(place.begin), place.size);
      }
      bool is_filled = job_.fill && (buffer.is_poisoned || buffer.contents_path.empty());
      if (is_filled) memset(place.begin, *job_.fill, place.size);
      else if (!buffer.contents_path.empty() && !read_file(buffer.contents_path, place.begin, place.size)) return fail("cannot read " + buffer.contents_path);
      if (!buffer.is_poisoned && !buffer.contents_path.empty()) emu_on_memset(place.begin, place.size);
    }
    for (const ReplayPointer& p : job_.pointers)
      if (!patch(placed_[p.container].begin, placed_[p.container].size, p)) return fail("a pointer lies outside its buffer");
    return true;
  }

  bool patch(void* container, uint64_t size, const ReplayPointer& p) {
    auto target = placed_.find(p.target);
    if (target == placed_.end() || p.offset + sizeof(char*) > size) return false;
    char* address = target->second.begin + p.target_offset;
    memcpy(static_cast<char*>(container) + p.offset, &address, sizeof address);
    return true;
  }

  bool run_launches() {
    for (const ReplayLaunch& launch : job_.launches) {
      const EmuKernel* kernel = find_kernel(launch);
      if (!kernel) return fail("the program has no kernel " + launch.name);
      if (kernel->argument_count != launch.arguments.size())
        return fail("kernel " + launch.name + " takes " + std::to_string(kernel->argument_count) + " arguments, not " + std::to_string(launch.arguments.size()));
      // Arguments are aligned to 16 bytes, CUDA's largest parameter alignment.
      std::vector<std::vector<std::max_align_t>> storage;
      std::vector<void*> arguments;
      std::vector<size_t> sizes;
      for (size_t i = 0; i < launch.arguments.size(); ++i) {
        const auto& bytes = launch.arguments[i];
        if (bytes.size() != kernel->argument_bytes[i])
          return fail("argument " + std::to_string(i) + " of kernel " + launch.name + " has " + std::to_string(kernel->argument_bytes[i]) + " bytes, not " + std::to_string(bytes.size()));
        storage.emplace_back(bytes.size() / sizeof(std::max_align_t) + 1);
        memcpy(storage.back().data(), bytes.data(), bytes.size());
        arguments.push_back(storage.back().data());
        sizes.push_back(bytes.size());
      }
      for (const ReplayPointer& p : launch.pointers)
        if (p.container >= arguments.size() || !patch(arguments[p.container], sizes[p.container], p)) return fail("a pointer lies outside its argument");
      start(*kernel, launch, arguments.data(), sizes.data());
      if (error_) break;
    }
    return true;
  }

  void start(const EmuKernel& kernel, const ReplayLaunch& launch, void** arguments, const size_t* sizes) {
    emu_allow_dynamic_shared(kernel.function, EMU_MAX_DYNAMIC_SHARED_BYTES);
    bool may_sync_grid = fits_at_once(launch.grid, launch.block);  // declared launches do not say whether they are cooperative
    EmuLaunch request{kernel.function, kernel.invoke, arguments, sizes, kernel.argument_count, launch.grid, launch.block, launch.shared_bytes,
                      nullptr, launch.is_cooperative, may_sync_grid, "", 0};
    options().chosen_blocks = launch.chosen_blocks;
    error_ = emu_launch(&request);
  }

  void keep_results(std::map<uint64_t, std::string>& first) {
    for (const auto& [id, place] : placed_) {
      check_guards(id, place);
      std::string blob = job_.is_kept ? blobs_.put(place.begin, place.size) : "";
      if (!blob.empty()) result_.item("after").number(id).word(blob.c_str());
      else if (job_.is_kept) result_.item("unwritten").number(static_cast<uint64_t>(errno));
      if (job_.repeats > 1) first[id].assign(place.begin, place.size);
    }
  }

  void check_guards(uint64_t id, const Placed& place) {
    if (!place.has_guards) return;
    auto first_broken = [&](const char* begin) {
      for (uint64_t i = 0; i < GUARD_BYTES; ++i)
        if (static_cast<unsigned char>(begin[i]) != CANARY) return static_cast<int64_t>(i);
      return int64_t{-1};
    };
    int64_t before = first_broken(place.begin - GUARD_BYTES), behind = first_broken(place.begin + place.size);
    if (before >= 0) result_.item("guard").number(id).integer(before - static_cast<int64_t>(GUARD_BYTES));
    if (behind >= 0) result_.item("guard").number(id).integer(behind + static_cast<int64_t>(place.size));
  }

  // What this repeat left, as further contents beside the first run's; equal buffers of all repeats are one blob.
  void keep_varied() {
    ++varied_count_;
    result_.item("varied");
    for (const auto& [id, place] : placed_) {
      if (kept_bytes_ + place.size > MOST_VARIED_BYTES) continue;
      kept_bytes_ += place.size;
      std::string blob = blobs_.put(place.begin, place.size);
      if (blob.empty()) result_.item("unwritten").number(static_cast<uint64_t>(errno));
      else result_.item("varied_after").number(id).word(blob.c_str());
    }
  }

  // Whether this repeat differs from the first run. Bytes that hold patched pointers are equal: buffers keep their place.
  bool report_difference(uint64_t repeat, const std::map<uint64_t, std::string>& first) {
    for (const auto& [id, place] : placed_) {
      const std::string& reference = first.at(id);
      if (!memcmp(reference.data(), place.begin, place.size)) continue;
      if (varied_count_) return true;
      auto at = static_cast<size_t>(std::mismatch(reference.begin(), reference.end(), place.begin).first - reference.begin());
      result_.item("difference").number(repeat).number(id).number(at).hex(&reference[at], 1).hex(place.begin + at, 1);
      return true;
    }
    return false;
  }

  const ReplayJob& job_;
  RecordLog& result_;
  BlobFolder& blobs_;
  std::map<uint64_t, Placed> placed_;
  unsigned varied_count_ = 0;
  uint64_t kept_bytes_ = 0;
  int error_ = 0;
};

}  // namespace

void run_case(const std::string& job_text, const std::string& result_path, const std::string& blob_directory) {
  RecordLog result(result_path, "ae");
  std::string failure;
  std::optional<ReplayJob> job = read_job(job_text, failure);
  if (!job) {
    result.item("failure").text(failure.c_str()).flush();
    return;
  }
  options().shared_fill = job->shared_fill;
  BlobFolder blobs(blob_directory);
  Case(*job, result, blobs).run();
  result.flush();
}

}  // namespace emu
