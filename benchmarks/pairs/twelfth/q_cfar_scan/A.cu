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

__global__ void cfar(const float* power, float* thr, unsigned char* det, CfarParams p)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= p.cells) return;
    const float* row = power + (size_t)blockIdx.y * p.cells;

    float sum = 0.f;
    int n = 0;
    for (int k = p.guard + 1; k <= p.guard + p.train; ++k) {
        if (c - k >= 0)      { sum += row[c - k]; ++n; }
        if (c + k < p.cells) { sum += row[c + k]; ++n; }
    }
    float t = n ? p.alpha * sum / n : INFINITY;
    size_t o = (size_t)blockIdx.y * p.cells + c;
    thr[o] = t;
    det[o] = row[c] > t;
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

    dim3 grid((p.cells + 127) / 128, rows);
    cfar<<<grid, 128>>>(dPower, dThr, dDet, p);
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
