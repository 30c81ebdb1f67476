// The few functions of NVML that are asked, with NVIDIA's own names and layouts (nvml.h): one GPU, whose processes stand in the file that
// FAKE_NVML names, one "PID BUSY_PERCENT" a line; BUSY_PERCENT "-": this GPU does not tell. FAKE_NVML_SLICES: it is in MIG mode, cut into so
// many slices. FAKE_NVML_SECOND: behind it there is another one, whole. What no driver does: it is for tests.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {
constexpr char kUuid[] = "GPU-11111111-2222-3333-4444-555555555555";
constexpr char kSecondUuid[] = "GPU-33333333-2222-3333-4444-555555555555";
constexpr char kSlice[] = "MIG-22222222-2222-3333-4444-55555555555";  // and its index
constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kInsufficientSize = 7;

struct Row {
    unsigned pid;
    int busy;  // percent; -1: not told
};

void* const kGpu = reinterpret_cast<void*>(0x1);  // slice i: 0x10 + i
void* const kSecond = reinterpret_cast<void*>(0x2);

bool is_whole(void* device) { return device == kGpu || device == kSecond; }
unsigned gpu_count() { return std::getenv("FAKE_NVML_SECOND") ? 2 : 1; }

int slice_count() {  // -1: not in MIG mode
    const char* text = std::getenv("FAKE_NVML_SLICES");
    return text ? std::atoi(text) : -1;
}

std::vector<Row> rows() {
    std::vector<Row> found;
    const char* name = std::getenv("FAKE_NVML");
    std::FILE* file = name ? std::fopen(name, "r") : nullptr;
    if (!file) return found;
    unsigned pid;
    char busy[16];
    while (std::fscanf(file, "%u %15s", &pid, busy) == 2) found.push_back({pid, busy[0] == '-' ? -1 : std::atoi(busy)});
    std::fclose(file);
    return found;
}
}  // namespace

extern "C" {
struct Process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

struct Sample {
    unsigned pid;
    unsigned long long time_us;
    unsigned sm, memory, encoder, decoder;
};

int nvmlInitWithFlags(unsigned) { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
const char* nvmlErrorString(int) { return "an error of the library for tests"; }

struct Memory {
    unsigned long long total, free, used;
};

int nvmlSystemGetDriverVersion(char* out, unsigned size) { return std::snprintf(out, size, "580.95.05"), kSuccess; }
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return *version = 13000, kSuccess; }
int nvmlSystemGetCudaDriverVersion(int* version) { return *version = 13000, kSuccess; }
int nvmlDeviceGetCount_v2(unsigned* count) { return *count = gpu_count(), kSuccess; }
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
    return std::snprintf(out, size, is_whole(device) ? "NVIDIA Test" : "NVIDIA Test MIG 1g.1gb"), kSuccess;
}

int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
    const long slice = reinterpret_cast<long>(device) - 0x10;
    if (is_whole(device)) return std::snprintf(out, size, "%s", device == kGpu ? kUuid : kSecondUuid), kSuccess;
    return std::snprintf(out, size, "%s%ld", kSlice, slice), kSuccess;
}

int nvmlDeviceGetMemoryInfo(void* device, Memory* out) {
    const unsigned long long total = is_whole(device) ? 8ull << 30 : 1ull << 30;
    return *out = {total, total, 0}, kSuccess;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
    if (!is_whole(device)) return kInvalidArgument;  // "for MIG device handles" not supported
    return *major = 9, *minor = 0, kSuccess;
}

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    if (device != kGpu || slice_count() < 0) return kNotSupported;
    return *current = *pending = 1, kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) { return *count = 7, kSuccess; }

int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** slice) {
    if (static_cast<int>(index) >= slice_count()) return kNotFound;
    return *slice = reinterpret_cast<void*>(0x10l + index), kSuccess;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* slice, void** device) {
    if (is_whole(slice)) return kInvalidArgument;
    return *device = kGpu, kSuccess;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    for (long slice = 0; slice < slice_count(); slice++) {
        char name[64];
        std::snprintf(name, sizeof name, "%s%ld", kSlice, slice);
        if (std::strcmp(uuid, name) == 0) return *device = reinterpret_cast<void*>(0x10 + slice), kSuccess;
    }
    if (std::strcmp(uuid, kUuid) != 0) return kNotFound;
    return *device = kGpu, kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index >= gpu_count()) return kInvalidArgument;
    return *device = index == 0 ? kGpu : kSecond, kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* out) {
    const auto found = rows();
    const unsigned room = *count;
    *count = static_cast<unsigned>(found.size());
    if (found.empty()) return kSuccess;
    if (!out || room < found.size()) return kInsufficientSize;
    for (size_t i = 0; i < found.size(); i++) out[i] = {found[i].pid, 1u << 20, 0, 0};
    return kSuccess;
}

int nvmlDeviceGetProcessUtilization(void*, Sample* out, unsigned* count, unsigned long long since_us) {
    std::vector<Row> busy;
    for (const Row& row : rows()) {
        if (row.busy < 0) return kNotSupported;
        if (row.busy > 0) busy.push_back(row);
    }
    if (busy.empty()) return kNotFound;
    const unsigned room = *count;
    *count = static_cast<unsigned>(busy.size());
    if (!out || room < busy.size()) return kInsufficientSize;
    for (size_t i = 0; i < busy.size(); i++) out[i] = {busy[i].pid, since_us + 1, static_cast<unsigned>(busy[i].busy), 0, 0, 0};
    return kSuccess;
}
}
