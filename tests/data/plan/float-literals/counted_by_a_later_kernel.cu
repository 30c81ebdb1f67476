// kernel=energy line=5 finding=KO106
__global__ void energy(float *e, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) e[i] = v[i] * v[i] * 0.7;
}

__global__ void spectrum(int *count, const float *e, int n, int bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = __float2int_rd(e[i] * bins);
        if (bin >= 0 && bin < bins) atomicAdd(&count[bin], 1);
    }
}

void run(int *count, float *e, const float *v, int n, int steps)
{
    for (int step = 0; step < steps; step++) {
        spectrum<<<32, 128>>>(count, e, n, 64);
        energy<<<(n + 127) / 128, 128>>>(e, v, n);
    }
}
