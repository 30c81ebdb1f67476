// kernel=reach line=6 finding=KO108
__global__ void reach(const float *x, const int *active, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i < n && active[i]) for (int j = 0; j < n; j++) sum += x[j] * (j - i);
    if (i < n) out[i] = sum;
}

void run(const float *x, const int *active, float *out, int n) { reach<<<(n + 63) / 64, 64>>>(x, active, out, n); }
