// kernel=prefix line=11 finding=KO119
__global__ void prefix(const int *in, int *out, int rows)
{
    __shared__ int a[64];
    const int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= rows)
        return;
    int t = threadIdx.x, i = row * 64 + t;
    a[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        int v = t >= d ? a[t - d] : 0;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[i] = a[t];
}

void run(int *in, int *out, int rows) { prefix<<<dim3(64, (rows + 63) / 64), 64>>>(in, out, rows); }
