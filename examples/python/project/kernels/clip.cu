// Clips x to [low, high] and counts, in each block, what was clipped.
template <typename T>
__global__ void clip(T *x, unsigned int *counts, int n, T low, T high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_clipped = i < n && (x[i] < low || x[i] > high);
    if (is_clipped) x[i] = x[i] < low ? low : high;
    unsigned int count = __syncthreads_count(is_clipped);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
