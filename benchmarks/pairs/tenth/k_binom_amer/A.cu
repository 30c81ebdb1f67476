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

__global__ void crr(const Option *opts, double *price)
{
    __shared__ double cur[STEPS + 1];
    __shared__ double nxt[STEPS + 1];

    Option o = opts[blockIdx.x];
    double dt = o.years / STEPS;
    double lu = o.vol * sqrt(dt);
    double up = exp(lu), down = exp(-lu);
    double p = (exp((o.rate - o.yield) * dt) - down) / (up - down);
    double disc = exp(-o.rate * dt);
    double wu = disc * p, wd = disc * (1.0 - p);

    for (int j = threadIdx.x; j <= STEPS; j += blockDim.x)
        cur[j] = exercise(o, o.spot * exp((2 * j - STEPS) * lu));
    __syncthreads();

    for (int t = STEPS - 1; t >= 0; --t) {
        for (int j = threadIdx.x; j <= t; j += blockDim.x) {
            double hold = wu * cur[j + 1] + wd * cur[j];
            double ex = exercise(o, o.spot * exp((2 * j - t) * lu));
            nxt[j] = hold > ex ? hold : ex;
        }
        __syncthreads();
        for (int j = threadIdx.x; j <= t; j += blockDim.x) cur[j] = nxt[j];
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = cur[0];
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

    crr<<<n, 128>>>(d_o, d_p);
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
