// SELECT station, count(*), min(reading), max(reading), sum(duration) GROUP BY station
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define STATIONS 96

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); std::exit(2); }
}

struct Agg {
    float *lo;
    float *hi;
    unsigned int *cnt;
    unsigned long long *dur;
};

// native integer atomics on the bit pattern, no CAS loop
__device__ __forceinline__ void atomic_min_f(float *addr, float v)
{
    atomicMin((int *)addr, __float_as_int(v));
}

__device__ __forceinline__ void atomic_max_f(float *addr, float v)
{
    atomicMax((int *)addr, __float_as_int(v));
}

__global__ void init_agg(Agg a)
{
    int g = threadIdx.x;
    if (g < STATIONS) {
        a.lo[g] = INFINITY;
        a.hi[g] = -INFINITY;
        a.cnt[g] = 0;
        a.dur[g] = 0;
    }
}

__global__ void aggregate(const unsigned char *__restrict__ station, const float *__restrict__ reading,
                          const unsigned int *__restrict__ duration, Agg a, int rows)
{
    __shared__ float s_lo[STATIONS], s_hi[STATIONS];
    __shared__ unsigned int s_cnt[STATIONS];
    __shared__ unsigned long long s_dur[STATIONS];

    for (int g = threadIdx.x; g < STATIONS; g += blockDim.x) {
        s_lo[g] = INFINITY;
        s_hi[g] = -INFINITY;
        s_cnt[g] = 0;
        s_dur[g] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        int g = station[i];
        if (g < STATIONS) {                 // rows without a station carry 255
            float v = reading[i];
            atomic_min_f(&s_lo[g], v);
            atomic_max_f(&s_hi[g], v);
            atomicAdd(&s_cnt[g], 1u);
            atomicAdd(&s_dur[g], (unsigned long long)duration[i]);
        }
    }
    __syncthreads();

    for (int g = threadIdx.x; g < STATIONS; g += blockDim.x) {
        if (s_cnt[g] == 0) continue;
        atomic_min_f(&a.lo[g], s_lo[g]);
        atomic_max_f(&a.hi[g], s_hi[g]);
        atomicAdd(&a.cnt[g], s_cnt[g]);
        atomicAdd(&a.dur[g], s_dur[g]);
    }
}

int main()
{
    const int rows = 300001;
    std::vector<unsigned char> st(rows);
    std::vector<float> rd(rows);
    std::vector<unsigned int> du(rows);
    unsigned int x = 2463534242u;
    for (int i = 0; i < rows; ++i) {
        x ^= x << 13; x ^= x >> 17; x ^= x << 5;
        st[i] = (x % 211u == 0) ? 255 : (unsigned char)((x >> 5) % STATIONS);
        rd[i] = 251.0f + 0.001f * (float)((x >> 3) % 60000u) + 0.1f * (float)(st[i] % 7);
        du[i] = (x >> 11) % 5000u;
    }

    unsigned char *dst; float *drd; unsigned int *ddu;
    Agg a;
    check(cudaMalloc(&dst, rows), "malloc station");
    check(cudaMalloc(&drd, rows * sizeof(float)), "malloc reading");
    check(cudaMalloc(&ddu, rows * sizeof(unsigned int)), "malloc duration");
    check(cudaMalloc(&a.lo, STATIONS * sizeof(float)), "malloc lo");
    check(cudaMalloc(&a.hi, STATIONS * sizeof(float)), "malloc hi");
    check(cudaMalloc(&a.cnt, STATIONS * sizeof(unsigned int)), "malloc cnt");
    check(cudaMalloc(&a.dur, STATIONS * sizeof(unsigned long long)), "malloc dur");
    check(cudaMemcpy(dst, st.data(), rows, cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(drd, rd.data(), rows * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(ddu, du.data(), rows * sizeof(unsigned int), cudaMemcpyHostToDevice), "h2d");

    init_agg<<<1, 128>>>(a);
    aggregate<<<132, 512>>>(dst, drd, ddu, a, rows);
    check(cudaGetLastError(), "launch");

    std::vector<float> lo(STATIONS), hi(STATIONS);
    std::vector<unsigned int> cnt(STATIONS);
    std::vector<unsigned long long> dur(STATIONS);
    check(cudaMemcpy(lo.data(), a.lo, STATIONS * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(hi.data(), a.hi, STATIONS * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(cnt.data(), a.cnt, STATIONS * sizeof(unsigned int), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(dur.data(), a.dur, STATIONS * sizeof(unsigned long long), cudaMemcpyDeviceToHost), "d2h");
    double s = 0;
    for (int g = 0; g < STATIONS; ++g) {
        if (g % 16 == 0)
            std::printf("station %2d n=%u min=%.3f max=%.3f dur=%llu\n", g, cnt[g], lo[g], hi[g], dur[g]);
        s += lo[g] + hi[g] + cnt[g] + (double)dur[g];
    }
    std::printf("check %.4f\n", s);
    cudaFree(dst); cudaFree(drd); cudaFree(ddu);
    cudaFree(a.lo); cudaFree(a.hi); cudaFree(a.cnt); cudaFree(a.dur);
    return 0;
}
