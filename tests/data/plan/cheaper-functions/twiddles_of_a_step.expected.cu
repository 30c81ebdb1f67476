// kernel=goertzel line=14 finding=KO126
#include <cmath>
#include <cstdio>

constexpr double pi = 3.14159265358979323846;

__global__ void goertzel(const double *x, double *power, int n, int bins) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bins) return;
    const double step = 2.0 / n;
    double re = 0.0, im = 0.0;
    for (int j = 0; j < n; j++) {
        double s, c;
        sincospi(step * b * j, &s, &c);
        re += x[j] * c;
        im -= x[j] * s;
    }
    power[b] = (re * re + im * im) * (1.0 + 0.25 * cospi(step * b * 0.5));
}

int main() {
    const int n = 150, bins = 76;
    double *x, *power;
    cudaMallocManaged(&x, n * sizeof(double));
    cudaMallocManaged(&power, bins * sizeof(double));
    for (int j = 0; j < n; j++) x[j] = std::cos(2 * pi * 12 * j / n);
    goertzel<<<(bins + 31) / 32, 32>>>(x, power, n, bins);
    cudaDeviceSynchronize();
    for (int b = 0; b < bins; b++) {
        double want = b == 12 ? n * n / 4.0 * (1.0 + 0.25 * std::cos(pi * 12 / n)) : 0.0;
        if (std::fabs(power[b] - want) > 1e-6) return std::printf("FAIL %d: %g %g\n", b, power[b], want), 1;
    }
    return std::puts("PASS"), 0;
}
