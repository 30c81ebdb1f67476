// Uploads: copies of the host's own bytes to the device, and other contents in their place.
//
// EMU_UPLOADS names a folder of files, each called as `BlobFolder` calls the bytes that it replaces and as long as they are. So what a
// copy brings depends on nothing but the bytes that the program meant to bring; bytes without a file are copied as they are.
#pragma once
#include <cstddef>
#include <cstdint>

namespace emu {

constexpr uint64_t MOST_RECORDED_UPLOADS = 4096, MOST_UPLOAD_BYTES = uint64_t{64} << 20;  // of one run: more would only be skipped later
constexpr uint64_t MOST_NAMED_UPLOADS = 65536;  // of one run, those that are kept included: a line of the log each

bool is_upload(const void* destination, const void* source);
// Whether one of the 8-byte words is an address on the device.
bool holds_addresses(const void* data, size_t bytes);

}  // namespace emu
