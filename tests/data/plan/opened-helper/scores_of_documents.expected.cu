// kernel=score line=10 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cstdlib>

__global__ void score(const float *docs, const float *query, float *scores, int count, int dims, float scale)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (i < count) {
        // scalar product of two vectors of n floats
        const float *a = docs + i * dims;
        float sum = 0;
        for (int j = lane; j < dims; j += 32)
            sum += a[j] * query[j];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (lane == 0) scores[i] = scale * sum;
    }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1000, dims = argc > 2 ? atoi(argv[2]) : 300;
    float *docs, *query, *scores;
    cudaMallocManaged(&docs, count * dims * sizeof(float));
    cudaMallocManaged(&query, dims * sizeof(float));
    cudaMallocManaged(&scores, count * sizeof(float));
    for (int i = 0; i < count * dims; i++) docs[i] = (i % 37) * 0.1f - 1;
    for (int i = 0; i < dims; i++) query[i] = (i % 11) * 0.2f - 1;
    score<<<(count + 3) / 4, 128>>>(docs, query, scores, count, dims, 1.5f);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < count; i++) sum += scores[i];
    printf("%.4f\n", sum);
    return 0;
}
