// Orders x customers join: customers go into an open addressing table, every
// order is looked up and, if its customer is known, gets the customer's rebate.
// A slot is one 32-bit word: mix32 is a bijection, its low 16 bits choose the slot
// and its high 16 bits are kept as the tag, so the table is half as large and a
// probe is a single load.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

static const uint32_t SLOTS = 1u << 16;
static const uint32_t FREE = 0xffffffffu;       // rebate is never 0xffff

__host__ __device__ inline uint32_t mix32(uint32_t h)
{
    h ^= h >> 16; h *= 0x85ebca6bu;
    h ^= h >> 13; h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

// ids are a primary key: no duplicates. rebate is 0..10000 basis points.
__global__ void build(uint32_t *t, const uint32_t *__restrict__ id, const uint16_t *__restrict__ bp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t h = mix32(id[i]);
    uint32_t word = (h & 0xffff0000u) | bp[i];
    uint32_t s = h & (SLOTS - 1);
    while (atomicCAS(&t[s], FREE, word) != FREE)
        s = (s + 1) & (SLOTS - 1);
}

__global__ void probe(const uint32_t *__restrict__ t, const uint32_t *__restrict__ cust,
                      const int32_t *__restrict__ cents,
                      int32_t *__restrict__ net, unsigned long long *matched, int n)
{
    __shared__ unsigned int hits;
    if (threadIdx.x == 0) hits = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t h = mix32(__ldg(cust + i));
        uint32_t s = h & (SLOTS - 1);
        int32_t c = cents[i], out = c;
        for (;;) {
            uint32_t w = __ldg(t + s);
            if (w == FREE) break;
            if (((w ^ h) >> 16) == 0) {
                out = c - (int32_t)((int64_t)c * (w & 0xffffu) / 10000);
                atomicAdd(&hits, 1u);
                break;
            }
            s = (s + 1) & (SLOTS - 1);
        }
        net[i] = out;
    }

    __syncthreads();
    if (threadIdx.x == 0 && hits) atomicAdd(matched, (unsigned long long)hits);
}

int main()
{
    const int NC = 24000, NO = 200000;
    std::vector<uint32_t> id(NC), cust(NO);
    std::vector<uint16_t> bp(NC);
    std::vector<int32_t> cents(NO), net(NO);
    for (int i = 0; i < NC; i++) { id[i] = 1000003u + 977u * i; bp[i] = (uint16_t)((i * 37) % 2500); }
    uint32_t r = 12345;
    for (int i = 0; i < NO; i++) {
        r = r * 1664525u + 1013904223u;
        uint32_t pick = (r >> 8) % (2 * NC);
        cust[i] = pick < (uint32_t)NC ? id[pick] : 50000017u + pick * 31u;
        cents[i] = 100 + (int32_t)(r % 90000u);
    }

    uint32_t *dT, *dId, *dCust; uint16_t *dBp; int32_t *dC, *dN; unsigned long long *dM;
    CK(cudaMalloc(&dT, SLOTS * sizeof(uint32_t)));
    CK(cudaMalloc(&dId, NC * 4)); CK(cudaMalloc(&dBp, NC * 2));
    CK(cudaMalloc(&dCust, NO * 4)); CK(cudaMalloc(&dC, NO * 4)); CK(cudaMalloc(&dN, NO * 4));
    CK(cudaMalloc(&dM, 8));
    CK(cudaMemcpy(dId, id.data(), NC * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dBp, bp.data(), NC * 2, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dCust, cust.data(), NO * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dC, cents.data(), NO * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(dM, 0, 8));

    CK(cudaMemset(dT, 0xff, SLOTS * sizeof(uint32_t)));
    build<<<(NC + 255) / 256, 256>>>(dT, dId, dBp, NC);
    probe<<<264, 256>>>(dT, dCust, dC, dN, dM, NO);
    CK(cudaGetLastError());

    unsigned long long m = 0;
    CK(cudaMemcpy(net.data(), dN, NO * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&m, dM, 8, cudaMemcpyDeviceToHost));
    long long sum = 0; uint32_t chk = 0;
    for (int i = 0; i < NO; i++) { sum += net[i]; chk = chk * 31u + (uint32_t)net[i]; }
    printf("matched %llu of %d, net %lld cents, check %08x\n", m, NO, sum, chk);
    cudaFree(dT); cudaFree(dId); cudaFree(dBp); cudaFree(dCust); cudaFree(dC); cudaFree(dN); cudaFree(dM);
    return 0;
}
