// American puts on a Cox-Ross-Rubinstein tree. One thread prices one option.
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

__global__ void priceAmericanPut(const Option* opts, double* price, double* delta, int n)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= n) return;
    Option op = opts[o];
    double v[STEPS + 1];

    double dt = (double)op.years / STEPS;
    double sdt = op.vol * sqrt(dt);
    double u = exp(sdt), d = exp(-sdt);
    double disc = exp(-(double)op.rate * dt);
    double pu = (exp((double)op.rate * dt) - d) / (u - d);
    double a = disc * pu, b = disc * (1.0 - pu);

    for (int i = 0; i <= STEPS; i++) {
        double s = op.spot * exp(sdt * (2 * i - STEPS));
        v[i] = fmax(op.strike - s, 0.0);
    }
    double up = 0, dn = 0;
    for (int t = STEPS - 1; t >= 0; t--) {
        if (t == 0) { dn = v[0]; up = v[1]; }
        for (int i = 0; i <= t; i++) {
            double s = op.spot * exp(sdt * (2 * i - t));
            double cont = a * v[i + 1] + b * v[i];
            v[i] = fmax(op.strike - s, cont);
        }
    }
    price[o] = v[0];
    delta[o] = (up - dn) / (op.spot * (u - d));
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

    priceAmericanPut<<<(n + 31) / 32, 32>>>(d_opt, d_price, d_delta, n);
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
