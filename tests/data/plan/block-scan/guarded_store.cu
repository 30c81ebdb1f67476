// kernel=Kogge_Stone_scan_kernel line=11 finding=KO119
#define SECTION_SIZE 64

__global__ void Kogge_Stone_scan_kernel(float *X, float *Y, unsigned int InputSize)
{
    __shared__ float XY[SECTION_SIZE];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < InputSize) {
        XY[threadIdx.x] = X[i];
    }
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        float temp;
        if (threadIdx.x >= stride)
            temp = XY[threadIdx.x] + XY[threadIdx.x - stride];
        __syncthreads();
        if (threadIdx.x >= stride)
            XY[threadIdx.x] = temp;
    }
    __syncthreads();
    if (i < InputSize) {
        Y[i] = XY[threadIdx.x];
    }
}

void run(float *x, float *y, unsigned int n)
{
    Kogge_Stone_scan_kernel<<<(n + SECTION_SIZE - 1) / SECTION_SIZE, SECTION_SIZE>>>(x, y, n);
}
