// Replay: instead of the program's main(), runs recorded or declared launches of its kernels.
//
// With EMU_REPLAY=FOLDER the constructor below runs every case of FOLDER/jobs, one child process each, so that a crash or an
// endless loop ends one case only, and exits. Cases run one after another and append to FOLDER/results and FOLDER/report;
// FOLDER/index gets a line for each case when it has ended: where in the two files its part begins and ends, and how it ended:
//   RESULT_BEGIN RESULT_END REPORT_BEGIN REPORT_END STATUS
// A few large files, because making a file costs more than running a small case.
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "options.h"
#include "replay_case.h"
#include "replay_job.h"
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

uint64_t size_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

struct Files {
  std::string results, report, blobs;
};

void run_in_child(const std::string& job, const Files& files) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect_report(files.report.c_str());
  run_case(job, files.results, files.blobs);
  fflush(nullptr);
  _exit(0);
}

void run_all(const std::string& folder) {
  Files files{folder + "/results", folder + "/report", folder + "/blobs"};
  FILE* index = fopen((folder + "/index").c_str(), "we");
  if (!index) return;
  for (const std::string& job : read_jobs(folder + "/jobs")) {
    uint64_t result_begin = size_of(files.results), report_begin = size_of(files.report);
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) run_in_child(job, files);
    std::string status = child < 0 ? "exit 1" : wait_for(child, case_limit_s());
    fprintf(index, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", result_begin, size_of(files.results), report_begin, size_of(files.report),
            status.c_str());
    fflush(index);
  }
  fclose(index);
}

__attribute__((constructor)) void replay_instead_of_main() {
  if (options().replay_directory.empty()) return;
  run_all(options().replay_directory);
  fflush(nullptr);
  _exit(0);
}

}  // namespace
}  // namespace emu
