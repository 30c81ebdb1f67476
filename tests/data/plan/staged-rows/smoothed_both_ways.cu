// kernel=smoothBothWays line=15 finding=KO102
#include <cstdio>
typedef double real;

__global__ void smoothBothWays(const real *prices, real *trend, size_t nDays, unsigned nSeries, real alpha)
{
    const unsigned s = threadIdx.x + blockDim.x * blockIdx.x;
    if (s < nSeries)
    {
        const real *p = prices + s * nDays;
        real *q = trend + s * nDays;
        real level = p[0];
        for (size_t d = 0; d < nDays; ++d)
        {
            level += alpha * (p[d] - level);
            q[d] = level;
        }
        // and back, so that the delay goes away
        for (long d = (long)nDays - 1; d >= 0; --d)
        {
            level += alpha * (q[d] - level);
            q[d] = level;
        }
    }
}

int main()
{
    const unsigned series = 300;
    const size_t days = 77;
    real *prices, *trend;
    cudaMallocManaged(&prices, series * days * sizeof(real));
    cudaMallocManaged(&trend, series * days * sizeof(real));
    for (size_t i = 0; i < series * days; ++i)
        prices[i] = 100 + i * 7919 % 1013 * 0.01;
    smoothBothWays<<<(series + 127) / 128, 128>>>(prices, trend, days, series, 0.1);
    cudaDeviceSynchronize();
    real sum = 0;
    for (size_t i = 0; i < series * days; ++i)
        sum += trend[i] * (i % 3 + 1);
    printf("%.9f\n", sum);
}
