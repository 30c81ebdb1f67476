#include "probes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "options.h"

namespace emu {
namespace {

constexpr const char *INACTIVE_READ = "inactive_lane_read", *INACTIVE_VALUE = "inactive_lane_value", *CONVERGENCE = "convergence_assumed";
// Large of either sign, and zero, read as integers and as floating point numbers of 2, 4 and 8 bytes; no NaN.
constexpr uint64_t INACTIVE_VALUES[] = {0x7B7B7B7B7B7B7B7Bull, 0xFB7BFB7BFB7BFB7Bull, 0};
constexpr double SHORTEST_WALL_S = 2, WALL_PER_FIRST_RUN = 10;

struct Unsettled {
  uint32_t launch_index;
  Problem problem;
};

struct State {
  std::vector<Unsettled> unsettled;
  bool has_block_signals = false;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

bool is_kind(const Problem& problem, const char* kind) { return strcmp(problem.kind, kind) == 0; }

// Reports the withheld problems of `kind`, as `told_as`.
void tell(const char* kind, const char* told_as) {
  for (Unsettled& item : state().unsettled)
    if (is_kind(item.problem, kind)) {
      item.problem.kind = told_as;
      write_late_problem(item.launch_index, item.problem);
    }
}

bool is_withheld(const char* kind) {
  return std::any_of(state().unsettled.begin(), state().unsettled.end(), [&](const Unsettled& item) { return is_kind(item.problem, kind); });
}

class Probing {
 public:
  Probing(const std::function<std::string()>& outcome, double first_s) : outcome_(outcome), before_(options()) {
    options().launch_wall_s = std::min(before_.launch_wall_s, std::max(SHORTEST_WALL_S, WALL_PER_FIRST_RUN * first_s));
  }
  ~Probing() { options() = before_; }
  Probing(const Probing&) = delete;
  Probing& operator=(const Probing&) = delete;

  void reverse_blocks() {
    options().reverses_blocks = true;
    outcome_();
    options().reverses_blocks = false;
  }

  void settle() {
    options().is_quiet = true;
    const std::string usual = outcome_();
    if (is_withheld(INACTIVE_READ)) settle_inactive(usual);
    if (is_withheld(CONVERGENCE)) settle_convergence(usual);
  }

 private:
  // Whether the launches do the same each time: a kernel that reads a clock does not.
  bool is_repeatable(const std::string& usual) { return outcome_() == usual; }

  void settle_inactive(const std::string& usual) {
    bool matters = std::any_of(std::begin(INACTIVE_VALUES), std::end(INACTIVE_VALUES), [&](uint64_t value) {
      options().inactive_value = value;
      return outcome_() != usual;
    });
    options().inactive_value.reset();
    if (matters) tell(INACTIVE_READ, is_repeatable(usual) ? INACTIVE_VALUE : INACTIVE_READ);
  }

  // What depends on the order of lanes and blocks anyway says nothing of the lanes that are found active.
  void settle_convergence(const std::string& usual) {
    options().splits_activemask = true;
    bool matters = outcome_() != usual;
    options().splits_activemask = false;
    if (!matters) return;
    const uint64_t seed = options().seed;
    options().seed = seed ^ 1;
    bool depends_on_order = outcome_() != usual;
    options().seed = seed;
    if (!depends_on_order && is_repeatable(usual)) tell(CONVERGENCE, CONVERGENCE);
  }

  const std::function<std::string()>& outcome_;
  Options before_;
};

}  // namespace

void withhold_unsettled(uint32_t launch_index, LaunchReport& report) {
  const bool is_replay = !options().replay_directory.empty();
  auto is_unsettled = [&](Problem& problem) {
    bool is_read = is_kind(problem, INACTIVE_READ);
    if (!is_read && !is_kind(problem, CONVERGENCE)) return false;
    if (!is_replay) return !is_read;
    state().unsettled.push_back({launch_index, problem});
    return true;
  };
  report.problems.erase(std::remove_if(report.problems.begin(), report.problems.end(), is_unsettled), report.problems.end());
}

void note_block_signals() { state().has_block_signals = true; }

void run_probes(const std::function<std::string()>& outcome, double first_s) {
  Probing probing(outcome, first_s);
  if (state().has_block_signals) probing.reverse_blocks();
  if (!state().unsettled.empty()) probing.settle();
}

}  // namespace emu
