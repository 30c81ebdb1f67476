// Heat equation on a square plate, alternating direction implicit (Peaceman-Rachford).
// Each half step solves one tridiagonal system per row (or column) with the Thomas algorithm.
#include <iostream>
#include <iomanip>
#include <vector>
#include <cstdlib>

#define CUDA(call)                                                                      \
    do                                                                                  \
    {                                                                                   \
        cudaError_t rc = (call);                                                        \
        if (rc != cudaSuccess)                                                          \
        {                                                                               \
            std::cerr << __FILE__ << ":" << __LINE__ << " " << cudaGetErrorString(rc) << std::endl; \
            std::exit(EXIT_FAILURE);                                                    \
        }                                                                               \
    } while (0)

// implicit in x: thread = row
__global__ void sweepRows(const float *u, float *v, float *cp, float *dp, int n, float r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1)
        return;

    cp[i * n] = 0.0f;
    dp[i * n] = u[i * n];
    for (int j = 1; j < n - 1; j++)
    {
        float rhs = r * u[(i - 1) * n + j] + (1.0f - 2.0f * r) * u[i * n + j] + r * u[(i + 1) * n + j];
        float m = 1.0f / (1.0f + 2.0f * r + r * cp[i * n + j - 1]);
        cp[i * n + j] = -r * m;
        dp[i * n + j] = (rhs + r * dp[i * n + j - 1]) * m;
    }
    v[i * n + n - 1] = u[i * n + n - 1];
    for (int j = n - 2; j > 0; j--)
        v[i * n + j] = dp[i * n + j] - cp[i * n + j] * v[i * n + j + 1];
    v[i * n] = u[i * n];
}

// implicit in y: thread = column
__global__ void sweepColumns(const float *v, float *u, float *cp, float *dp, int n, float r)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < 1 || j >= n - 1)
        return;

    cp[j] = 0.0f;
    dp[j] = u[j];
    for (int i = 1; i < n - 1; i++)
    {
        float rhs = r * v[i * n + j - 1] + (1.0f - 2.0f * r) * v[i * n + j] + r * v[i * n + j + 1];
        float m = 1.0f / (1.0f + 2.0f * r + r * cp[(i - 1) * n + j]);
        cp[i * n + j] = -r * m;
        dp[i * n + j] = (rhs + r * dp[(i - 1) * n + j]) * m;
    }
    for (int i = n - 2; i > 0; i--)
        u[i * n + j] = dp[i * n + j] - cp[i * n + j] * u[(i + 1) * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 64;
    int steps = argc > 2 ? std::atoi(argv[2]) : 2;
    const float r = 0.4f;

    std::vector<float> plate(n * n, 0.0f);
    for (int j = 0; j < n; j++)
        plate[j] = 100.0f; // hot edge
    for (int i = n / 4; i < n / 2; i++)
        for (int j = n / 4; j < n / 2; j++)
            plate[i * n + j] = 50.0f;

    size_t bytes = plate.size() * sizeof(float);
    float *u, *v, *cp, *dp;
    CUDA(cudaMalloc(&u, bytes));
    CUDA(cudaMalloc(&v, bytes));
    CUDA(cudaMalloc(&cp, bytes));
    CUDA(cudaMalloc(&dp, bytes));
    CUDA(cudaMemcpy(u, plate.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(v, u, bytes, cudaMemcpyDeviceToDevice));

    int threads = 64, blocks = (n + threads - 1) / threads;
    for (int t = 0; t < steps; t++)
    {
        sweepRows<<<blocks, threads>>>(u, v, cp, dp, n, r);
        sweepColumns<<<blocks, threads>>>(v, u, cp, dp, n, r);
    }
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(plate.data(), u, bytes, cudaMemcpyDeviceToHost));

    double heat = 0;
    for (float t : plate)
        heat += t;
    std::cout << std::fixed << std::setprecision(4) << "mean temperature " << heat / plate.size() << ", below the edge " << plate[n + n / 2] << std::endl;

    CUDA(cudaFree(u));
    CUDA(cudaFree(v));
    CUDA(cudaFree(cp));
    CUDA(cudaFree(dp));
    return 0;
}
