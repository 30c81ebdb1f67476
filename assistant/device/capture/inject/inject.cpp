// Entry point: CUDA's driver loads this library into the program (CUDA_INJECTION64_PATH) and calls InitializeInjection.
//
// Told by environment variables: KERNELOPT_CAPTURE_FOLDER receives one folder per process with a `log` and `blobs/`;
// KERNELOPT_CAPTURE_LAUNCH_BYTES, …_TOTAL_BYTES and …_PER_SHAPE bound what is kept.
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
  pid_t process = getpid();
  explicit Library(const Options& options) : recorder(options) {}
};

Library* library = nullptr;             // never destroyed: calls come until the process has ended
thread_local bool is_inside = false;    // our own calls of the driver are not the program's

void handle(const CUpti_CallbackData& data, CUpti_CallbackId id) {
  auto found = library->watched.find(id);
  if (found == library->watched.end()) return;
  const Watched& watched = found->second;
  bool is_before = data.callbackSite == CUPTI_API_ENTER;
  Handler handler = is_before ? watched.before : watched.after;
  if (!handler) return;
  bool is_held_between = watched.before && watched.after;  // calls that wait have no handler before
  if (is_before || !is_held_between) library->mutex.lock();
  if (driver()) {
    RelaxedCapture relaxed;
    CUresult result = is_before ? CUDA_SUCCESS : *static_cast<const CUresult*>(data.functionReturnValue);
    handler(library->recorder, {data.functionParams, result, watched.is_per_thread});
  }
  if (!is_before || !is_held_between) library->mutex.unlock();
}

void load(const CUpti_ResourceData& data, CUpti_CallbackId id) {
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  std::lock_guard<std::recursive_mutex> hold(library->mutex);
  if (module && module->pCubin) library->recorder.symbols.add_module(module->pCubin, module->cubinSize);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!library || library->process != getpid()) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) load(*static_cast<const CUpti_ResourceData*>(data), id);  // our calls load modules too
  if (domain == CUPTI_CB_DOMAIN_RESOURCE || is_inside) return;
  is_inside = true;
  handle(*static_cast<const CUpti_CallbackData*>(data), id);
  is_inside = false;
}

void finish() {
  if (!library || library->process != getpid()) return;
  is_inside = true;
  std::lock_guard<std::recursive_mutex> hold(library->mutex);
  library->recorder.snapshot("exit");
  write_times(library->recorder);
  library->recorder.flush();
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
  return o;
}

}  // namespace

bool start() {
  const char* parent = getenv("KERNELOPT_CAPTURE_FOLDER");
  if (!parent || library) return false;
  Options options = read_options(parent);
  if (mkdir(options.folder.c_str(), 0777) != 0) {
    fprintf(stderr, "kernelopt: cannot make %s: launches are not captured\n", options.folder.c_str());
    return false;
  }
  CUpti_SubscriberHandle subscriber = nullptr;
  auto* made = new Library(options);
  if (cuptiSubscribe(&subscriber, on_call, nullptr) != CUPTI_SUCCESS) {
    made->recorder.note("another profiler is attached to the program: nothing was captured");
    made->recorder.flush();
    return false;
  }
  for (const auto* calls : {&launch_calls(), &graph_calls(), &memory_calls()})
    for (const Watched& watched : *calls) {
      made->watched.emplace(watched.id, watched);
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, watched.id);
    }
  library = made;
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  start_times();
  atexit(finish);
  return true;
}

}  // namespace capture

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  capture::start();
  return 1;  // CUDA goes on either way
}
