// kernel=add_back line=5 finding=KO124
__global__ void add_back(int *sums, int n, int distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= distance) sums[i] += sums[i - distance];
}

void scan(int *sums, int n)
{
    for (int distance = 1; distance < n; distance *= 2)
        add_back<<<(n + 255) / 256, 256>>>(sums, n, distance);
}
