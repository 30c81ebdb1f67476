// kernel=brighten line=6 finding=KO118
__global__ void brighten(unsigned char *image, const unsigned char *more, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        image[i] += more[blockIdx.x];
}

void run(unsigned char *image, const unsigned char *more, int n) { brighten<<<(n + 127) / 128, 128>>>(image, more, n); }
