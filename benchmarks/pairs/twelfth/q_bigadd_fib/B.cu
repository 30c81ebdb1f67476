// Batch of 1024-bit integers: (a, b) -> (b, a + b mod 2^1024), R rounds.
// Also counts the carries that leave the top limb.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

constexpr int LIMBS = 32;

#define CHECK(call)                                                         \
    {                                                                       \
        cudaError_t err = call;                                             \
        if (err != cudaSuccess) {                                           \
            printf("CUDA error %s line %d\n", cudaGetErrorString(err), __LINE__); \
            return 1;                                                       \
        }                                                                   \
    }

// One warp per number, one lane per limb; both numbers stay in registers for all rounds.
__global__ void fib_rounds(uint32_t* __restrict__ A, uint32_t* __restrict__ B, int* __restrict__ overflow,
                           int numbers, int rounds)
{
    const int lane = threadIdx.x & 31;
    const int id = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (id >= numbers) return;              // whole warps leave together
    const size_t at = (size_t)id * LIMBS + lane;
    uint32_t a = A[at];
    uint32_t b = B[at];
    int ovf = 0;
    for (int r = 0; r < rounds; r++) {
        uint32_t s = a + b;
        uint32_t out = s < a;
        // hand the carries to the next limb
        uint32_t in = __shfl_up_sync(0xffffffffu, out, 1);
        if (lane == 0) in = 0;
        s += in;
        uint32_t out2 = s < in;
        // a limb that wrapped because of its carry passes it on
        uint32_t in2 = __shfl_up_sync(0xffffffffu, out2, 1);
        if (lane == 0) in2 = 0;
        s += in2;
        ovf += (int)(out | out2);
        a = b;
        b = s;
    }
    A[at] = a;
    B[at] = b;
    if (lane == LIMBS - 1) overflow[id] = ovf;
}

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

int main()
{
    const int numbers = 3000;
    const int rounds = 24;
    size_t words = (size_t)numbers * LIMBS;
    std::vector<uint32_t> ha(words), hb(words);
    std::vector<int> ho(numbers);
    for (size_t i = 0; i < words; i++) {
        ha[i] = mix((uint32_t)i * 2u + 1u);
        hb[i] = mix((uint32_t)i * 2u + 2u);
    }
    uint32_t *da, *db;
    int* dov;
    CHECK(cudaMalloc(&da, words * 4));
    CHECK(cudaMalloc(&db, words * 4));
    CHECK(cudaMalloc(&dov, numbers * sizeof(int)));
    CHECK(cudaMemcpy(da, ha.data(), words * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, hb.data(), words * 4, cudaMemcpyHostToDevice));

    int threads = 128;
    fib_rounds<<<(numbers * 32 + threads - 1) / threads, threads>>>(da, db, dov, numbers, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(hb.data(), db, words * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(ho.data(), dov, numbers * sizeof(int), cudaMemcpyDeviceToHost));

    uint64_t h = 1469598103934665603ull;
    long total = 0;
    for (size_t i = 0; i < words; i++) h = (h ^ hb[i]) * 1099511628211ull;
    for (int i = 0; i < numbers; i++) total += ho[i];
    printf("hash %016llx, overflows %ld\n", (unsigned long long)h, total);
    cudaFree(da); cudaFree(db); cudaFree(dov);
    return 0;
}
