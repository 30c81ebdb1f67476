// kernel=norms line=10 finding=KO101
#include <cmath>
#include <cstdio>

__global__ void norms(const float *vectors, float *norms, int count, int length)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (v >= count) return;
    float sum = 0.0f;
    for (int i = lane; i < length; i += 32) sum += vectors[v * length + i] * vectors[v * length + i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0) norms[v] = sqrtf(sum);
}

static int wrong(const float *vectors, const float *norms, int count, int length)
{
    int found = 0;
    for (int v = 0; v < count; v++)
    {
        double sum = 0;
        for (int i = 0; i < length; i++) sum += vectors[v * length + i] * vectors[v * length + i];
        found += std::fabs(norms[v] - std::sqrt(sum)) > 1e-3;
    }
    return found;
}

int main()
{
    const int count = 200, length = 300;
    float *vectors, *result;
    cudaMallocManaged(&vectors, count * length * sizeof(float));
    cudaMallocManaged(&result, count * sizeof(float));
    for (int i = 0; i < count * length; i++) vectors[i] = i % 7 - 3;
    norms<<<(count + 3) / 4, 128>>>(vectors, result, count, length);
    cudaDeviceSynchronize();
    if (int found = wrong(vectors, result, count, length)) return printf("FAIL %d\n", found), 1;
    return puts("PASS"), 0;
}
