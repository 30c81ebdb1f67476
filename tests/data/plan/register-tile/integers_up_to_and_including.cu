// kernel=count_paths line=10 finding=KO108
#include <cstdio>

__global__ void count_paths(const int *from, const int *to, int *paths, int n, int last)
{
    unsigned col = blockIdx.x * 8u + threadIdx.x;
    unsigned row = blockIdx.y * 8u + threadIdx.y;
    if (row >= n || col >= n) { return; }
    int found = 0, longest = -1;
    for (unsigned k = 1; k <= last; ++k)
    {
        int both = from[k * n + row] & to[k * n + col];
        found += both ? 1 : 0;
        if (both > longest) longest = both + k;
    }
    paths[row * n + col] = found + longest;
}

int main()
{
    const int n = 45, last = 20;
    int *from, *to, *paths;
    cudaMallocManaged(&from, (last + 1) * n * sizeof(int));
    cudaMallocManaged(&to, (last + 1) * n * sizeof(int));
    cudaMallocManaged(&paths, n * n * sizeof(int));
    for (int i = 0; i < (last + 1) * n; ++i) { from[i] = i * 7 % 31; to[i] = i * 5 % 29; }
    dim3 threads(8, 8);
    dim3 blocks;
    blocks.x = (n + 7) / 8;
    blocks.y = (n + 7) / 8;
    count_paths<<<blocks, threads>>>(from, to, paths, n, last);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < n * n; ++i) sum += paths[i];
    printf("%ld\n", sum);
}
