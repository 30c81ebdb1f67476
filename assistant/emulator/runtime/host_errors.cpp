// Names and texts of errors, and the last error.
#include "host.h"

namespace {
struct ErrorText {
  int value;
  const char *name, *text;
};
#define EMU_ERROR_TEXT(name, value, text) {value, #name, text},
constexpr ErrorText ERRORS[] = {EMU_ERROR_CODES(EMU_ERROR_TEXT)};

const ErrorText* find_error(int value) {
  for (const ErrorText& error : ERRORS)
    if (error.value == value) return &error;
  return nullptr;
}
}  // namespace

extern "C" {
const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* found = find_error(error);
  return found ? found->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* found = find_error(error);
  return found ? found->text : "unrecognized error code";
}
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(emu_last_error(true)); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(emu_last_error(false)); }
}
