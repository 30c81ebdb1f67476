// kernel=finish line=14 finding=KO110
__global__ void finish(const float *in, float *total, int n)
{
    __shared__ float sums[256];
    int t = threadIdx.x;
    sums[t] = blockIdx.x * 256 + t < n ? in[blockIdx.x * 256 + t] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0) {
        float sum = sums[0];
        atomicAdd(total, sum);
    }
}

void run(float *in, float *total, int n) { finish<<<(n + 255) / 256, 256>>>(in, total, n); }
