// kernel=simulate line=15 finding=KO126
#include <cmath>
#include <cstdint>
#include <cstdio>

__device__ double uniform(uint64_t &state) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return ((state * 2685821657736338717ull >> 11) + 1) * (1.0 / 9007199254740993.0);
}

__device__ double normal(uint64_t &state) {
    double u1 = uniform(state), u2 = uniform(state);
    return sqrt(-2.0 * log(u1)) * cos(6.283185307179586 * u2);
}

__global__ void simulate(double *out, int paths, int steps) {
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    uint64_t state = (path + 1) * 0x9E3779B97F4A7C15ull + 1;
    double sum = 0.0;
    for (int s = 0; s < steps; ++s) sum += normal(state);
    out[path] = sum / sqrt((double)steps);
}

int main() {
    const int paths = 1000;
    double *out;
    cudaMallocManaged(&out, paths * sizeof(double));
    simulate<<<(paths + 127) / 128, 128>>>(out, paths, 12);
    cudaDeviceSynchronize();
    double mean = 0.0, square = 0.0;
    for (int p = 0; p < paths; ++p) mean += out[p] / paths, square += out[p] * out[p] / paths;
    if (std::fabs(mean) > 0.15 || std::fabs(square - 1.0) > 0.2) return std::printf("FAIL %g %g\n", mean, square), 1;
    return std::puts("PASS"), 0;
}
