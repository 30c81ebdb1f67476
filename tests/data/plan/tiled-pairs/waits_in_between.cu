// kernel=settle line=8 finding=KO108
__global__ void settle(const float *x, float *out, int n)
{
    __shared__ float most;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) most = 0.0f;
    __syncthreads();
    for (int j = 0; j < n; j++) if (x[j] > i) most = x[j];
    if (i < n) out[i] = most;
}

void run(const float *x, float *out, int n) { settle<<<(n + 63) / 64, 64>>>(x, out, n); }
