// kernel=norm line=18 finding=KO115
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
        for (int warp = 1; warp < 4; warp++)
            mySum += sh[warp];
        part[blockIdx.x] = mySum;
    }
}

void run(const double *a, const double *b, double *part, unsigned int n)
{
    norm<128><<<(n + 255) / 256, 128, 128 * sizeof(double)>>>(a, b, part, n);
}
