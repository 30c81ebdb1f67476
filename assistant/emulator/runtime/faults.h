// What ends a launch early: faults of a kernel, device assertions, and the watchdog.
#pragma once
#include <cstdint>

namespace emu {

struct Launch;
struct Worker;

constexpr const char* TIMEOUT_MESSAGE = "the launch was stopped here: it ran too long for the emulator";

void install_fault_handlers();               // once per process
void use_alternate_stack();                  // once per worker
// Stops the workers that still run a launch; called again and again until they have stopped.
void interrupt(Worker& w);

constexpr int CUDA_SUCCESS = 0;              // cudaError_t, CUDA Runtime API, "Data types used by CUDA Runtime"
constexpr int CUDA_ERROR_INVALID_VALUE = 1;
constexpr int CUDA_ERROR_INVALID_CONFIGURATION = 9;
constexpr int CUDA_ERROR_ILLEGAL_ADDRESS = 700;
constexpr int CUDA_ERROR_LAUNCH_TIMEOUT = 702;
constexpr int CUDA_ERROR_ASSERT = 710;
constexpr int CUDA_ERROR_MISALIGNED_ADDRESS = 716;
constexpr int CUDA_ERROR_LAUNCH_FAILURE = 719;
constexpr int CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720;
constexpr int CUDA_ERROR_NOT_SUPPORTED = 801;

}  // namespace emu
