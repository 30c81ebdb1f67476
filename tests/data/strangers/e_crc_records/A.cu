// CRC-32 (IEEE, reflected) of variable-length records of a log segment; reports the records whose stored
// checksum does not agree.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(stmt)                                                                   \
    do {                                                                                \
        cudaError_t st = (stmt);                                                        \
        if (st != cudaSuccess) {                                                        \
            fprintf(stderr, "%s(%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(st)); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__constant__ uint32_t c_table[256];

static void makeTable(uint32_t *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        t[i] = c;
    }
}

// record r occupies bytes start[r] .. start[r+1]-1; any length, any alignment
__global__ void crcRecords(const uint8_t *data, const uint32_t *start, int n, uint32_t *crc)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    uint32_t c = 0xFFFFFFFFu;
    for (uint32_t i = start[r]; i < start[r + 1]; i++)
        c = c_table[(c ^ data[i]) & 0xFF] ^ (c >> 8);
    crc[r] = ~c;
}

__global__ void verify(const uint32_t *crc, const uint32_t *stored, int n, int *bad)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n && crc[r] != stored[r]) atomicAdd(bad, 1);
}

static uint32_t hostCrc(const uint32_t *t, const uint8_t *p, size_t n)
{
    uint32_t c = 0xFFFFFFFFu;
    while (n--) c = t[(c ^ *p++) & 0xFF] ^ (c >> 8);
    return ~c;
}

int main()
{
    const int n = 24000;
    uint32_t table[256];
    makeTable(table);
    CUDA_OK(cudaMemcpyToSymbol(c_table, table, sizeof table));

    std::vector<uint8_t> data;
    std::vector<uint32_t> start, stored;
    uint32_t s = 4711;
    for (int r = 0; r < n; r++) {
        start.push_back((uint32_t)data.size());
        s = s * 1664525u + 1013904223u;
        int len = (s >> 20) % 9 == 0 ? (int)(s >> 24) % 8 : 30 + (int)((s >> 12) % 240);
        for (int i = 0; i < len; i++) { s = s * 1664525u + 1013904223u; data.push_back((uint8_t)(s >> 23)); }
        stored.push_back(hostCrc(table, data.data() + start[r], (size_t)len));
        if (r % 5000 == 77 && len > 0) data[start[r] + len / 2] ^= 0x10;      // bit rot
    }
    start.push_back((uint32_t)data.size());

    uint8_t *dData; uint32_t *dStart, *dStored, *dCrc; int *dBad, bad;
    CUDA_OK(cudaMalloc(&dData, data.size()));
    CUDA_OK(cudaMalloc(&dStart, (n + 1) * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&dStored, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&dCrc, n * sizeof(uint32_t)));
    CUDA_OK(cudaMalloc(&dBad, sizeof(int)));
    CUDA_OK(cudaMemcpy(dData, data.data(), data.size(), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dStart, start.data(), (n + 1) * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dStored, stored.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(dBad, 0, sizeof(int)));

    crcRecords<<<(n + 127) / 128, 128>>>(dData, dStart, n, dCrc);
    verify<<<(n + 127) / 128, 128>>>(dCrc, dStored, n, dBad);
    CUDA_OK(cudaGetLastError());
    std::vector<uint32_t> crc(n);
    CUDA_OK(cudaMemcpy(crc.data(), dCrc, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(&bad, dBad, sizeof(int), cudaMemcpyDeviceToHost));
    uint32_t x = 0;
    for (uint32_t c : crc) x = (x << 1 | x >> 31) ^ c;
    printf("%d records, %zu bytes, %d corrupt, crc[0]=%08x crc[1]=%08x all=%08x\n", n, data.size(), bad, crc[0], crc[1], x);
    cudaFree(dData); cudaFree(dStart); cudaFree(dStored); cudaFree(dCrc); cudaFree(dBad);
    return 0;
}
