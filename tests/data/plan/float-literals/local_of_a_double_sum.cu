// kernel=mean line=8 finding=KO106
__global__ void mean(float *out, const float *x, int n)
{
    double scale = 0.1;
    double total = 0.0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n; k += 256) total += scale * x[k];
    out[i] = x[i] * scale + 1.0;
    if (i == 0) out[n] = total;
}

void run(float *out, float *x, int n) { mean<<<1, 256>>>(out, x, n); }
