// Hash partitioning of fixed width text records: FNV-1a over the record's bytes (without
// trailing blanks), then count and sum per partition.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

const int WIDTH = 48;
const int PARTS = 64;

struct Record {
    unsigned char text[WIDTH];
};

#define SAFE(c) if ((c) != cudaSuccess) { printf("%s failed: %s\n", #c, cudaGetErrorString(cudaGetLastError())); return 1; }

const int TPB = 128;

// Coalesced staging of the block's records through shared memory, hashing from there, and the
// per-partition counters are kept in shared memory too, so that hashes are read by nobody else.
__global__ void hash_and_count(const Record *__restrict__ rec, unsigned *__restrict__ hash,
                               unsigned *count, unsigned long long *sum, int n)
{
    __shared__ char tile[TPB][WIDTH + 4];           // padded: no bank conflicts between rows
    __shared__ unsigned cnt[PARTS];
    __shared__ unsigned long long tot[PARTS];

    const int first = blockIdx.x * TPB;
    const int rows = min(TPB, n - first);
    const unsigned char *base = reinterpret_cast<const unsigned char *>(rec + first);
    for (int k = threadIdx.x; k < rows * WIDTH; k += TPB)
        tile[k / WIDTH][k % WIDTH] = (char)base[k];
    for (int p = threadIdx.x; p < PARTS; p += TPB) { cnt[p] = 0; tot[p] = 0; }
    __syncthreads();

    if ((int)threadIdx.x < rows) {
        const char *p = tile[threadIdx.x];
        int len = WIDTH;
        while (len > 0 && p[len - 1] == ' ') len--;
        unsigned h = 2166136261u;
        #pragma unroll 4
        for (int k = 0; k < len; k++) {
            h ^= p[k];
            h *= 16777619u;
        }
        hash[first + threadIdx.x] = h;
        atomicAdd(&cnt[h % PARTS], 1u);
        atomicAdd(&tot[h % PARTS], (unsigned long long)h);
    }
    __syncthreads();

    for (int p = threadIdx.x; p < PARTS; p += TPB)
        if (cnt[p]) {
            atomicAdd(&count[p], cnt[p]);
            atomicAdd(&sum[p], tot[p]);
        }
}

int main()
{
    const int n = 100000;
    std::vector<Record> rec(n);
    const char *town[8] = {"Lisboa", "Porto", "Braga", "Coimbra", "Aveiro", "Faro", "Beja", "Viseu"};
    const char *street[5] = {"Rua Nova", "Rua do Sol", "Avenida da Liberdade", "Travessa do Forno", "Largo"};
    unsigned s = 7;
    for (int i = 0; i < n; i++) {
        s = s * 22695477u + 1u;
        char line[128];
        snprintf(line, sizeof line, "%07u %s %u, %s", (s >> 4) % 9999991u, street[(s >> 8) % 5],
                 (s >> 12) % 400u, town[(s >> 21) % 8]);
        memset(rec[i].text, ' ', WIDTH);
        size_t m = strlen(line);
        memcpy(rec[i].text, line, m < (size_t)WIDTH ? m : (size_t)WIDTH);
    }

    Record *d_rec; unsigned *d_hash, *d_count; unsigned long long *d_sum;
    SAFE(cudaMalloc(&d_rec, n * sizeof(Record)));
    SAFE(cudaMalloc(&d_hash, n * sizeof(unsigned)));
    SAFE(cudaMalloc(&d_count, PARTS * sizeof(unsigned)));
    SAFE(cudaMalloc(&d_sum, PARTS * sizeof(unsigned long long)));
    SAFE(cudaMemcpy(d_rec, rec.data(), n * sizeof(Record), cudaMemcpyHostToDevice));
    SAFE(cudaMemset(d_count, 0, PARTS * sizeof(unsigned)));
    SAFE(cudaMemset(d_sum, 0, PARTS * sizeof(unsigned long long)));

    hash_and_count<<<(n + TPB - 1) / TPB, TPB>>>(d_rec, d_hash, d_count, d_sum, n);
    SAFE(cudaGetLastError());

    std::vector<unsigned> hash(n), count(PARTS);
    std::vector<unsigned long long> sum(PARTS);
    SAFE(cudaMemcpy(hash.data(), d_hash, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(count.data(), d_count, PARTS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(sum.data(), d_sum, PARTS * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
    unsigned x = 0;
    for (int i = 0; i < n; i++) x = (x << 1 | x >> 31) ^ hash[i];
    unsigned lo = ~0u, hi = 0; unsigned long long all = 0;
    for (int p = 0; p < PARTS; p++) {
        if (count[p] < lo) lo = count[p];
        if (count[p] > hi) hi = count[p];
        all += sum[p];
    }
    printf("first %08x last %08x mix %08x, partitions %u..%u, sum %llu\n", hash[0], hash[n - 1], x, lo, hi, all);
    cudaFree(d_rec); cudaFree(d_hash); cudaFree(d_count); cudaFree(d_sum);
    return 0;
}
