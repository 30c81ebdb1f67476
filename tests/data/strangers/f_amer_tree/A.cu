// Batch of American options on a CRR tree; one block per option, one thread per node.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static inline void must(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); abort(); } }

struct Option {
    double spot, strike, rate, yield, vol, expiry;   // yield: continuous dividend yield
    int call;                                        // 1 call, 0 put
};

constexpr int STEPS = 191;          // 192 leaves

__device__ double intrinsic(const Option& o, double s)
{
    return o.call ? fmax(s - o.strike, 0.0) : fmax(o.strike - s, 0.0);
}

__global__ void priceTree(const Option* opts, double* price)
{
    __shared__ double v[2][STEPS + 1];
    const Option o = opts[blockIdx.x];
    const int j = threadIdx.x;
    const double dt = o.expiry / STEPS;
    const double u = exp(o.vol * sqrt(dt)), d = 1.0 / u;
    const double disc = exp(-o.rate * dt);
    const double p = (exp((o.rate - o.yield) * dt) - d) / (u - d);

    int cur = 0;
    v[cur][j] = intrinsic(o, o.spot * pow(u, (double)(2 * j - STEPS)));
    __syncthreads();
    for (int level = STEPS - 1; level >= 0; --level) {
        if (j <= level) {
            double hold = disc * (p * v[cur][j + 1] + (1.0 - p) * v[cur][j]);
            double now = intrinsic(o, o.spot * pow(u, (double)(2 * j - level)));
            v[cur ^ 1][j] = fmax(hold, now);
        }
        cur ^= 1;
        __syncthreads();
    }
    if (j == 0) price[blockIdx.x] = v[cur][0];
}

int main()
{
    const int n = 300;
    std::vector<Option> o(n);
    for (int i = 0; i < n; ++i) {
        o[i].call   = (i % 3) == 0;
        o[i].spot   = 80.0 + (i * 37 % 41);
        o[i].strike = 100.0;
        o[i].rate   = 0.01 + 0.005 * (i % 5);
        o[i].yield  = o[i].call ? 0.0 : 0.004 * (i % 4);
        o[i].vol    = 0.15 + 0.01 * (i % 17);
        o[i].expiry = 0.25 + 0.25 * (i % 7);
    }
    Option* dOpt; double* dPrice;
    must(cudaMalloc(&dOpt, n * sizeof(Option)));
    must(cudaMalloc(&dPrice, n * sizeof(double)));
    must(cudaMemcpy(dOpt, o.data(), n * sizeof(Option), cudaMemcpyHostToDevice));
    priceTree<<<n, STEPS + 1>>>(dOpt, dPrice);
    must(cudaGetLastError());
    std::vector<double> pr(n);
    must(cudaMemcpy(pr.data(), dPrice, n * sizeof(double), cudaMemcpyDeviceToHost));
    double calls = 0, puts = 0;
    for (int i = 0; i < n; ++i) (o[i].call ? calls : puts) += pr[i];
    printf("calls %.6f  puts %.6f\n", calls, puts);
    for (int i = 0; i < 6; ++i) printf("  %s S=%.0f  %.6f\n", o[i].call ? "call" : "put ", o[i].spot, pr[i]);
    must(cudaFree(dOpt));
    must(cudaFree(dPrice));
    return 0;
}
