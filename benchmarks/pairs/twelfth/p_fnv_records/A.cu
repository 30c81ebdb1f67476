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

__global__ void hash_records(const Record *rec, unsigned *hash, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *p = rec[i].text;
    int len = WIDTH;
    while (len > 0 && p[len - 1] == ' ') len--;
    unsigned h = 2166136261u;
    for (int k = 0; k < len; k++) {
        h ^= p[k];
        h *= 16777619u;
    }
    hash[i] = h;
}

__global__ void count_parts(const unsigned *hash, unsigned *count, unsigned long long *sum, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = hash[i];
    atomicAdd(&count[h % PARTS], 1u);
    atomicAdd(&sum[h % PARTS], (unsigned long long)h);
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

    hash_records<<<(n + 127) / 128, 128>>>(d_rec, d_hash, n);
    count_parts<<<(n + 255) / 256, 256>>>(d_hash, d_count, d_sum, n);
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
