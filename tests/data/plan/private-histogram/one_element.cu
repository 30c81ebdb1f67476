// kernel=total line=6 finding=KO110
__global__ void total(const int *in, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum[0], in[i]);
}

void run(int *in, int *sum, int n) { total<<<(n + 255) / 256, 256>>>(in, sum, n); }
