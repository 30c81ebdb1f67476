#include <cmath>
#include <cstdio>
__device__ double uniform(unsigned long long &state) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return ((state >> 11) + 1) * (1.0 / 9007199254740993.0);
}
__global__ void by_angles(double *out, double drift, double spread, double years, int steps) {
    unsigned long long state = blockIdx.x * blockDim.x + threadIdx.x;
    double dt = years / steps, price = 1.0;
    for (int s = 0; s < steps; s++) {
        double u = uniform(state), v = uniform(state);
        price *= exp((drift - 0.5 * spread * spread) * dt + spread * sqrt(dt) * sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = price;
}
__global__ void by_turns(double *out, double drift, double spread, double years, int steps) {
    unsigned long long state = blockIdx.x * blockDim.x + threadIdx.x;
    double dt = years / steps, price = 1.0;
    for (int s = 0; s < steps; s++) {
        double u = uniform(state), v = uniform(state);
        price *= exp((drift - 0.5 * spread * spread) * dt + spread * sqrt(dt) * sqrt(-2.0 * log(u)) * cospi(2.0 * v));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = price;
}
int main() {
    double *out;
    cudaMallocManaged(&out, 4096 * sizeof(double));
    by_angles<<<16, 256>>>(out, 0.03, 0.25, 1.0, 20);
    cudaDeviceSynchronize();
    double first = out[7];
    by_turns<<<16, 256>>>(out, 0.03, 0.25, 1.0, 20);
    cudaDeviceSynchronize();
    printf("%.9f %.9f\n", first, out[7]);
}
