// kernel=colour line=5 finding=KO101
__global__ void colour(const unsigned char *image, const float *curve, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = curve[image[i]];
}

void run(const unsigned char *image, float *out, int n)
{
    float *curve;
    cudaMalloc(&curve, 256 * sizeof(float));
    colour<<<(n + 255) / 256, 256>>>(image, curve, out, n);
}
