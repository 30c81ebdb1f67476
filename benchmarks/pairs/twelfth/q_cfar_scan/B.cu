// Cell-averaging CFAR along range. Input is linear power after the matched filter (the receiver
// has some 90 dB of dynamic range), output is the local threshold and a detection flag.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

static void ok(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "cuda error %d (%s) line %d\n", (int)e, cudaGetErrorString(e), line);
    exit(3);
}
#define OK(e) ok((e), __LINE__)

struct CfarParams {
    int cells;      // range cells per row
    int guard;      // guard cells on each side
    int train;      // training cells on each side
    float alpha;    // threshold factor
};

constexpr int TPB = 256;

// One block per row: prefix sums of the row in shared memory, then every window sum is two differences,
// whatever the window length.
__global__ void __launch_bounds__(TPB) cfar(const float* __restrict__ power, float* __restrict__ thr,
                                            unsigned char* __restrict__ det, CfarParams p)
{
    extern __shared__ float pre[];              // pre[i] = row[0] + ... + row[i - 1]
    __shared__ float part[TPB / 32];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const float* row = power + (size_t)blockIdx.x * p.cells;
    const int per = (p.cells + TPB - 1) / TPB;
    const int lo = min(t * per, p.cells), hi = min(lo + per, p.cells);

    float mine = 0.f;
    for (int i = lo; i < hi; ++i) mine += row[i];

    float incl = mine;
    for (int d = 1; d < 32; d <<= 1) {
        float v = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += v;
    }
    if (lane == 31) part[warp] = incl;
    __syncthreads();
    float run = 0.f;
    for (int w = 0; w < warp; ++w) run += part[w];
    run += incl - mine;
    for (int i = lo; i < hi; ++i) {
        pre[i] = run;
        run += row[i];
    }
    if (t == TPB - 1) pre[p.cells] = run;
    __syncthreads();

    for (int c = t; c < p.cells; c += TPB) {
        int l0 = max(c - p.guard - p.train, 0), l1 = max(c - p.guard, 0);
        int r0 = min(c + p.guard + 1, p.cells), r1 = min(c + p.guard + p.train + 1, p.cells);
        float sum = (pre[l1] - pre[l0]) + (pre[r1] - pre[r0]);
        int n = (l1 - l0) + (r1 - r0);
        float th = n ? p.alpha * sum / n : INFINITY;
        size_t o = (size_t)blockIdx.x * p.cells + c;
        thr[o] = th;
        det[o] = row[c] > th;
    }
}

static double uni(unsigned long long& s)
{
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((s >> 33) + 0.5) / 2147483648.0;
}

int main()
{
    const int rows = 96;
    CfarParams p{1500, 3, 24, 9.0f};
    size_t total = (size_t)rows * p.cells;
    std::vector<float> power(total), thr(total);
    std::vector<unsigned char> det(total);

    unsigned long long s = 5;
    for (size_t i = 0; i < total; ++i) power[i] = (float)(-std::log(uni(s)));      // exponential noise
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 6; ++k) {
            int c = (int)(uni(s) * p.cells);
            power[(size_t)r * p.cells + c] += 40.f + 10.f * k;
        }

    float *dPower, *dThr;
    unsigned char* dDet;
    OK(cudaMalloc(&dPower, total * sizeof(float)));
    OK(cudaMalloc(&dThr, total * sizeof(float)));
    OK(cudaMalloc(&dDet, total));
    OK(cudaMemcpy(dPower, power.data(), total * sizeof(float), cudaMemcpyHostToDevice));

    cfar<<<rows, TPB, (p.cells + 1) * sizeof(float)>>>(dPower, dThr, dDet, p);
    OK(cudaGetLastError());

    OK(cudaMemcpy(thr.data(), dThr, total * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(det.data(), dDet, total, cudaMemcpyDeviceToHost));
    double m = 0;
    long hits = 0;
    for (size_t i = 0; i < total; ++i) { m += thr[i]; hits += det[i]; }
    printf("mean threshold %.5f, detections %ld\n", m / total, hits);
    for (int r = 0; r < rows; r += 24) {
        int cnt = (int)std::count(det.begin() + (size_t)r * p.cells, det.begin() + (size_t)(r + 1) * p.cells, 1);
        printf("row %2d: %d\n", r, cnt);
    }
    OK(cudaFree(dPower)); OK(cudaFree(dThr)); OK(cudaFree(dDet));
    return 0;
}
