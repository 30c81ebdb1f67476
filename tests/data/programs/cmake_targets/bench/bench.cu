#include <imgk/imgk.h>
#include <imgk/reduce.cuh>
#include <cstdio>
#include <vector>

int main()
{
    std::vector<double> host(BENCH_ITEMS);
    for (int i = 0; i < BENCH_ITEMS; i++) host[i] = (i * 37) % 101;
    double *in, *partial, sums[8], all = 0;
    cudaMalloc(&in, sizeof(double) * BENCH_ITEMS);
    cudaMalloc(&partial, sizeof(sums));
    cudaMemcpy(in, host.data(), sizeof(double) * BENCH_ITEMS, cudaMemcpyHostToDevice);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    for (int r = 0; r < 3; r++)
        imgk::block_sums<double, 2 * IMGK_BLOCK><<<8, 2 * IMGK_BLOCK>>>(in, partial, BENCH_ITEMS);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaMemcpy(sums, partial, sizeof(sums), cudaMemcpyDeviceToHost);
    for (double s : sums) all += s;
    printf("%s: %.1f\n", BENCH_NAME, all);
    return 0;
}
