// kernel=by_key line=6 finding=KO110
__global__ void by_key(const int *key, int *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&table[key[i]], 1);
}

void run(int *in, int *out, int n) { by_key<<<(n + 255) / 256, 256>>>(in, out, n); }
