// kernel=fade line=7 finding=KO106
__global__ void fade(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double gain = 0.9;
    for (int k = i; k < n; k += 256) {
        out[k] = x[k] * gain + 0.5;
        gain *= 0.9;
    }
}

void run(float *out, float *x, int n) { fade<<<1, 256>>>(out, x, n); }
