// Prices an arithmetic Asian call option by Monte-Carlo simulation, one path per thread.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

struct Market {
    double spot, strike, rate, volatility, years;
};

// xorshift64*, good enough for a demo
struct Rng {
    uint64_t state;
    __device__ explicit Rng(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 1) {}
    __device__ double uniform() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return ((state * 2685821657736338717ull >> 11) + 1) * (1.0 / 9007199254740993.0);
    }
    __device__ double normal() {
        double u1 = uniform(), u2 = uniform();
        return sqrt(-2.0 * log(u1)) * cos(6.283185307179586 * u2);
    }
};

__global__ void simulate(Market m, int paths, int steps, double *payoffs) {
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;

    Rng rng(path + 1);
    double dt = m.years / steps;
    double price = m.spot;
    double sum = 0.0;
    for (int s = 0; s < steps; ++s) {
        price *= exp((m.rate - 0.5 * m.volatility * m.volatility) * dt + m.volatility * sqrt(dt) * rng.normal());
        sum += price;
    }
    double mean = sum / steps;
    payoffs[path] = exp(-m.rate * m.years) * (mean > m.strike ? mean - m.strike : 0.0);
}

int main(int argc, char **argv) {
    int paths = argc > 1 ? atoi(argv[1]) : 1024;
    int steps = argc > 2 ? atoi(argv[2]) : 16;
    Market market{100.0, 105.0, 0.03, 0.25, 1.0};

    double *d_payoffs;
    cudaError_t err = cudaMalloc(&d_payoffs, paths * sizeof(double));
    if (err != cudaSuccess) {
        fprintf(stderr, "cudaMalloc: %s\n", cudaGetErrorString(err));
        return 1;
    }
    simulate<<<(paths + 255) / 256, 256>>>(market, paths, steps, d_payoffs);

    std::vector<double> payoffs(paths);
    err = cudaMemcpy(payoffs.data(), d_payoffs, paths * sizeof(double), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        fprintf(stderr, "simulate: %s\n", cudaGetErrorString(err));
        return 1;
    }
    double sum = 0, squares = 0;
    for (double p : payoffs) {
        sum += p;
        squares += p * p;
    }
    double mean = sum / paths;
    printf("price %.5f +- %.5f\n", mean, sqrt((squares / paths - mean * mean) / paths));
    cudaFree(d_payoffs);
    return 0;
}
