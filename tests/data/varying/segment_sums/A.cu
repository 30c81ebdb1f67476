// Sums and counts per customer over a ledger sorted by customer (CSR offsets).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

// one thread owns one customer
__global__ void segment_sum(const float* amount, const float* rate, const int* offset,
                            int nseg, float* total)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nseg) return;
    float acc = 0.0f;
    for (int i = offset[s]; i < offset[s + 1]; ++i)
        acc += amount[i] * rate[i];
    total[s] = acc;
}

int main()
{
    const int NSEG = 16500;
    std::vector<int> off(NSEG + 1);
    unsigned r = 99u;
    off[0] = 0;
    for (int s = 0; s < NSEG; ++s) {
        r = r * 1103515245u + 12345u;
        int len = (r >> 16) % 17;              // many small customers, some empty
        if (s % 1500 == 700) len = 9000;       // and a few wholesalers
        off[s + 1] = off[s] + len;
    }
    const int n = off[NSEG];
    std::vector<float> amount(n), rate(n);
    std::vector<int> seg(n);
    for (int s = 0; s < NSEG; ++s)
        for (int i = off[s]; i < off[s + 1]; ++i) {
            r = r * 1103515245u + 12345u;
            seg[i] = s;
            amount[i] = 1.0f + ((r >> 12) & 1023) * 0.01f;
            rate[i] = 0.9f + 0.001f * (i % 37);
        }

    float *d_amount, *d_rate, *d_total;
    int* d_off;
    check(cudaMalloc(&d_amount, n * sizeof(float)), "malloc");
    check(cudaMalloc(&d_rate, n * sizeof(float)), "malloc");
    check(cudaMalloc(&d_total, NSEG * sizeof(float)), "malloc");
    check(cudaMalloc(&d_off, (NSEG + 1) * sizeof(int)), "malloc");
    check(cudaMemcpy(d_amount, amount.data(), n * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(d_rate, rate.data(), n * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(d_off, off.data(), (NSEG + 1) * sizeof(int), cudaMemcpyHostToDevice), "h2d");

    segment_sum<<<(NSEG + 127) / 128, 128>>>(d_amount, d_rate, d_off, NSEG, d_total);
    check(cudaGetLastError(), "launch");

    std::vector<float> total(NSEG);
    check(cudaMemcpy(total.data(), d_total, NSEG * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    double sum = 0, mx = 0;
    int arg = 0;
    for (int s = 0; s < NSEG; ++s) {
        sum += total[s];
        if (total[s] > mx) { mx = total[s]; arg = s; }
    }
    printf("rows %d  grand total %.2f  largest %d (%.3f)\n", n, sum, arg, mx);
    for (int s = 698; s < 704; ++s) printf("  customer %d: %.3f\n", s, total[s]);
    cudaFree(d_amount); cudaFree(d_rate); cudaFree(d_total); cudaFree(d_off);
    return 0;
}
