#include "report.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "options.h"

namespace emu {
namespace {

using ull = unsigned long long;

struct Output {
  std::mutex mutex;
  FILE* file = nullptr;
  bool is_opened = false;
  uint32_t unreported_count = 0;
};
Output& output() {
  static Output& instance = *new Output;
  return instance;
}

void write_count_at_exit() {
  Output& out = output();
  if (out.file && out.unreported_count) fprintf(out.file, "{\"launch_count\":%u}\n", out.unreported_count);
  if (out.file) fflush(out.file);
}

FILE* file() {
  Output& out = output();
  if (!out.is_opened) {
    out.is_opened = true;
    if (!options().report_path.empty()) out.file = fopen(options().report_path.c_str(), "w");
    atexit(write_count_at_exit);
  }
  return out.file;
}

void write_text(FILE* f, const char* text) {
  fputc('"', f);
  for (const char* c = text ? text : ""; *c; ++c) {
    if (*c == '"' || *c == '\\') fputc('\\', f);
    if (static_cast<unsigned char>(*c) < 0x20) fprintf(f, "\\u%04x", static_cast<unsigned char>(*c));
    else fputc(*c, f);
  }
  fputc('"', f);
}

void write_dim(FILE* f, const char* name, EmuDim3 d) { fprintf(f, ",\"%s\":[%u,%u,%u]", name, d.x, d.y, d.z); }

void write_space(FILE* f, const char* name, const SpaceCounters& c) {
  if (!c.requests) return;
  fprintf(f, ",\"%s\":[%llu,%llu,%llu,%llu,%llu,%llu]", name, static_cast<ull>(c.requests), static_cast<ull>(c.lanes), static_cast<ull>(c.units),
          static_cast<ull>(c.ideal_units), static_cast<ull>(c.tags), static_cast<ull>(c.passes));
}

void write_site(FILE* f, const Site& s) {
  fprintf(f, "{\"pc\":%u,\"kind\":%u,\"size\":%u", s.kind & EVENT_FUSED ? s.pc - 1 : s.pc, s.kind, s.size_bytes);
  write_space(f, "global", s.global);
  write_space(f, "shared", s.shared);
  write_space(f, "local", s.local);
  write_space(f, "constant", s.constant);
  if (s.doubtful_requests) fprintf(f, ",\"doubtful\":%llu", static_cast<ull>(s.doubtful_requests));
  if (s.serial_wavefronts) fprintf(f, ",\"serial\":%llu", static_cast<ull>(s.serial_wavefronts));
  if (s.executions) fprintf(f, ",\"executions\":%llu,\"lanes\":%llu", static_cast<ull>(s.executions), static_cast<ull>(s.lanes));
  if (s.is_unordered) fputs(",\"unordered\":true", f);
  if (s.divergences) fprintf(f, ",\"divergences\":%llu", static_cast<ull>(s.divergences));
  fputc('}', f);
}

void write_problem(FILE* f, const Problem& p) {
  fprintf(f, "{\"kind\":\"%s\",\"pc\":%u,\"other_pc\":%u,\"address\":%llu,\"block\":[%u,%u,%u],\"thread\":[%u,%u,%u],\"count\":%llu,\"argument\":%d,\"offset\":%lld,\"message\":", p.kind,
          p.pc, p.other_pc, static_cast<ull>(p.address), p.block[0], p.block[1], p.block[2], p.thread[0], p.thread[1], p.thread[2],
          static_cast<ull>(p.count), p.argument, static_cast<long long>(p.offset));
  write_text(f, p.message.c_str());
  fputc('}', f);
}

// Flushing every entry would cost more than a small launch; a program that is killed loses the last moments at most.
void flush_now_and_then(FILE* f, bool is_urgent) {
  constexpr auto PERIOD = std::chrono::milliseconds(20);
  static auto last = std::chrono::steady_clock::time_point{};
  auto now = std::chrono::steady_clock::now();
  if (!is_urgent && now - last < PERIOD) return;
  last = now;
  fflush(f);
}

}  // namespace

void write_launch(uint32_t index, const EmuLaunch& request, const LaunchReport& report) {
  std::lock_guard<std::mutex> hold(output().mutex);
  FILE* f = file();
  if (!f) return;
  fprintf(f, "{\"launch\":%u,\"function\":%llu,\"line\":%d,\"file\":", index, static_cast<ull>(reinterpret_cast<uint64_t>(request.function)), request.line);
  write_text(f, request.file);
  write_dim(f, "grid", request.grid);
  write_dim(f, "block", request.block);
  fprintf(f, ",\"shared_bytes\":%zu,\"error\":%d,\"blocks_counted\":%llu,\"unique_sectors\":%llu", request.shared_bytes, report.error,
          static_cast<ull>(report.blocks_counted), static_cast<ull>(report.grid_unique_sectors));
  fprintf(f, ",\"blocks_run\":%llu,\"block_unique_sectors\":%llu,\"atomic_unique_sectors\":%llu", static_cast<ull>(report.blocks_run), static_cast<ull>(report.block_unique_sectors),
          static_cast<ull>(report.atomic_unique_sectors));
  const Steps& steps = report.steps;
  fprintf(f, ",\"steps\":[%llu,%llu,%llu,%.0f],\"sites\":[", static_cast<ull>(steps.sum), static_cast<ull>(steps.longest_warp),
          static_cast<ull>(steps.longest_block), steps.block_squares);
  const char* separator = "";
  for (const auto& [pc, site] : report.sites) {
    fputs(separator, f);
    write_site(f, site);
    separator = ",";
  }
  fputs("],\"problems\":[", f);
  separator = "";
  for (const Problem& problem : report.problems) {
    fputs(separator, f);
    write_problem(f, problem);
    separator = ",";
  }
  fputs("]}\n", f);
  flush_now_and_then(f, !report.problems.empty());
}

void flush_report() {
  std::lock_guard<std::mutex> hold(output().mutex);
  write_count_at_exit();
}

void write_late_problem(uint32_t index, const Problem& problem) {
  std::lock_guard<std::mutex> hold(output().mutex);
  FILE* f = file();
  if (!f) return;
  fprintf(f, "{\"late\":%u,\"problem\":", index);
  write_problem(f, problem);
  fputs("}\n", f);
  fflush(f);
}

void note_launch_count(uint32_t count) {
  file();
  output().unreported_count = count;
}

void redirect_report(const char* path) {
  std::lock_guard<std::mutex> hold(output().mutex);
  file();
  if (output().file) fclose(output().file);
  output().file = fopen(path, "a");
}

}  // namespace emu

extern "C" int emu_unsupported(const char* name) {
  using namespace emu;
  constexpr int NOT_SUPPORTED = 801;
  static auto& seen = *new std::set<std::string>;
  std::lock_guard<std::mutex> hold(output().mutex);
  if (seen.insert(name).second) {
    if (FILE* f = file()) {
      fputs("{\"unsupported\":", f);
      write_text(f, name);
      fputs("}\n", f);
      fflush(f);
    } else {
      fprintf(stderr, "emulator: %s is not supported\n", name);
    }
  }
  return NOT_SUPPORTED;
}
