#include "ran.h"

#include <algorithm>

namespace capture {
namespace {

constexpr size_t MOST_STEPS = 10'000;  // as of `workload/recorded_order.py`
const char* const LAUNCH = "launch";

void write_kernel(emu::RecordLog& log, const std::string& kernel, const std::array<uint64_t, 7>& shape) {
  if (kernel.empty()) return;
  log.text(kernel.c_str());
  for (uint64_t n : shape) log.number(n);
}

}  // namespace

void Ran::add(Step step) {
  Sum& sum = sums_[{step.kind, step.kernel, step.shape}];
  ++sum.count, sum.bytes += step.bytes, sum.time_ns += step.end_ns - step.start_ns;
  if (!are_too_many()) steps_.push_back(std::move(step));
}

bool Ran::are_too_many() const { return steps_.size() > MOST_STEPS; }

// CUPTI hands in records as they end.
void Ran::sort() {
  std::stable_sort(steps_.begin(), steps_.end(), [](const Step& one, const Step& other) { return one.call < other.call; });
}

void Ran::write_order(emu::RecordLog& log) {
  sort();
  for (const Step& step : steps_) {
    if (are_too_many()) break;
    log.item("asked").word(step.kind.c_str()).number(step.stream).number(step.bytes);
    write_kernel(log, step.kernel, step.shape);
  }
  for (const auto& [what, sum] : sums_) {
    const auto& [kind, kernel, shape] = what;
    if (kind != LAUNCH) continue;
    log.item("time");
    write_kernel(log, kernel, shape);
    log.number(sum.time_ns);
  }
  write_operations(log);
}

void Ran::write_times(emu::RecordLog& log) {
  sort();
  for (const Step& step : steps_) {
    if (are_too_many()) break;
    log.item("step").word(step.kind.c_str()).number(step.stream).number(step.bytes).number(step.start_ns).number(step.end_ns);
    write_kernel(log, step.kernel, step.shape);
  }
  for (const auto& [what, sum] : sums_) {
    const auto& [kind, kernel, shape] = what;
    if (!are_too_many()) break;
    log.item("steps").word(kind.c_str()).number(sum.count).number(sum.time_ns);
    write_kernel(log, kernel, shape);
  }
  write_operations(log);
}

void Ran::write_operations(emu::RecordLog& log) const {
  log.item("sees_operations");
  for (const auto& [what, sum] : sums_)
    if (const auto& kind = std::get<0>(what); kind != LAUNCH) log.item("operation").word(kind.c_str()).number(sum.count).number(sum.bytes);
}

}  // namespace capture
