// kernel=relax line=6 finding=KO108
__global__ void relax(float *x, const float *target, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        x[i] += (x[j] - x[i]) * 0.001f * target[j];
    }
}

void run(float *x, const float *target, int n) { relax<<<(n + 127) / 128, 128>>>(x, target, n); }
