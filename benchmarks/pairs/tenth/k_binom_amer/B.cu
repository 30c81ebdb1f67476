// American options on a Cox-Ross-Rubinstein tree, one block per contract.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

const int STEPS = 255;          // tree has STEPS + 1 leaves

struct Option {
    double spot, strike, rate, yield, vol, years;
    int is_put;
};

void check(cudaError_t rc, int line)
{
    if (rc != cudaSuccess) {
        printf("cuda error at %d: %s\n", line, cudaGetErrorString(rc));
        exit(1);
    }
}
#define C(x) check(x, __LINE__)

__device__ double exercise(const Option &o, double s)
{
    double v = o.is_put ? o.strike - s : s - o.strike;
    return v > 0.0 ? v : 0.0;
}

// Four neighbouring nodes per thread, kept in registers. The value to the right of a
// thread's nodes comes by shuffle, across warps through a double-buffered shared word:
// one barrier per time step. All powers of u are tabulated once per contract.
constexpr int PER = 4;
constexpr int THREADS = 64;
constexpr int WARPS = THREADS / 32;
static_assert(PER * THREADS >= STEPS + 1, "every leaf needs an owner");

__global__ void __launch_bounds__(THREADS) crr(const Option *__restrict__ opts, double *__restrict__ price)
{
    __shared__ double power[2 * STEPS + 1];       // power[k + STEPS] = u^k
    __shared__ double edge[2][WARPS + 1];         // first value of every warp

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const Option o = opts[blockIdx.x];
    const double dt = o.years / STEPS;
    const double lu = o.vol * sqrt(dt);
    const double up = exp(lu), down = exp(-lu);
    const double p = (exp((o.rate - o.yield) * dt) - down) / (up - down);
    const double disc = exp(-o.rate * dt);
    const double wu = disc * p, wd = disc * (1.0 - p);

    for (int k = tid; k <= 2 * STEPS; k += THREADS) power[k] = exp((k - STEPS) * lu);
    if (tid < 2) edge[tid][WARPS] = 0.0;          // right of the last leaf, never used by a live node
    __syncthreads();

    const int j0 = tid * PER;
    double v[PER];
#pragma unroll
    for (int e = 0; e < PER; ++e) {
        int j = j0 + e;
        v[e] = j <= STEPS ? exercise(o, o.spot * power[2 * j]) : 0.0;
    }

    int buf = 0;
    for (int t = STEPS - 1; t >= 0; --t) {
        if (lane == 0) edge[buf][warp] = v[0];
        __syncthreads();
        double right = __shfl_down_sync(0xffffffffu, v[0], 1);
        if (lane == 31) right = edge[buf][warp + 1];
        buf ^= 1;

#pragma unroll
        for (int e = 0; e < PER; ++e) {           // ascending: v[e + 1] is still the old one
            int j = j0 + e;
            if (j <= t) {
                double r = e + 1 < PER ? v[(e + 1) % PER] : right;
                double hold = wu * r + wd * v[e];
                double ex = exercise(o, o.spot * power[2 * j - t + STEPS]);
                v[e] = hold > ex ? hold : ex;
            }
        }
    }
    if (tid == 0) price[blockIdx.x] = v[0];
}

int main()
{
    const int n = 90;
    std::vector<Option> o(n);
    for (int i = 0; i < n; ++i) {
        o[i].spot = 100.0;
        o[i].strike = 70.0 + 2.5 * (i % 25);
        o[i].rate = 0.01 + 0.005 * (i % 9);
        o[i].yield = 0.01 * (i % 4);
        o[i].vol = 0.12 + 0.04 * (i % 7);
        o[i].years = 0.25 * (1 + i % 6);
        o[i].is_put = (i / 3) & 1;
    }

    Option *d_o;
    double *d_p;
    C(cudaMalloc((void **)&d_o, n * sizeof(Option)));
    C(cudaMalloc((void **)&d_p, n * sizeof(double)));
    C(cudaMemcpy(d_o, o.data(), n * sizeof(Option), cudaMemcpyHostToDevice));

    crr<<<n, THREADS>>>(d_o, d_p);
    C(cudaGetLastError());

    std::vector<double> p(n);
    C(cudaMemcpy(p.data(), d_p, n * sizeof(double), cudaMemcpyDeviceToHost));
    double total = 0.0;
    for (int i = 0; i < n; ++i) {
        total += p[i];
        if (i % 15 == 0)
            printf("%s K=%6.2f T=%.2f vol=%.2f : %.8f\n", o[i].is_put ? "put " : "call",
                   o[i].strike, o[i].years, o[i].vol, p[i]);
    }
    printf("sum of prices %.8f\n", total);
    C(cudaFree(d_o));
    C(cudaFree(d_p));
    return 0;
}
