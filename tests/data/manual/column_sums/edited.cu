// Mean of each feature (column) of a samples x features matrix, one block per feature.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

#define COLUMN_THREADS 256
#define ROWS_IN_FLIGHT 8
#define PART_ROWS 16

// Sums of one part of the samples (blockIdx.y) for a column per thread: parts[part * features + column].
__global__ void __launch_bounds__(COLUMN_THREADS, 2048 / COLUMN_THREADS)
feature_partial_sums(const double *__restrict__ data, double *__restrict__ parts, int samples, int features, int rows_per_part)
{
    const int f = blockIdx.x * COLUMN_THREADS + threadIdx.x;
    if (f >= features)
        return;
    const int begin = blockIdx.y * rows_per_part;
    const int end = min(samples, begin + rows_per_part);
    const double *row = data + (size_t)begin * features + f;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int s = begin;
    for (; s + ROWS_IN_FLIGHT <= end; s += ROWS_IN_FLIGHT) {
        double value[ROWS_IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < ROWS_IN_FLIGHT; ++i)
            value[i] = row[(size_t)i * features];
#pragma unroll
        for (int i = 0; i < ROWS_IN_FLIGHT; ++i)
            sum[i % 4] += value[i];
        row += (size_t)ROWS_IN_FLIGHT * features;
    }
    for (; s < end; ++s) {
        sum[0] += *row;
        row += features;
    }
    parts[(size_t)blockIdx.y * features + f] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Adds the parts of 32 columns in a fixed order.
__global__ void __launch_bounds__(32 * PART_ROWS)
feature_means(const double *__restrict__ parts, double *__restrict__ means, int part_count, int samples, int features)
{
    __shared__ double partial[PART_ROWS][33];
    const int f = blockIdx.x * 32 + threadIdx.x;
    double sum = 0.0;
    if (f < features)
        for (int p = threadIdx.y; p < part_count; p += PART_ROWS)
            sum += parts[(size_t)p * features + f];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && f < features) {
        double all = 0.0;
#pragma unroll
        for (int t = 0; t < PART_ROWS; ++t)
            all += partial[t][threadIdx.x];
        means[f] = all / samples;
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 1500;
    int features = argc > 2 ? atoi(argv[2]) : 96;
    std::vector<double> data((size_t)samples * features), means(features);
    for (size_t i = 0; i < data.size(); ++i) data[i] = (double)(i % 1013) * 0.5 - 200.0;
    int device = 0, sm_count = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    const int column_blocks = (features + COLUMN_THREADS - 1) / COLUMN_THREADS;
    const int wanted_parts = std::max(1, sm_count * (2048 / COLUMN_THREADS) / std::max(1, column_blocks));
    const int rows_per_part = std::max(4 * ROWS_IN_FLIGHT, (samples + wanted_parts - 1) / wanted_parts);
    const int part_count = std::max(1, (samples + rows_per_part - 1) / rows_per_part);
    double *d_data, *d_means, *d_parts;
    cudaMalloc(&d_data, data.size() * sizeof(double));
    cudaMalloc(&d_means, features * sizeof(double));
    cudaMalloc(&d_parts, (size_t)part_count * features * sizeof(double));
    cudaMemcpy(d_data, data.data(), data.size() * sizeof(double), cudaMemcpyHostToDevice);
    feature_partial_sums<<<dim3(column_blocks, part_count), COLUMN_THREADS>>>(d_data, d_parts, samples, features, rows_per_part);
    feature_means<<<(features + 31) / 32, dim3(32, PART_ROWS)>>>(d_parts, d_means, part_count, samples, features);
    cudaMemcpy(means.data(), d_means, features * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.6f %.6f\n", means[0], means[features - 1]);
    cudaFree(d_data);
    cudaFree(d_means);
    cudaFree(d_parts);
    return 0;
}
