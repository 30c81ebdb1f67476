// kernel=score line=10 finding=KO101 technique=warp-per-row
#include <cstdio>
#include <cstdlib>

// scalar product of two vectors of n floats
__device__ float dot(const float *a, const float *b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

__global__ void score(const float *docs, const float *query, float *scores, int count, int dims, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        scores[i] = scale * dot(docs + i * dims, query, dims);
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
    score<<<(count + 127) / 128, 128>>>(docs, query, scores, count, dims, 1.5f);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < count; i++) sum += scores[i];
    printf("%.4f\n", sum);
    return 0;
}
