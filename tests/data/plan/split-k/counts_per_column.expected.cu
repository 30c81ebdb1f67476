// kernel=count_above line=10 finding=KO111
#include <cstdio>

__global__ void count_above(const float *table, unsigned *hits, float limit, int rows, int cols)
{
    unsigned int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols)
    {
        unsigned found = 0;
        const int share = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(rows, begin + share);
        for (int r = begin; r < end; ++r)
            if (table[r * cols + c] > limit)
                ++found;
        atomicAdd(&hits[c], found);
    }
}

int main()
{
    const int rows = 900, cols = 64;
    float *table;
    unsigned *hits;
    cudaMallocManaged(&table, rows * cols * sizeof(float));
    cudaMallocManaged(&hits, cols * sizeof(unsigned));
    for (int i = 0; i < rows * cols; ++i)
        table[i] = (i * 31 % 97) / 97.0f;
    cudaMemset(hits, 0, cols * sizeof(unsigned));
    count_above<<<dim3(2, 32), 32>>>(table, hits, 0.5f, rows, cols);
    cudaDeviceSynchronize();
    unsigned total = 0;
    for (int c = 0; c < cols; ++c)
        total += hits[c];
    printf("%u\n", total);
    return 0;
}
