// Column statistics of a row-major sample matrix: mean and the central moments 2..4.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SAFE(call) do { cudaError_t err = call; if (cudaSuccess != err) { \
    fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
    exit(EXIT_FAILURE); } } while (0)

struct Moments { double mean, m2, m3, m4; };

// sums are taken relative to the first row, which keeps large offsets harmless
__global__ void column_moments(const float *x, int rows, int cols, Moments *out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    double shift = x[c];
    double s = 0.0;
    for (int r = 0; r < rows; r++)
        s += x[(size_t)r * cols + c] - shift;
    double mean = shift + s / rows;

    double s2 = 0.0, s3 = 0.0, s4 = 0.0;
    for (int r = 0; r < rows; r++) {
        double d = x[(size_t)r * cols + c] - mean;
        s2 += d * d;
        s3 += d * d * d;
        s4 += d * d * d * d;
    }
    out[c].mean = mean;
    out[c].m2 = s2 / rows;
    out[c].m3 = s3 / rows;
    out[c].m4 = s4 / rows;
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

    column_moments<<<(cols + 63) / 64, 64>>>(dx, rows, cols, dm);
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
