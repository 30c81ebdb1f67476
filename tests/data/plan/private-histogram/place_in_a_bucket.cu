// kernel=fill_buckets line=6 finding=KO110
__global__ void fill_buckets(const unsigned char *key, int *used, int *bucket, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bucket[key[i] * 1000 + atomicAdd(&used[key[i]], 1)] = i;
}

void run(unsigned char *key, int *used, int *bucket, int n) { fill_buckets<<<(n + 255) / 256, 256>>>(key, used, bucket, n); }
