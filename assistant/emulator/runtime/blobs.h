// Content-addressed files: equal bytes are written once.
//
// Named by a fast 128-bit hash; the Python side renames them to the SHA-256 that the recording's format asks for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace emu {

class BlobFolder {
 public:
  explicit BlobFolder(std::string directory);  // creates it
  // The name of the file that holds the bytes; empty if it could not be written.
  std::string put(const void* data, size_t bytes);
  bool holds(const std::string& name) const;
  static std::string name_of(const void* data, size_t bytes);
  uint64_t written_bytes() const { return written_bytes_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  uint64_t written_bytes_ = 0;
};

// Reads exactly so many bytes of a file into memory; false if that fails.
bool read_file(const std::string& path, void* data, size_t bytes);
// Writes the file under a temporary name and renames it; false if that fails.
bool write_file(const std::string& path, const void* data, size_t bytes);

}  // namespace emu
