#include <cuda_runtime.h>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace
{

// C = alpha (A B^T + B A^T) + beta C
__global__ void Syr2kKernel(const double* a, const double* b, double* c, int n, int m, double alpha, double beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n)
    {
        double sum = 0.0;
        for (int k = 0; k < m; ++k)
        {
            sum += a[row * m + k] * b[col * m + k];
            sum += b[row * m + k] * a[col * m + k];
        }
        c[row * n + col] = alpha * sum + beta * c[row * n + col];
    }
}

void ThrowOnError(cudaError_t error)
{
    if (error != cudaSuccess)
    {
        throw std::runtime_error(cudaGetErrorString(error));
    }
}

class GpuArray
{
public:
    explicit GpuArray(const std::vector<double>& values) : m_size(values.size() * sizeof(double))
    {
        ThrowOnError(cudaMalloc(&m_data, m_size));
        ThrowOnError(cudaMemcpy(m_data, values.data(), m_size, cudaMemcpyHostToDevice));
    }
    GpuArray(const GpuArray&) = delete;
    ~GpuArray() { cudaFree(m_data); }

    double* Get() { return m_data; }
    void Download(std::vector<double>& values) { ThrowOnError(cudaMemcpy(values.data(), m_data, m_size, cudaMemcpyDeviceToHost)); }

private:
    std::size_t m_size;
    double* m_data = nullptr;
};

}

int main(int argc, char* argv[])
{
    try
    {
        const int n = argc > 1 ? std::stoi(argv[1]) : 48;
        const int m = argc > 2 ? std::stoi(argv[2]) : n;

        std::vector<double> hostA(static_cast<std::size_t>(n) * m), hostB(hostA.size()), hostC(static_cast<std::size_t>(n) * n);
        for (std::size_t i = 0; i < hostA.size(); ++i)
        {
            hostA[i] = static_cast<double>(i % 97) / 97;
            hostB[i] = static_cast<double>(i % 89) / 89;
        }
        for (std::size_t i = 0; i < hostC.size(); ++i)
        {
            hostC[i] = static_cast<double>(i % 13);
        }

        GpuArray a(hostA), b(hostB), c(hostC);
        const dim3 block(8, 32);
        const dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
        Syr2kKernel<<<grid, block>>>(a.Get(), b.Get(), c.Get(), n, m, 0.5, 2.0);
        ThrowOnError(cudaGetLastError());
        ThrowOnError(cudaDeviceSynchronize());
        c.Download(hostC);

        double sum = 0;
        for (double value : hostC)
        {
            sum += value;
        }
        std::cout << "C(0,0) = " << hostC.front() << ", C(n-1,0) = " << hostC[static_cast<std::size_t>(n - 1) * n] << ", sum = " << sum << std::endl;
    }
    catch (const std::exception& e)
    {
        std::cerr << "error: " << e.what() << std::endl;
        return 1;
    }
    return 0;
}
