// Column statistics of a row-major sample matrix: mean and the central moments 2..4.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SAFE(call) do { cudaError_t err = call; if (cudaSuccess != err) { \
    fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
    exit(EXIT_FAILURE); } } while (0)

struct Moments { double mean, m2, m3, m4; };

// A block of 16 x 32 threads takes 16 columns; its 32 thread rows stride over the sample
// rows and meet in shared memory. Sums are taken relative to the first row, which keeps
// large offsets harmless.
constexpr int BC = 16, BR = 32;

// adds up the BR values of a column; every thread of the block gets its column's sum
__device__ double column_sum(double v, double (&buf)[BR][BC + 1])
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    __syncthreads();                     // readers of the previous sum are done
    buf[ty][tx] = v;
    __syncthreads();
#pragma unroll
    for (int h = BR / 2; h > 0; h >>= 1) {
        if (ty < h) buf[ty][tx] += buf[ty + h][tx];
        __syncthreads();
    }
    return buf[0][tx];
}

__global__ void __launch_bounds__(BC * BR) column_moments(const float *__restrict__ x, int rows, int cols,
                                                          Moments *__restrict__ out)
{
    __shared__ double buf[BR][BC + 1];
    const int c = blockIdx.x * BC + threadIdx.x;
    const bool live = c < cols;
    const int last = live ? rows : 0;    // idle columns keep taking part in the barriers
    const double shift = live ? x[c] : 0.0;

    double s = 0.0;
#pragma unroll 4
    for (int r = threadIdx.y; r < last; r += BR)
        s += x[(size_t)r * cols + c] - shift;
    const double mean = shift + column_sum(s, buf) / rows;

    double s2 = 0.0, s3 = 0.0, s4 = 0.0;
#pragma unroll 4
    for (int r = threadIdx.y; r < last; r += BR) {
        double d = x[(size_t)r * cols + c] - mean;
        double q = d * d;
        s2 += q;
        s3 += q * d;
        s4 += q * d * d;
    }
    s2 = column_sum(s2, buf);
    s3 = column_sum(s3, buf);
    s4 = column_sum(s4, buf);
    if (live && threadIdx.y == 0)
        out[c] = Moments{mean, s2 / rows, s3 / rows, s4 / rows};
}

static void fill(std::vector<float> &x, int rows, int cols)
{
    unsigned s = 12345u;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            s ^= s << 13; s ^= s >> 17; s ^= s << 5;
            float u = (s >> 8) * (1.0f / 16777216.0f);
            float v = c % 3 == 0 ? u : (c % 3 == 1 ? u * u : 1.0f / (0.05f + u));
            x[(size_t)r * cols + c] = v * (1 + c % 5) + (c % 7) * 10.0f;
        }
}

int main()
{
    const int rows = 4001, cols = 211;
    std::vector<float> x((size_t)rows * cols);
    fill(x, rows, cols);

    float *dx;
    Moments *dm;
    SAFE(cudaMalloc(&dx, x.size() * sizeof(float)));
    SAFE(cudaMalloc(&dm, cols * sizeof(Moments)));
    SAFE(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

    column_moments<<<(cols + BC - 1) / BC, dim3(BC, BR)>>>(dx, rows, cols, dm);
    SAFE(cudaGetLastError());

    std::vector<Moments> m(cols);
    SAFE(cudaMemcpy(m.data(), dm, cols * sizeof(Moments), cudaMemcpyDeviceToHost));

    Moments t = {0, 0, 0, 0};
    for (int c = 0; c < cols; c++) {
        t.mean += m[c].mean; t.m2 += m[c].m2; t.m3 += m[c].m3; t.m4 += m[c].m4;
    }
    printf("sums over columns: mean %.9g  m2 %.9g  m3 %.9g  m4 %.9g\n", t.mean, t.m2, t.m3, t.m4);
    for (int c = 0; c < 6; c++)
        printf("col %d: %.8f %.8f %.8f %.8f\n", c, m[c].mean, m[c].m2, m[c].m3, m[c].m4);
    SAFE(cudaFree(dx));
    SAFE(cudaFree(dm));
    return 0;
}
