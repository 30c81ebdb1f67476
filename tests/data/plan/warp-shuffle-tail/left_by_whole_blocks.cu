// kernel=row_sums line=13 finding=KO115
__global__ void row_sums(const float *x, float *sums, const int *lengths, int pitch)
{
    extern __shared__ float part[];
    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    if (lengths[row] == 0) return;
    float mine = 0;
    for (int c = tid; c < lengths[row]; c += blockDim.x)
        mine += x[row * pitch + c];
    part[tid] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[row] = part[0];
}

void run(const float *x, float *sums, const int *lengths, int rows, int pitch)
{
    row_sums<<<rows, 128, 128 * sizeof(float)>>>(x, sums, lengths, pitch);
}
