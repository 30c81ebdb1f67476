// kernel=integralRows line=11 finding=KO119
// integral image, horizontal pass: one block per row, width <= 64
__global__ void integralRows(const unsigned char *src, unsigned int *dst, int width, int pitch) {
    __shared__ unsigned int s[2];
    const unsigned int x = threadIdx.x;
    const unsigned int y = blockIdx.x;
    unsigned int sum = x < width ? src[y * pitch + x] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (x % 32 >= offset)
            sum += left;
    }
    if (x % 32 == 31)
        s[x / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < x / 32; warp++)
        sum += s[warp];
    if (x < width) dst[y * width + x] = sum;
}

void run(const unsigned char *src, unsigned int *dst, int width, int height) {
    integralRows<<<height, 64>>>(src, dst, width, width);
}
