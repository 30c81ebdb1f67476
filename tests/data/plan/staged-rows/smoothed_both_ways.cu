// kernel=smoothBothWays line=14 finding=KO102
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
    real *prices, *trend;
    cudaMalloc(&prices, 5000 * 77 * sizeof(real));
    cudaMalloc(&trend, 5000 * 77 * sizeof(real));
    smoothBothWays<<<40, 128>>>(prices, trend, 77, 5000, 0.1);
    cudaDeviceSynchronize();
}
