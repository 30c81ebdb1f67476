// Runs one case of a replay in this process.
#pragma once
#include <string>

namespace emu {

// Reads the job, runs it and appends what came of it to the file of results, one item per line:
//   failure TEXT                        the case could not be run
//   error CODE                          cudaError_t of the first launch that failed, 0 if none
//   guard BUFFER OFFSET                 a byte outside the buffer was overwritten (offset from its start, may be negative)
//   after BUFFER BLOB                   contents after the last launch, in the folder `blobs`
//   difference REPEAT BUFFER OFFSET HEX HEX    first byte in which a repeat differs from the first run
void run_case(const std::string& job_text, const std::string& result_path, const std::string& blob_directory);

}  // namespace emu
