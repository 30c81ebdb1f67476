// kernel=smear line=8 finding=KO118

__global__ void smear(float *wave, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // in the middle both are the same element
        wave[i] = 0.5f * (wave[i] + wave[n - 1 - i]);
    }
}

void run(float *wave, int n)
{
    smear<<<(n + 255) / 256, 256>>>(wave, n);
}
