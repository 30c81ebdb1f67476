// Mean of each feature (column) of a samples x features matrix, one block per feature.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void feature_means(const double *data, double *means, int samples, int features)
{
    __shared__ double partial[128];
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
