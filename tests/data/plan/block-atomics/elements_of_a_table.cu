// kernel=spread line=6 finding=KO110
__global__ void spread(const int *key, float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&table[key[i]], 1.0f);
}

void run(int *in, float *out, int n) { spread<<<(n + 255) / 256, 256>>>(in, out, n); }
