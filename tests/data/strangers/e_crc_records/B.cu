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

#define SLICES 8

static void makeTable(uint32_t (*t)[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        t[0][i] = c;
    }
    for (int s = 1; s < SLICES; s++)
        for (int i = 0; i < 256; i++) t[s][i] = t[0][t[s - 1][i] & 0xFF] ^ (t[s - 1][i] >> 8);
}

// Slicing-by-8: eight bytes per step out of two aligned words, tables in shared memory (the indices of a warp
// differ, which constant memory would serialise). Checking against the stored value is fused in.
// record r occupies bytes start[r] .. start[r+1]-1; any length, any alignment
__global__ void __launch_bounds__(128)
crcRecords(const uint8_t *__restrict__ data, const uint32_t *__restrict__ start, int n,
           const uint32_t (*__restrict__ table)[256], const uint32_t *__restrict__ stored,
           uint32_t *__restrict__ crc, int *bad)
{
    __shared__ uint32_t T[SLICES][256];
    for (int i = threadIdx.x; i < SLICES * 256; i += blockDim.x) T[i >> 8][i & 255] = table[i >> 8][i & 255];
    __syncthreads();

    int r = blockIdx.x * blockDim.x + threadIdx.x;
    bool wrong = false;
    if (r < n) {
        uint32_t i = start[r];
        const uint32_t end = start[r + 1];
        uint32_t c = 0xFFFFFFFFu;
        while (i < end && (i & 3)) { c = T[0][(c ^ data[i]) & 0xFF] ^ (c >> 8); i++; }
        while (end - i >= 8) {
            uint32_t lo = *reinterpret_cast<const uint32_t *>(data + i) ^ c;
            uint32_t hi = *reinterpret_cast<const uint32_t *>(data + i + 4);
            c = T[7][lo & 0xFF] ^ T[6][(lo >> 8) & 0xFF] ^ T[5][(lo >> 16) & 0xFF] ^ T[4][lo >> 24]
              ^ T[3][hi & 0xFF] ^ T[2][(hi >> 8) & 0xFF] ^ T[1][(hi >> 16) & 0xFF] ^ T[0][hi >> 24];
            i += 8;
        }
        for (; i < end; i++) c = T[0][(c ^ data[i]) & 0xFF] ^ (c >> 8);
        c = ~c;
        crc[r] = c;
        wrong = c != stored[r];
    }
    int k = __syncthreads_count(wrong);
    if (threadIdx.x == 0 && k) atomicAdd(bad, k);
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
    static uint32_t table[SLICES][256];
    makeTable(table);
    uint32_t (*dTable)[256];
    CUDA_OK(cudaMalloc(&dTable, sizeof table));
    CUDA_OK(cudaMemcpy(dTable, table, sizeof table, cudaMemcpyHostToDevice));

    std::vector<uint8_t> data;
    std::vector<uint32_t> start, stored;
    uint32_t s = 4711;
    for (int r = 0; r < n; r++) {
        start.push_back((uint32_t)data.size());
        s = s * 1664525u + 1013904223u;
        int len = (s >> 20) % 9 == 0 ? (int)(s >> 24) % 8 : 30 + (int)((s >> 12) % 240);
        for (int i = 0; i < len; i++) { s = s * 1664525u + 1013904223u; data.push_back((uint8_t)(s >> 23)); }
        stored.push_back(hostCrc(table[0], data.data() + start[r], (size_t)len));
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

    crcRecords<<<(n + 127) / 128, 128>>>(dData, dStart, n, dTable, dStored, dCrc, dBad);
    CUDA_OK(cudaGetLastError());
    std::vector<uint32_t> crc(n);
    CUDA_OK(cudaMemcpy(crc.data(), dCrc, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(&bad, dBad, sizeof(int), cudaMemcpyDeviceToHost));
    uint32_t x = 0;
    for (uint32_t c : crc) x = (x << 1 | x >> 31) ^ c;
    printf("%d records, %zu bytes, %d corrupt, crc[0]=%08x crc[1]=%08x all=%08x\n", n, data.size(), bad, crc[0], crc[1], x);
    cudaFree(dTable); cudaFree(dData); cudaFree(dStart); cudaFree(dStored); cudaFree(dCrc); cudaFree(dBad);
    return 0;
}
