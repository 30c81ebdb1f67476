// kernel=cosines line=20 finding=KO123
#include <cmath>
#include <cstdio>

__global__ void cosines(const float *queries, const float *items, float *result, int queryCount, int itemCount, int dims)
{
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    int query = blockIdx.y;
    if (item < itemCount)
    {
        float dot = 0.0f, queryNorm = 0.0f, itemNorm = 0.0f;
        for (int d = 0; d < dims; d++)
        {
            float a = queries[query * dims + d];
            float b = items[d * itemCount + item];
            dot += a * b;
            queryNorm += a * a;
            itemNorm += b * b;
        }
        result[query * itemCount + item] = 0.5f + 0.5f * dot * rsqrtf(queryNorm) * rsqrtf(itemNorm);
    }
}

int main()
{
    const int queryCount = 5, itemCount = 400, dims = 33;
    float *queries, *items, *result;
    cudaMallocManaged(&queries, queryCount * dims * sizeof(float));
    cudaMallocManaged(&items, itemCount * dims * sizeof(float));
    cudaMallocManaged(&result, queryCount * itemCount * sizeof(float));
    for (int i = 0; i < queryCount * dims; i++) queries[i] = i * 31 % 17 - 8;
    for (int i = 0; i < itemCount * dims; i++) items[i] = i * 13 % 23 - 11;
    cosines<<<dim3((itemCount + 127) / 128, queryCount), 128>>>(queries, items, result, queryCount, itemCount, dims);
    cudaDeviceSynchronize();
    for (int q = 0; q < queryCount; q++)
        for (int i = 0; i < itemCount; i++)
        {
            double dot = 0, a = 0, b = 0;
            for (int d = 0; d < dims; d++)
            {
                dot += (double)queries[q * dims + d] * items[d * itemCount + i];
                a += (double)queries[q * dims + d] * queries[q * dims + d];
                b += (double)items[d * itemCount + i] * items[d * itemCount + i];
            }
            if (!(fabs(result[q * itemCount + i] - (0.5 + 0.5 * dot / std::sqrt(a * b))) <= 1e-5)) return printf("FAIL %d %d\n", q, i), 1;
        }
    return puts("PASS"), 0;
}
