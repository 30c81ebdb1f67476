// kernel=scale_rows line=14 finding=KO123
#include <cmath>
#include <cstdio>

template <int WIDTH>
__global__ void scale_rows(float* __restrict__ x, int rows, float eps) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float* mine = x + row * WIDTH;
    float squares = 0.f;
    for (int k = 0; k < WIDTH; ++k) squares += mine[k] * mine[k];
    const float scale = rsqrtf(squares / WIDTH + eps);
    for (int k = 0; k < WIDTH; ++k) mine[k] *= scale;
}

int main() {
    const int rows = 300, width = 20;
    float* x;
    cudaMallocManaged(&x, rows * width * sizeof(float));
    for (int i = 0; i < rows * width; ++i) x[i] = (i * 37 % 101) * 0.02f - 1.0f;
    scale_rows<width><<<(rows + 31) / 32, 32>>>(x, rows, 1e-5f);
    cudaDeviceSynchronize();
    for (int row = 0; row < rows; ++row) {
        double squares = 0;
        for (int k = 0; k < width; ++k) squares += std::pow(((row * width + k) * 37 % 101) * 0.02 - 1.0, 2);
        double want = ((row * width + 3) * 37 % 101 * 0.02 - 1.0) / std::sqrt(squares / width + 1e-5);
        if (!(fabs(x[row * width + 3] - want) <= 1e-5)) return printf("FAIL %d: %g %g\n", row, x[row * width + 3], want), 1;
    }
    return puts("PASS"), 0;
}
