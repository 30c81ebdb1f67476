// kernel=spread line=6 finding=KO108
__global__ void spread(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += fabsf(x[j] - i);
    if (i < n) out[i] = sum;
}

void run(const float *x, float *out, int n, int threads) { spread<<<(n + threads - 1) / threads, threads>>>(x, out, n); }
