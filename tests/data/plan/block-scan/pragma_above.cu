// kernel=integralRows line=11 finding=KO119
// integral image, horizontal pass: one block per row, width <= 64
__global__ void integralRows(const unsigned char *src, unsigned int *dst, int width, int pitch) {
    __shared__ unsigned int s[64];
    const unsigned int x = threadIdx.x;
    const unsigned int y = blockIdx.x;
    unsigned int sum = x < width ? src[y * pitch + x] : 0;
    s[x] = sum;
    __syncthreads();
    #pragma unroll
    for (unsigned int i = 1; i < 64; i <<= 1) {
        unsigned int t = 0;
        if (x >= i) { t = s[x - i]; }
        __syncthreads();
        sum += t;
        s[x] = sum;
        __syncthreads();
    }
    if (x < width) dst[y * width + x] = sum;
}

void run(const unsigned char *src, unsigned int *dst, int width, int height) {
    integralRows<<<height, 64>>>(src, dst, width, width);
}
