// kernel=smooth line=17 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>
#define TAPS 11
#define CUT  3

__device__ double trimmed(const double *x, int stride)
{
    double v[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; ++k) v[k] = x[k * stride];
#pragma unroll
    for (unsigned k = 1; k < TAPS; ++k)
    {
        double t = v[k];
        int m = k;
        while (m > 0 && t > v[m - 1])   // largest first
        {
            v[m] = v[m - 1];
            m -= 1;
        }
        v[m] = t;
    }
    double sum = 0.0;
    for (int k = CUT; k < TAPS - CUT; ++k) sum += v[k];
    return sum / (TAPS - 2 * CUT);
}

__global__ void smooth(const double *x, double *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols && r + TAPS <= rows) y[r * cols + c] = trimmed(x + r * cols + c, cols);
}

int main()
{
    const int rows = 30, cols = 90;
    double *x, *y;
    cudaMallocManaged(&x, rows * cols * sizeof(double));
    cudaMallocManaged(&y, rows * cols * sizeof(double));
    for (int i = 0; i < rows * cols; i++) x[i] = i * 7919 % 1013 * 0.25;
    smooth<<<dim3(2, rows), 64>>>(x, y, rows, cols);
    cudaDeviceSynchronize();
    for (int r = 0; r + TAPS <= rows; r++)
        for (int c = 0; c < cols; c++)
        {
            std::vector<double> all;
            for (int k = 0; k < TAPS; k++) all.push_back(x[(r + k) * cols + c]);
            std::sort(all.rbegin(), all.rend());
            double want = 0;
            for (int k = CUT; k < TAPS - CUT; k++) want += all[k];
            if (y[r * cols + c] != want / (TAPS - 2 * CUT)) return printf("FAIL %d %d\n", r, c), 1;
        }
    return puts("PASS"), 0;
}
