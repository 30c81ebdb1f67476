// kernel=frequencies line=11 finding=KO126
#include <cmath>
#include <cstdio>

template <class T>
__global__ void frequencies(T *__restrict__ hertz, const T *__restrict__ cents, int n, int partials) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (int p = 1; p <= partials; ++p) {
            const double detune = cents[i] * p * 1e-3;
            sum += 440.0 * p * std::pow(2, (cents[i] + detune) / 1200.0) / (p * p);
        }
        hertz[i] = sum;
    }
}

int main() {
    const int n = 777;
    double *hertz, *cents;
    cudaMallocManaged(&hertz, n * sizeof(double));
    cudaMallocManaged(&cents, n * sizeof(double));
    for (int i = 0; i < n; ++i) cents[i] = 10.0 * (i - 333);
    frequencies<<<3, 160>>>(hertz, cents, n, 9);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        double want = 0.0;
        for (int p = 1; p <= 9; ++p) want += 440.0 / p * std::exp2((cents[i] + cents[i] * p * 1e-3) / 1200.0);
        if (!(std::fabs(hertz[i] - want) <= 1e-10 * want)) return std::printf("FAIL %d: %g %g\n", i, hertz[i], want), 1;
    }
    return std::puts("PASS"), 0;
}
