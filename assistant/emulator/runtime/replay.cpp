// Replay: instead of the program's main(), runs recorded or declared launches of its kernels.
//
// With EMU_REPLAY=FOLDER the constructor below runs every FOLDER/case-N.job, one child process each, so that a crash or an
// endless loop ends one case only, and exits. A case leaves case-N.result, case-N.report and case-N.status.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "replay_case.h"
#include "report.h"

namespace emu {
namespace {

double now_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double case_limit_s() {
  const char* value = getenv("EMU_CASE_WALL_S");
  return value ? atof(value) : 1e9;
}

// Waits for the child; kills it at its limit. Returns "exit N", "signal N" or "timeout".
std::string wait_for(pid_t child, double limit_s) {
  constexpr long LONGEST_PAUSE_NS = 20'000'000;
  double deadline = now_s() + limit_s;
  for (long pause_ns = 100'000;; pause_ns = pause_ns * 2 < LONGEST_PAUSE_NS ? pause_ns * 2 : LONGEST_PAUSE_NS) {
    int status;
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit " + std::to_string(WEXITSTATUS(status));
    if (done < 0 && errno != EINTR) return "exit 1";
    if (now_s() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "timeout";
    }
    timespec pause{0, pause_ns};
    nanosleep(&pause, nullptr);
  }
}

void run_in_child(const std::string& stem, const std::string& blobs) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect_report((stem + ".report").c_str());
  run_case(stem + ".job", stem + ".result", blobs);
  fflush(nullptr);
  _exit(0);
}

void run_all(const std::string& folder) {
  for (unsigned i = 0;; ++i) {
    std::string stem = folder + "/case-" + std::to_string(i);
    if (access((stem + ".job").c_str(), R_OK) != 0) return;
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) run_in_child(stem, folder + "/blobs");
    std::string status = child < 0 ? "exit 1" : wait_for(child, case_limit_s());
    if (FILE* f = fopen((stem + ".status").c_str(), "w")) {
      fputs(status.c_str(), f);
      fclose(f);
    }
  }
}

__attribute__((constructor)) void replay_instead_of_main() {
  if (options().replay_directory.empty()) return;
  run_all(options().replay_directory);
  fflush(nullptr);
  _exit(0);
}

}  // namespace
}  // namespace emu
