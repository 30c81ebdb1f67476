// kernel=apart line=7 finding=KO118
// the first element of a block is read by all of it, and changed by one
__global__ void apart(float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        x[i] -= x[blockIdx.x];
}

void run(float *x, int n) { apart<<<(n + 255) / 256, 256>>>(x, n); }
