// kernel=Kogge_Stone_scan_kernel line=11 finding=KO119
#define SECTION_SIZE 64

__global__ void Kogge_Stone_scan_kernel(float *X, float *Y, unsigned int InputSize)
{
    __shared__ float XY[SECTION_SIZE / 32];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < InputSize ? X[i] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
        float left = __shfl_up_sync(0xffffffff, sum, offset);
        if (threadIdx.x % 32 >= offset)
            sum += left;
    }
    if (threadIdx.x % 32 == 31)
        XY[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < threadIdx.x / 32; warp++)
        sum += XY[warp];
    if (i < InputSize) {
        Y[i] = sum;
    }
}

void run(float *x, float *y, unsigned int n)
{
    Kogge_Stone_scan_kernel<<<(n + SECTION_SIZE - 1) / SECTION_SIZE, SECTION_SIZE>>>(x, y, n);
}
