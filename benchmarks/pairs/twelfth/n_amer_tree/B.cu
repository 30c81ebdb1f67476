// American puts on a Cox-Ross-Rubinstein tree. One block prices one option.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define STEPS 180

#define cuTry(x) tryImpl((x), #x, __LINE__)
static void tryImpl(cudaError_t e, const char* s, int line)
{
    if (e) { fprintf(stderr, "[%d] %s : %s\n", line, s, cudaGetErrorString(e)); exit(7); }
}

struct Option { float spot, strike, rate, vol, years; };

// One block prices one option. Level t has nodes 0..t, one thread a node; the values ping-pong
// between two rows of shared memory, so that one barrier a level is enough. The asset prices on
// the tree depend on 2*i-t only: they are tabulated once, 2*STEPS+1 of them.
#define TPB 192
static_assert(TPB >= STEPS + 1, "one thread per terminal node");

__global__ void __launch_bounds__(TPB)
priceAmericanPut(const Option* __restrict__ opts, double* __restrict__ price, double* __restrict__ delta)
{
    __shared__ double val[2][STEPS + 1];
    __shared__ double payoff[2 * STEPS + 1];

    const Option op = opts[blockIdx.x];
    const int i = threadIdx.x;

    const double dt = (double)op.years / STEPS;
    const double sdt = op.vol * sqrt(dt);
    const double u = exp(sdt), d = exp(-sdt);
    const double disc = exp(-(double)op.rate * dt);
    const double pu = (exp((double)op.rate * dt) - d) / (u - d);
    const double a = disc * pu, b = disc * (1.0 - pu);

    for (int e = i; e <= 2 * STEPS; e += TPB)
        payoff[e] = op.strike - op.spot * exp(sdt * (e - STEPS));
    __syncthreads();

    int cur = 0;
    if (i <= STEPS) val[0][i] = fmax(payoff[2 * i], 0.0);
    __syncthreads();

    for (int t = STEPS - 1; t > 0; t--) {
        if (i <= t) {
            double cont = a * val[cur][i + 1] + b * val[cur][i];
            val[cur ^ 1][i] = fmax(payoff[2 * i - t + STEPS], cont);
        }
        cur ^= 1;
        __syncthreads();
    }
    if (i == 0) {
        const double dn = val[cur][0], up = val[cur][1];
        price[blockIdx.x] = fmax(payoff[STEPS], a * up + b * dn);
        delta[blockIdx.x] = (up - dn) / (op.spot * (u - d));
    }
}

int main()
{
    const int n = 90;
    std::vector<Option> h(n);
    for (int i = 0; i < n; i++) {
        h[i].spot = 70.0f + 0.75f * i;
        h[i].strike = 100.0f + (i % 7) - 3.0f;
        h[i].rate = 0.01f + 0.005f * (i % 9);
        h[i].vol = 0.12f + 0.03f * (i % 13);
        h[i].years = 0.25f * (1 + i % 8);
    }
    Option* d_opt;
    double *d_price, *d_delta;
    cuTry(cudaMalloc(&d_opt, n * sizeof(Option)));
    cuTry(cudaMalloc(&d_price, n * sizeof(double)));
    cuTry(cudaMalloc(&d_delta, n * sizeof(double)));
    cuTry(cudaMemcpy(d_opt, h.data(), n * sizeof(Option), cudaMemcpyHostToDevice));

    priceAmericanPut<<<n, TPB>>>(d_opt, d_price, d_delta);
    cuTry(cudaGetLastError());

    std::vector<double> pr(n), de(n);
    cuTry(cudaMemcpy(pr.data(), d_price, n * sizeof(double), cudaMemcpyDeviceToHost));
    cuTry(cudaMemcpy(de.data(), d_delta, n * sizeof(double), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pr[i];
    printf("book value %.8f\n", sum);
    for (int i = 0; i < n; i += 11)
        printf("S %.2f K %.1f  put %.7f  delta %.6f\n", h[i].spot, h[i].strike, pr[i], de[i]);
    cuTry(cudaFree(d_opt));
    cuTry(cudaFree(d_price));
    cuTry(cudaFree(d_delta));
    return 0;
}
