// The recording's line-based log.
#pragma once
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace emu {

class RecordLog {
 public:
  // `mode` as of fopen.
  explicit RecordLog(const std::string& path, const char* mode = "w") : file_(fopen(path.c_str(), mode)) {
    if (!file_) fprintf(stderr, "kernelopt: cannot write the recording %s\n", path.c_str());
  }
  RecordLog& item(const char* name) {
    if (file_) fprintf(file_, "%s%s", is_empty_ ? "" : "\n", name);
    is_empty_ = false;
    return *this;
  }
  RecordLog& number(uint64_t value) {
    if (file_) fprintf(file_, " %" PRIu64, value);
    return *this;
  }
  RecordLog& integer(int64_t value) {
    if (file_) fprintf(file_, " %" PRId64, value);
    return *this;
  }
  RecordLog& word(const char* value) {
    if (file_) fprintf(file_, " %s", value);
    return *this;
  }
  // Percent-encoded, so that it holds no space; "-" for none.
  RecordLog& text(const char* value) {
    if (!file_) return *this;
    if (!value || !*value) return word("-");
    fputc(' ', file_);
    for (const char* c = value; *c; ++c)
      if (isalnum(static_cast<unsigned char>(*c)) || *c == '_' || *c == '.' || *c == '/') fputc(*c, file_);
      else fprintf(file_, "%%%02X", static_cast<unsigned char>(*c));
    return *this;
  }
  RecordLog& hex(const void* data, size_t bytes) {
    if (!file_) return *this;
    if (bytes == 0) return word("-");
    fputc(' ', file_);
    for (size_t i = 0; i < bytes; ++i) fprintf(file_, "%02x", static_cast<const unsigned char*>(data)[i]);
    return *this;
  }
  void flush() {
    if (file_) fflush(file_);
  }
  void close() {
    if (file_) fclose(file_);
    file_ = nullptr;
  }

 private:
  FILE* file_;
  bool is_empty_ = true;
};

}  // namespace emu
