// kernel=smoothBothWays line=15 finding=KO102
#include <cstdio>
typedef double real;

__global__ void smoothBothWays(const real *prices, real *trend, size_t nDays, unsigned nSeries, real alpha)
{
    const unsigned s = threadIdx.x + blockDim.x * blockIdx.x;
    const bool isInside = s < nSeries;
    const real *p = prices + s * nDays;
    real level = isInside ? p[0] : 0;
    __shared__ real pricesTile[128][16 + 1];
    __shared__ real trendTile[128][16 + 1];
    for (size_t chunk = 0; chunk < nDays; chunk += 16)
    {
        const int column = threadIdx.x % 16;
        const size_t at = chunk + column;
        const size_t chunkEnd = chunk + 16 < nDays ? chunk + 16 : nDays;
        if (at < chunkEnd)
            for (int r = threadIdx.x / 16; r < 128; r += 8)
            {
                const unsigned otherS = r + blockDim.x * blockIdx.x;
                if (otherS < nSeries)
                    pricesTile[r][column] = prices[otherS * nDays + at];
            }
        __syncthreads();
        if (isInside)
            for (size_t d = chunk; d < chunkEnd; ++d)
            {
                level += alpha * (pricesTile[threadIdx.x][d - chunk] - level);
                trendTile[threadIdx.x][d - chunk] = level;
            }
        __syncthreads();
        if (at < chunkEnd)
            for (int r = threadIdx.x / 16; r < 128; r += 8)
            {
                const unsigned otherS = r + blockDim.x * blockIdx.x;
                if (otherS < nSeries)
                    trend[otherS * nDays + at] = trendTile[r][column];
            }
    }
    // and back, so that the delay goes away
    __syncthreads();
    for (long chunk = (long)nDays - 1; chunk >= 0; chunk -= 16)
    {
        const int column = threadIdx.x % 16;
        const long at = chunk - column;
        const long chunkEnd = chunk - 16 > -1 ? chunk - 16 : -1;
        if (at > chunkEnd)
            for (int r = threadIdx.x / 16; r < 128; r += 8)
            {
                const unsigned otherS = r + blockDim.x * blockIdx.x;
                if (otherS < nSeries)
                    trendTile[r][column] = trend[otherS * nDays + at];
            }
        __syncthreads();
        if (isInside)
            for (long d = chunk; d > chunkEnd; --d)
            {
                level += alpha * (trendTile[threadIdx.x][chunk - d] - level);
                trendTile[threadIdx.x][chunk - d] = level;
            }
        __syncthreads();
        if (at > chunkEnd)
            for (int r = threadIdx.x / 16; r < 128; r += 8)
            {
                const unsigned otherS = r + blockDim.x * blockIdx.x;
                if (otherS < nSeries)
                    trend[otherS * nDays + at] = trendTile[r][column];
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
