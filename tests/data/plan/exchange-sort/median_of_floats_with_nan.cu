// kernel=median line=17 finding=KO117
#include <cstdio>
#include <cmath>
#include <vector>

template <int WIDTH>
__global__ void median(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t + 7 > n) return;
    float w[7];
    for (int k = 0; k < 7; k++)
        w[k] = x[t + k];
    for (int k = 1; k < 7; k++) {
        // insert the next one
        const float next = w[k];
        int j = k - 1;
        for (; j >= 0 && w[j] > next; --j) w[j + 1] = w[j];
        w[j + 1] = next;
    }
    y[t] = w[WIDTH / 2];
}

int main() {
    const int n = 900;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = i % 11 == 5 ? NAN : i % 13 == 2 ? -0.0f : i * 37 % 29 - 14;
    median<7><<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
    for (int t = 0; t + 7 <= n; t++) {
        std::vector<float> w;
        for (int k = 0; k < 7; k++) {
            size_t j = w.size();
            while (j > 0 && w[j - 1] > x[t + k]) j--;
            w.insert(w.begin() + j, x[t + k]);
        }
        if (!(y[t] == w[3] || (std::isnan(y[t]) && std::isnan(w[3])))) return printf("FAIL %d: %g %g\n", t, y[t], w[3]), 1;
    }
    return puts("PASS"), 0;
}
