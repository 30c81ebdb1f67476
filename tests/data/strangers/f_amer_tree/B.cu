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

// The exercise test is compiled into the put version only, no pow() in the loop:
// going one level down the tree, the node's asset price grows by one factor u.
template <bool CALL>
__device__ __forceinline__ double rollBack(const Option& o, double (*v)[STEPS + 1])
{
    const int j = threadIdx.x;
    const double dt = o.expiry / STEPS;
    const double u = exp(o.vol * sqrt(dt)), d = 1.0 / u;
    const double disc = exp(-o.rate * dt);
    const double p = (exp((o.rate - o.yield) * dt) - d) / (u - d);
    const double pu = disc * p, pd = disc * (1.0 - p);

    double s = o.spot * pow(u, (double)(2 * j - STEPS));
    double mine = CALL ? fmax(s - o.strike, 0.0) : fmax(o.strike - s, 0.0);
    int cur = 0;
    v[cur][j] = mine;
    __syncthreads();
    for (int level = STEPS - 1; level >= 0; --level) {
        if (j <= level) {
            mine = pu * v[cur][j + 1] + pd * mine;      // own value stays in a register
            if (!CALL) {
                s *= u;
                mine = fmax(mine, o.strike - s);
            }
            v[cur ^ 1][j] = mine;
        }
        cur ^= 1;
        __syncthreads();
    }
    return mine;
}

__global__ void __launch_bounds__(STEPS + 1)
priceTree(const Option* __restrict__ opts, double* __restrict__ price)
{
    __shared__ double v[2][STEPS + 1];
    const Option o = opts[blockIdx.x];
    const double r = o.call ? rollBack<true>(o, v) : rollBack<false>(o, v);
    if (threadIdx.x == 0) price[blockIdx.x] = r;
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
