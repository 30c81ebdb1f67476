// kernel=compact line=6 finding=KO110
__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        int at = atomicAdd(count, 1);
        out[at] = in[i];
    }
}

void run(int *a, int *b, int *c, int n) { compact<<<(n + 255) / 256, 256>>>(a, b, c, n); }
