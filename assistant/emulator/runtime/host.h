// What the host API's files share: how an entry point fails, and what a device fault does to later calls.
#pragma once
#include "abi.h"
#include "emu/runtime_api.h"
#include "streams.h"

namespace emu_host {

// Keeps the error for cudaGetLastError and returns it.
inline cudaError_t fail(cudaError_t error) {
  emu_set_error(error);
  return error;
}

// The error of a kernel that went wrong; it stays with the context, and every later call returns it (CUDA Runtime API, cudaError).
inline cudaError_t device_fault() {
  auto error = static_cast<cudaError_t>(emu_last_error(false));
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return error;
    default:
      return cudaSuccess;
  }
}

// A point at which the host waits for all of the device's work.
inline cudaError_t synchronize() {
  emu::finish_all();
  emu_on_synchronize();
  return device_fault();
}

}  // namespace emu_host
