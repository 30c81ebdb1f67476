// Two ways in. CUDA's driver loads this library into a program (CUDA_INJECTION64_PATH) and calls InitializeInjection: all of the
// program is recorded. Or a process that uses CUDA already loads it by itself and records from kernelopt_capture_begin to …_end.
//
// The first is told by environment variables: KERNELOPT_CAPTURE_FOLDER receives one folder per process with a `log` and `blobs/`;
// KERNELOPT_CAPTURE_LAUNCH_BYTES, …_TOTAL_BYTES and …_PER_SHAPE bound what is kept. With KERNELOPT_CAPTURE_SNAPSHOTS, a folder, nothing is
// kept but what launches above the first of these bounds leave, and that stays on the device (`snapshots.h`). With KERNELOPT_CAPTURE_TIMELINE=1 no call is watched and
// nothing is kept but when kernels, copies and fills ran: the program is not waited for anywhere.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

namespace capture {
namespace {

struct Library {
  std::recursive_mutex mutex;  // a launch that is recorded holds it from its beginning to its end
  Recorder recorder;
  std::map<CUpti_CallbackId, Watched> watched;
  CUpti_SubscriberHandle subscriber = nullptr;
  bool is_open = true;  // guarded by the mutex
  pid_t process = getpid();
  explicit Library(const Options& options) : recorder(options) {}
};

std::atomic<Library*> library{nullptr};  // of a whole program never destroyed: calls come until the process has ended
Library* over = nullptr;                 // the last recording that ended: threads may still be leaving it
thread_local bool is_inside = false;     // our own calls of the driver are not the program's
thread_local int held_count = 0;         // calls that this thread is in and holds the lock for

void handle(Library& to, const CUpti_CallbackData& data, CUpti_CallbackId id) {
  auto found = to.watched.find(id);
  if (found == to.watched.end()) return;
  const Watched& watched = found->second;
  bool is_before = data.callbackSite == CUPTI_API_ENTER;
  Handler handler = is_before ? watched.before : watched.after;
  if (!handler) return;
  bool is_held_between = watched.before && watched.after;  // calls that wait have no handler before
  if (!is_before && is_held_between && held_count == 0) return;  // it began before the recording did
  if (is_before || !is_held_between) {
    to.mutex.lock();
    if (!to.is_open) {  // another thread ended the recording meanwhile
      to.mutex.unlock();
      return;
    }
  }
  if (driver()) {
    RelaxedCapture relaxed;
    CUresult result = is_before ? CUDA_SUCCESS : *static_cast<const CUresult*>(data.functionReturnValue);
    handler(to.recorder, {data.functionParams, result, watched.is_per_thread});
  }
  if (is_held_between) held_count += is_before ? 1 : -1;
  if (!is_before || !is_held_between) to.mutex.unlock();
}

void load(Library& to, const CUpti_ResourceData& data, CUpti_CallbackId id) {
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  std::lock_guard<std::recursive_mutex> hold(to.mutex);
  if (module && module->pCubin) to.recorder.symbols.add_module(module->pCubin, module->cubinSize);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Library* to = library;
  if (!to || to->process != getpid()) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) load(*to, *static_cast<const CUpti_ResourceData*>(data), id);  // our calls load modules too
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (is_inside) return;
  is_inside = true;
  handle(*to, call, id);
  is_inside = false;
}

void finish() {
  Library* to = library;
  if (!to || to->process != getpid()) return;
  is_inside = true;
  std::lock_guard<std::recursive_mutex> hold(to->mutex);
  to->recorder.snapshot("exit");
  write_times(to->recorder);
  to->recorder.flush();
}

uint64_t number(const char* name, uint64_t otherwise) {
  const char* value = getenv(name);
  return value && *value ? strtoull(value, nullptr, 10) : otherwise;
}

Options read_options(const std::string& parent) {
  Options o;
  o.folder = parent + "/" + std::to_string(getpid());
  o.launch_bytes = number("KERNELOPT_CAPTURE_LAUNCH_BYTES", o.launch_bytes);
  o.total_bytes = number("KERNELOPT_CAPTURE_TOTAL_BYTES", o.total_bytes);
  o.per_shape = number("KERNELOPT_CAPTURE_PER_SHAPE", o.per_shape);
  if (const char* snapshots = getenv("KERNELOPT_CAPTURE_SNAPSHOTS")) o.snapshots = snapshots;
  return o;
}

// Why calls cannot be watched; nullptr where they are from now on.
const char* watch(Library& made) {
  CUptiResult result = cuptiSubscribe(&made.subscriber, on_call, nullptr);
  if (result != CUPTI_SUCCESS) {
    const char* reason = nullptr;
    cuptiGetResultString(result, &reason);
    return reason ? reason : "CUPTI does not say why";
  }
  for (const auto* calls : {&launch_calls(), &graph_calls(), &memory_calls()})
    for (const Watched& watched : *calls) {
      made.watched.emplace(watched.id, watched);
      cuptiEnableCallback(1, made.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, watched.id);
    }
  library = &made;
  cuptiEnableCallback(1, made.subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  return nullptr;
}

}  // namespace

// Records all of the program.
bool start() {
  const char* parent = getenv("KERNELOPT_CAPTURE_FOLDER");
  if (!parent || library) return false;
  Options options = read_options(parent);
  if (mkdir(options.folder.c_str(), 0777) != 0) {
    fprintf(stderr, "kernelopt: cannot make %s: launches are not captured\n", options.folder.c_str());
    return false;
  }
  auto* made = new Library(options);
  bool is_timeline = number("KERNELOPT_CAPTURE_TIMELINE", 0) != 0;
  if (is_timeline) {
    library = made;
  } else if (watch(*made)) {
    made->recorder.note("another profiler is attached to the program: nothing was captured");
    made->recorder.flush();
    return false;
  }
  start_times(is_timeline);
  atexit(finish);
  return true;
}

// Records from here on, into a folder that is there. Why not, where it cannot.
const char* begin(const Options& options) {
  if (library) return "launches of this process are being recorded already";
  delete over;
  over = nullptr;
  auto* made = new Library(options);
  const char* reason = watch(*made);
  if (reason) delete made;
  return reason;
}

// Ends what `begin` began, once launches under way are written.
void end() {
  Library* from = library;
  if (!from || from->process != getpid()) return;
  {
    std::lock_guard<std::recursive_mutex> hold(from->mutex);
    from->is_open = false;
    forget_graphs();
    from->recorder.close();
  }
  library = nullptr;
  cuptiUnsubscribe(from->subscriber);
  over = from;
}

}  // namespace capture

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  capture::start();
  return 1;  // CUDA goes on either way
}

// nullptr where it records now, else the reason.
__attribute__((visibility("default"))) const char* kernelopt_capture_begin(const char* folder, uint64_t launch_bytes, uint64_t total_bytes) {
  capture::Options options;
  options.folder = folder;
  options.launch_bytes = launch_bytes;
  options.total_bytes = total_bytes;
  options.leaves_libraries_out = true;
  return capture::begin(options);
}

__attribute__((visibility("default"))) void kernelopt_capture_end() { capture::end(); }

}  // extern "C"
