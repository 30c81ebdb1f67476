// kernel=shade line=5 finding=KO106
__device__ float falloff(float r2)
{
    float d = 0.25f + r2;
    return 1.0f / (d + 0.1 * r2);
}

__global__ void shade(float *image, const float *radius, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = falloff(radius[i]);
}

__global__ void brighten(float *image, unsigned char *mask, const int *gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        image[i] = image[i] * (float)gain[i];
        mask[i] = gain[i] > 3;
    }
}

void frame(float *pixels, unsigned char *mask, const float *radius, const int *gain, int n)
{
    shade<<<(n + 255) / 256, 256>>>(pixels, radius, n);
    brighten<<<(n + 255) / 256, 256>>>(pixels, mask, gain, n);
}
