// kernel=picky line=7 finding=KO110
__global__ void picky(const float *in, float *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] < 0) return;
    atomicAdd(total, in[i]);
}

void run(float *in, float *out, int n) { picky<<<(n + 255) / 256, 256>>>(in, out, n); }
