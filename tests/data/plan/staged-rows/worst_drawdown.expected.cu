// kernel=drawdown line=18 finding=KO101
#include <cstdio>
#include <cstdlib>
#include <vector>

// worst fall from a peak in the price history of every asset
__global__ void drawdown(const double *prices, double *worst, int assets, int days)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = a < assets;

    double peak = 0.0;
    double fall = 0.0;
    __shared__ double prices_tile[64][33];
    const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane, first_row = a - lane;
    for (int tile = 0; tile < days; tile += 32)
    {
        if (tile + lane < days)
        {
            const double *prices_column = prices + (size_t)first_row * days + tile + lane;
            #pragma unroll
            for (int r = 0; r < 32; ++r)
                if (first_row + r < assets)
                    prices_tile[first_thread + r][lane] = prices_column[r * days];
        }
        __syncwarp();
        const int stop = is_inside ? min(tile + 32, days) : tile;
        for (int d = tile; d < stop; d++)
        {
            double today = prices_tile[threadIdx.x][d - tile];
            if (today > peak)
                peak = today;
            else if ((peak - today) / peak > fall)
                fall = (peak - today) / peak;
        }
        __syncwarp();
    }
    if (is_inside) worst[a] = fall;
}

int main(int argc, char **argv)
{
    int assets = argc > 1 ? atoi(argv[1]) : 150;
    int days = argc > 2 ? atoi(argv[2]) : 250;
    std::vector<double> prices((size_t)assets * days), worst(assets);
    unsigned seed = 7;
    for (int a = 0; a < assets; a++)
    {
        double p = 100.0;
        for (int d = 0; d < days; d++)
        {
            seed = seed * 1103515245u + 12345u;
            p *= 1.0 + ((seed >> 16) % 2001 - 1000.0) / 40000.0;
            prices[(size_t)a * days + d] = p;
        }
    }
    double *d_prices, *d_worst;
    cudaMalloc(&d_prices, prices.size() * sizeof(double));
    cudaMalloc(&d_worst, worst.size() * sizeof(double));
    cudaMemcpy(d_prices, prices.data(), prices.size() * sizeof(double), cudaMemcpyHostToDevice);
    drawdown<<<(assets + 63) / 64, 64>>>(d_prices, d_worst, assets, days);
    cudaMemcpy(worst.data(), d_worst, worst.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (double w : worst)
        sum += w;
    printf("mean worst drawdown %.6f\n", sum / assets);
    cudaFree(d_prices);
    cudaFree(d_worst);
    return 0;
}
