// Mean of each feature (column) of a samples x features matrix, one block per feature.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

// every step-th sample from s on of one feature
__device__ __forceinline__ double sum_of(const double *data, int s, int step, int samples, int features, int f)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    for (; s + 3 * step < samples; s += 4 * step) {
        const double p = data[(size_t)s * features + f], q = data[(size_t)(s + step) * features + f];
        const double r = data[(size_t)(s + 2 * step) * features + f], t = data[(size_t)(s + 3 * step) * features + f];
        a += p;
        b += q;
        c += r;
        d += t;
    }
    for (; s < samples; s += step)
        a += data[(size_t)s * features + f];
    return (a + b) + (c + d);
}

__global__ void feature_means(const double *data, double *means, int samples, int features)
{
    __shared__ double partial[128];
    if (blockDim.x != 128 || gridDim.x < features) {
        int f = blockIdx.x;
        double sum = 0.0;
        for (int s = threadIdx.x; s < samples; s += blockDim.x)
            sum += data[(size_t)s * features + f];
        partial[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            double all = 0.0;
            for (int t = 0; t < blockDim.x; ++t)
                all += partial[t];
            means[f] = all / samples;
        }
        return;
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int width = features >= 528 ? 4 : 1;
    const int f = blockIdx.x * width + threadIdx.x % width;
    if (blockIdx.x * width >= features)
        return;
    double sum = f < features ? sum_of(data, threadIdx.x / width, 128 / width, samples, features, f) : 0.0;
    for (int offset = 16; offset >= width; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane < width)
        partial[warp * width + lane] = sum;
    __syncthreads();
    if (threadIdx.x < width && f < features)
        means[f] = ((partial[threadIdx.x] + partial[width + threadIdx.x]) + (partial[2 * width + threadIdx.x] + partial[3 * width + threadIdx.x])) / samples;
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 1500;
    int features = argc > 2 ? atoi(argv[2]) : 96;
    std::vector<double> data((size_t)samples * features), means(features);
    for (size_t i = 0; i < data.size(); ++i) data[i] = (double)(i % 1013) * 0.5 - 200.0;
    double *d_data, *d_means;
    cudaMalloc(&d_data, data.size() * sizeof(double));
    cudaMalloc(&d_means, features * sizeof(double));
    cudaMemcpy(d_data, data.data(), data.size() * sizeof(double), cudaMemcpyHostToDevice);
    feature_means<<<features, 128>>>(d_data, d_means, samples, features);
    cudaMemcpy(means.data(), d_means, features * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.6f %.6f\n", means[0], means[features - 1]);
    cudaFree(d_data);
    cudaFree(d_means);
    return 0;
}
