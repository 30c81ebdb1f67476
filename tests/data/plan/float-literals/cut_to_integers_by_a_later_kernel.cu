// kernel=shade line=14 finding=KO106
struct Pixel {
    float r, g, b;
};

__device__ unsigned char toByte(float v)
{
    return (unsigned char)(255.0f * fminf(v, 1.0f));
}

__device__ float falloff(float r2)
{
    float d = 0.25f + r2;
    return 1.0f / (d + 0.1 * r2);
}

__global__ void shade(Pixel *image, const float *radius, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        image[i].r = falloff(radius[i]);
        image[i].g = image[i].b = radius[i];
    }
}

__global__ void bytes(unsigned char *out, const Pixel *image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Pixel p = image[i];
        out[3 * i] = toByte(p.r);
        out[3 * i + 1] = toByte(p.g);
        out[3 * i + 2] = toByte(p.b);
    }
}

void frame(unsigned char *out, Pixel *pixels, const float *radius, int n)
{
    shade<<<(n + 255) / 256, 256>>>(pixels, radius, n);
    bytes<<<(n + 255) / 256, 256>>>(out, pixels, n);
}
