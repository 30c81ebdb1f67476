#include <iostream>
#include <vector>
#include <cstdlib>

#define gpuErr(x) { auto e = (x); if (e != cudaSuccess) { std::cerr << cudaGetErrorString(e) << " at " << __LINE__ << std::endl; return 1; } }
typedef double real;

__device__ real square(real v) { return v * v; }

__global__ void means(const real *table, real *mean, int nrows, int ncols)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    if (col < ncols)
    {
        real sum = 0;
        for (int row = 0; row < nrows; ++row)
            sum += table[row * ncols + col];
        mean[col] = sum / nrows;
    }
}

__global__ void spread(const real *table, const real *mean, real *var, int nrows, int ncols)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    if (col < ncols)
    {
        real m = mean[col];
        real total = 0;
        for (int row = 0; row < nrows; ++row)
            total += square(table[row * ncols + col] - m);
        var[col] = total / (nrows - 1);
    }
}

int main(int argc, char **argv)
{
    int nrows = argc > 1 ? std::atoi(argv[1]) : 3001, ncols = argc > 2 ? std::atoi(argv[2]) : 90;
    std::vector<real> table((size_t)nrows * ncols), mean(ncols), var(ncols);
    for (size_t i = 0; i < table.size(); ++i) table[i] = (i * 7919 % 1000) / 1000.0 - 0.5;
    real *d_table, *d_mean, *d_var;
    gpuErr(cudaMalloc(&d_table, table.size() * sizeof(real)));
    gpuErr(cudaMalloc(&d_mean, ncols * sizeof(real)));
    gpuErr(cudaMalloc(&d_var, ncols * sizeof(real)));
    gpuErr(cudaMemcpy(d_table, table.data(), table.size() * sizeof(real), cudaMemcpyHostToDevice));
    dim3 block(128), grid((ncols + block.x - 1) / block.x);
    means<<<grid, block>>>(d_table, d_mean, nrows, ncols);
    spread<<<grid, block>>>(d_table, d_mean, d_var, nrows, ncols);
    gpuErr(cudaGetLastError());
    gpuErr(cudaMemcpy(mean.data(), d_mean, ncols * sizeof(real), cudaMemcpyDeviceToHost));
    gpuErr(cudaMemcpy(var.data(), d_var, ncols * sizeof(real), cudaMemcpyDeviceToHost));
    std::cout << mean[0] << " " << mean[ncols - 1] << " " << var[0] << " " << var[ncols - 1] << std::endl;
    cudaFree(d_table); cudaFree(d_mean); cudaFree(d_var);
    return 0;
}
