// kernel=norm line=21 finding=KO115
#include <cstdio>
#include <cstdlib>

// after the reduction of the CUDA samples: each thread takes two elements
template <unsigned int blockSize>
__global__ void norm(const double *a, const double *b, double *part, unsigned int n)
{
    extern __shared__ double sh[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;

    double mySum = (i < n) ? a[i] * b[i] : 0;
    if (i + blockSize < n)
        mySum += a[i + blockSize] * b[i + blockSize];

    for (int offset = 16; offset > 0; offset /= 2)
        mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    if (tid % 32 == 0)
        sh[tid / 32] = mySum;
    __syncthreads();
    // write result for this block to global mem
    if (tid == 0) {
        for (int warp = 1; warp < blockSize / 32; warp++)
            mySum += sh[warp];
        part[blockIdx.x] = mySum;
    }
}

int main(int argc, char **argv)
{
    unsigned int n = argc > 1 ? atoi(argv[1]) : 5000;
    unsigned int blocks = (n + 255) / 256;
    double *a, *b, *part;
    cudaMallocManaged(&a, n * sizeof(double));
    cudaMallocManaged(&b, n * sizeof(double));
    cudaMallocManaged(&part, blocks * sizeof(double));
    for (unsigned int i = 0; i < n; i++) {
        a[i] = (i * 7 % 31) * 0.25 - 3;
        b[i] = (i * 11 % 29) * 0.5 - 7;
    }
    norm<128><<<blocks, 128, 128 * sizeof(double)>>>(a, b, part, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (unsigned int i = 0; i < blocks; i++)
        sum += part[i];
    printf("%.6f\n", sum);
    return 0;
}
