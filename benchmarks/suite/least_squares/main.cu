#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fit.cuh"
#include "solve.h"

#define EXPECT_OK(call)                                                              \
    if (cudaError_t e = (call)) {                                                    \
        std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(e)); \
        std::exit(1);                                                                \
    }

int main(int argc, char **argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 20000;

    std::vector<Sample> samples(count);
    unsigned noise = 1;
    for (int i = 0; i < count; ++i) {
        noise = noise * 22695477u + 1u;
        float x = 2.0f * i / count - 1.0f;
        samples[i].x = x;
        samples[i].y = 0.5f - 1.5f * x + 0.25f * x * x + 2.0f * x * x * x + ((noise >> 16) / 65536.0f - 0.5f) * 0.1f;
    }

    int blocks = (count + FIT_THREADS - 1) / FIT_THREADS;
    if (blocks > 264)
        blocks = 264;

    Sample *d_samples;
    double *d_sums;
    EXPECT_OK(cudaMalloc(&d_samples, count * sizeof(Sample)));
    EXPECT_OK(cudaMalloc(&d_sums, blocks * SUMS * sizeof(double)));
    EXPECT_OK(cudaMemcpy(d_samples, samples.data(), count * sizeof(Sample), cudaMemcpyHostToDevice));
    accumulate<<<blocks, FIT_THREADS>>>(d_samples, count, d_sums);
    EXPECT_OK(cudaGetLastError());

    std::vector<double> block_sums(blocks * SUMS);
    EXPECT_OK(cudaMemcpy(block_sums.data(), d_sums, block_sums.size() * sizeof(double), cudaMemcpyDeviceToHost));
    double sums[SUMS] = {};
    for (int b = 0; b < blocks; ++b)
        for (int k = 0; k < SUMS; ++k)
            sums[k] += block_sums[b * SUMS + k];

    double a[4][4], b[4], c[4];
    for (int row = 0; row < 4; ++row) {
        for (int col = 0; col < 4; ++col)
            a[row][col] = sums[row + col];
        b[row] = sums[POWER_SUMS + row];
    }
    solve4(a, b, c);
    std::printf("y = %.5f + %.5f x + %.5f x^2 + %.5f x^3\n", c[0], c[1], c[2], c[3]);

    EXPECT_OK(cudaFree(d_samples));
    EXPECT_OK(cudaFree(d_sums));
    return 0;
}
