#include "options.h"

#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace emu {
namespace {

const char* text(const char* name) {
  const char* value = getenv(name);
  return value && *value ? value : nullptr;
}

uint64_t number(const char* name, uint64_t otherwise) {
  const char* value = text(name);
  return value ? strtoull(value, nullptr, 0) : otherwise;
}

std::optional<uint8_t> byte(const char* name) {
  const char* value = text(name);
  if (!value) return std::nullopt;
  return static_cast<uint8_t>(strtoul(value, nullptr, 0));
}

Mode mode() {
  const char* value = text("EMU_MODE");
  if (value && !strcmp(value, "count")) return Mode::count;
  if (value && !strcmp(value, "check")) return Mode::check;
  return Mode::plain;
}

Options read() {
  Options o;
  unsigned cores = std::thread::hardware_concurrency();
  o.mode = mode();
  o.worker_count = static_cast<unsigned>(number("EMU_WORKERS", cores ? cores : 1));
  if (o.worker_count == 0) o.worker_count = 1;
  o.seed = number("EMU_SEED", 0);
  o.runs_late = number("EMU_LATE", 0) != 0;
  o.sample_blocks = number("EMU_SAMPLE_BLOCKS", 0);
  o.launch_limit = number("EMU_LAUNCH_LIMIT", o.launch_limit);
  o.stack_bytes = number("EMU_STACK_KIB", o.stack_bytes >> 10) << 10;
  if (const char* value = text("EMU_LAUNCH_WALL_S")) o.launch_wall_s = atof(value);
  if (const char* value = text("EMU_CASE_PROCESSOR_S")) o.case_processor_s = atof(value);
  if (const char* value = text("EMU_WHOLE_S")) o.whole_s = atof(value);
  size_t host_bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  o.memory_bytes = number("EMU_MEMORY_BYTES", host_bytes);
  if (const char* value = text("EMU_REPORT")) o.report_path = value;
  if (const char* value = text("EMU_CORRECTIONS")) o.corrections = value;
  if (const char* value = text("EMU_RECORD")) o.record_directory = value;
  if (const char* value = text("EMU_REPLAY")) o.replay_directory = value;
  if (const char* value = text("EMU_UPLOADS")) o.uploads_directory = value;
  o.record_launch_bytes = number("EMU_RECORD_LAUNCH_BYTES", o.record_launch_bytes);
  o.record_total_bytes = number("EMU_RECORD_TOTAL_BYTES", o.record_total_bytes);
  o.record_per_shape = number("EMU_RECORD_PER_SHAPE", o.record_per_shape);
  o.device_fill = byte("EMU_DEVICE_FILL");
  o.shared_fill = byte("EMU_SHARED_FILL");
  return o;
}

}  // namespace

Options& options() {
  static Options& instance = *new Options(read());  // never destroyed: workers outlive main()
  return instance;
}

}  // namespace emu
