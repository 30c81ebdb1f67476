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

    sh[tid] = mySum;
    __syncthreads();

    // do reduction in shared mem
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sh[tid] = mySum = mySum + sh[tid + s];
        }
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) part[blockIdx.x] = mySum;
}

void run(const double *a, const double *b, double *part, unsigned int n)
{
    norm<128><<<(n + 255) / 256, 128, 128 * sizeof(double)>>>(a, b, part, n);
}
