// Sums and counts per customer over a ledger sorted by customer.
// Load balanced: one thread per row, segmented warp reduction, one atomic per run.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

__global__ void segment_sum(const float* __restrict__ amount, const float* __restrict__ rate,
                            const int* __restrict__ seg, int n, float* __restrict__ total)
{
    const unsigned FULL = 0xffffffffu;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;

    int   s = -1;               // rows past the end form a run of their own that nobody writes
    float v = 0.0f;
    if (i < n) {
        s = seg[i];
        v = amount[i] * rate[i];
    }
    const int prev = __shfl_up_sync(FULL, s, 1);
    const int next = __shfl_down_sync(FULL, s, 1);
    const bool head = lane == 0 || prev != s;
    const bool tail = lane == 31 || next != s;
    const unsigned heads = __ballot_sync(FULL, head);
    const unsigned upto = FULL >> (31 - lane);             // lanes 0..lane
    const int start = 31 - __clz(heads & upto);            // first lane of my run

#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float o = __shfl_up_sync(FULL, v, d);
        if (lane - d >= start) v += o;
    }
    if (tail && s >= 0) atomicAdd(&total[s], v);
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
    int* d_seg;
    check(cudaMalloc(&d_amount, n * sizeof(float)), "malloc");
    check(cudaMalloc(&d_rate, n * sizeof(float)), "malloc");
    check(cudaMalloc(&d_total, NSEG * sizeof(float)), "malloc");
    check(cudaMalloc(&d_seg, n * sizeof(int)), "malloc");
    check(cudaMemcpy(d_amount, amount.data(), n * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(d_rate, rate.data(), n * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(d_seg, seg.data(), n * sizeof(int), cudaMemcpyHostToDevice), "h2d");

    check(cudaMemset(d_total, 0, NSEG * sizeof(float)), "memset");
    segment_sum<<<(n + 255) / 256, 256>>>(d_amount, d_rate, d_seg, n, d_total);
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
    cudaFree(d_amount); cudaFree(d_rate); cudaFree(d_total); cudaFree(d_seg);
    return 0;
}
