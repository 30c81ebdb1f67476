// American puts on a binomial tree (Cox, Ross, Rubinstein), double precision.
//
// One block prices one option. The tree's current level and the table of stock prices S*u^k live in
// shared memory; a level is updated in chunks, right of the chunk's last node nothing has changed yet,
// so a single array is enough.
//
// usage: american_put [options] [steps]        steps <= MAX_STEPS

#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

namespace {

constexpr int MAX_STEPS = 1024;
constexpr int THREADS = 256;

struct Contract {
    double spot, strike, years, rate, vol;
};

void check(cudaError_t status, int line) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "american_put.cu:%d: %s (%s)\n", line, cudaGetErrorName(status), cudaGetErrorString(status));
        std::exit(1);
    }
}
#define CK(x) check((x), __LINE__)

}  // namespace

__global__ void __launch_bounds__(THREADS) price_puts(const Contract* __restrict__ contracts, double* __restrict__ prices, int steps) {
    __shared__ double value[MAX_STEPS + 1];
    __shared__ double stock[2 * MAX_STEPS + 1];  // stock[k] = S * u^(k - steps)

    const Contract c = contracts[blockIdx.x];
    const double dt = c.years / steps;
    const double lnu = c.vol * sqrt(dt);
    const double u = exp(lnu);
    const double d = 1.0 / u;
    const double disc = exp(-c.rate * dt);
    const double p = (1.0 / disc - d) / (u - d);
    const double pu = disc * p;
    const double pd = disc - pu;

    for (int k = threadIdx.x; k <= 2 * steps; k += THREADS)
        stock[k] = c.spot * exp(lnu * (k - steps));
    __syncthreads();
    for (int j = threadIdx.x; j <= steps; j += THREADS)
        value[j] = fmax(c.strike - stock[2 * j], 0.0);
    __syncthreads();

    for (int level = steps - 1; level >= 0; --level) {
        for (int base = 0; base <= level; base += THREADS) {
            const int j = base + threadIdx.x;
            double v = 0.0;
            if (j <= level) {
                v = pu * value[j + 1] + pd * value[j];
                v = fmax(v, c.strike - stock[2 * j - level + steps]);
            }
            __syncthreads();
            if (j <= level)
                value[j] = v;
            __syncthreads();
        }
    }

    if (threadIdx.x == 0)
        prices[blockIdx.x] = value[0];
}

int main(int argc, char** argv) {
    const int options = argc > 1 ? std::atoi(argv[1]) : 64;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 256;
    if (options < 1 || steps < 1 || steps > MAX_STEPS) {
        std::fprintf(stderr, "usage: %s [options] [steps <= %d]\n", argv[0], MAX_STEPS);
        return 2;
    }

    std::vector<Contract> contracts(options);
    for (int i = 0; i < options; ++i)
        contracts[i] = {100.0, 80.0 + i % 41, 0.25 + 0.25 * (i % 7), 0.01 + 0.005 * (i % 9), 0.15 + 0.02 * (i % 13)};

    Contract* dContracts;
    double* dPrices;
    CK(cudaMalloc(&dContracts, options * sizeof(Contract)));
    CK(cudaMalloc(&dPrices, options * sizeof(double)));
    CK(cudaMemcpy(dContracts, contracts.data(), options * sizeof(Contract), cudaMemcpyHostToDevice));

    price_puts<<<options, THREADS>>>(dContracts, dPrices, steps);
    CK(cudaGetLastError());

    std::vector<double> prices(options);
    CK(cudaMemcpy(prices.data(), dPrices, options * sizeof(double), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (double v : prices) sum += v;
    std::printf("first %.8f  last %.8f  mean %.8f\n", prices.front(), prices.back(), sum / options);

    CK(cudaFree(dContracts));
    CK(cudaFree(dPrices));
    return 0;
}
