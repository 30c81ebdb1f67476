#include "blobs.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace emu {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct Hash { uint64_t high, low; };

// Multiply-and-fold over 32-byte steps, two independent lanes; for telling contents apart, not for security.
Hash hash(const void* data, size_t bytes) {
  constexpr uint64_t K0 = 0x9E3779B97F4A7C15ull, K1 = 0xC2B2AE3D27D4EB4Full, K2 = 0x165667B19E3779F9ull, K3 = 0xD6E8FEB86659FD93ull;
  const char* at = static_cast<const char*>(data);
  uint64_t a = bytes ^ K0, b = bytes ^ K1, word[4];
  size_t left = bytes;
  for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    memcpy(word, at, sizeof word);
    a = mix(a ^ word[0] ^ K2, word[1] ^ K0) + word[2];
    b = mix(b ^ word[2] ^ K3, word[3] ^ K1) + word[0];
  }
  memset(word, 0, sizeof word);
  memcpy(word, at, left);
  a = mix(a ^ word[0] ^ K2, word[1] ^ K0) + word[2];
  b = mix(b ^ word[2] ^ K3, word[3] ^ K1) + word[0];
  return {mix(a ^ K3, b ^ K2), mix(a ^ K1, b + K0)};
}

}  // namespace

BlobFolder::BlobFolder(std::string directory) : directory_(std::move(directory)) { mkdir(directory_.c_str(), 0777); }

std::string BlobFolder::name_of(const void* data, size_t bytes) {
  Hash h = hash(data, bytes);
  char name[48];
  snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(h.high), static_cast<unsigned long long>(h.low));
  return name;
}

bool BlobFolder::holds(const std::string& name) const { return access((directory_ + "/" + name).c_str(), F_OK) == 0; }

std::string BlobFolder::put(const void* data, size_t bytes) {
  std::string name = name_of(data, bytes);
  if (holds(name)) return name;
  if (!write_file(directory_ + "/" + name, data, bytes)) return "";
  written_bytes_ += bytes;
  return name;
}

bool read_file(const std::string& path, void* data, size_t bytes) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  auto* at = static_cast<char*>(data);
  ssize_t got = 1;
  while (bytes && (got = read(file, at, bytes)) > 0) {
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  close(file);
  return bytes == 0;
}

bool write_file(const std::string& path, const void* data, size_t bytes) {
  std::string temporary = path + ".tmp";
  int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const auto* at = static_cast<const char*>(data);
  ssize_t put = 1;
  while (bytes && (put = write(file, at, bytes)) > 0) {
    at += put;
    bytes -= static_cast<size_t>(put);
  }
  bool is_complete = bytes == 0 && close(file) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
  int error = errno;
  if (!is_complete) unlink(temporary.c_str());
  errno = error;  // for the caller to tell
  return is_complete;
}

}  // namespace emu
