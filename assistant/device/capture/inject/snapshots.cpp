#include "snapshots.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace capture {
namespace {

const size_t ANSWER_BYTES = 2 * sizeof(CUipcMemHandle) + 1;  // hexadecimal, and the end of the line

bool write_all(int pipe, const std::string& line) {
  return write(pipe, line.data(), line.size()) == static_cast<ssize_t>(line.size());  // shorter than PIPE_BUF: whole or not at all
}

bool read_all(int pipe, char* data, size_t bytes) {
  for (ssize_t got = 1; bytes > 0 && got > 0; data += got, bytes -= static_cast<size_t>(got)) got = read(pipe, data, bytes);
  return bytes == 0;
}

int value_of(char digit) { return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1; }

bool parse(const char* digits, CUipcMemHandle& handle) {
  for (size_t i = 0; i < sizeof handle.reserved; ++i) {
    int high = value_of(digits[2 * i]), low = value_of(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    handle.reserved[i] = static_cast<char>(high << 4 | low);
  }
  return true;
}

bool copy(const Region& region, const CUipcMemHandle& handle) {
  CUdeviceptr target = 0;
  if (driver()->ipc_open_mem_handle(&target, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return false;
  CUstream stream = Memory::own_stream();
  bool is_copied = driver()->memcpy_dtod_async(target, region.begin, region.bytes, stream) == CUDA_SUCCESS &&
                   driver()->stream_synchronize(stream) == CUDA_SUCCESS;
  driver()->ipc_close_mem_handle(target);
  return is_copied;
}

}  // namespace

Snapshots::Snapshots(const std::string& folder)
    : asked_(open((folder + "/asked").c_str(), O_WRONLY | O_CLOEXEC)), given_(open((folder + "/given").c_str(), O_RDONLY | O_CLOEXEC)) {}

bool Snapshots::take(const Region& region, const std::string& words) {
  if (asked_ < 0 || given_ < 0) return false;
  char answer[ANSWER_BYTES];
  flock(asked_, LOCK_EX);  // of this program's processes one at a time
  bool is_answered = write_all(asked_, std::to_string(region.bytes) + " " + words + "\n") && read_all(given_, answer, sizeof answer);
  CUipcMemHandle handle;
  bool is_taken = is_answered && parse(answer, handle) && copy(region, handle);
  if (is_answered && parse(answer, handle)) write_all(asked_, is_taken ? "taken\n" : "failed\n");
  flock(asked_, LOCK_UN);
  return is_taken;
}

}  // namespace capture
