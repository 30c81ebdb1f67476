// kernel=largest_even line=6 finding=KO110
__global__ void largest_even(const int *in, int *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int thread_largest = INT_MIN;
    if (i < n && in[i] % 2 == 0)
        thread_largest = max(thread_largest, in[i]);
    for (int offset = 16; offset > 0; offset /= 2)
        thread_largest = max(thread_largest, __shfl_down_sync(0xffffffff, thread_largest, offset));
    __shared__ int warp_largest[8];
    if (threadIdx.x % 32 == 0)
        warp_largest[threadIdx.x / 32] = thread_largest;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            thread_largest = max(thread_largest, warp_largest[warp]);
        atomicMax(largest, thread_largest);
    }
}

void run(int *in, int *out, int n) { largest_even<<<(n + 255) / 256, 256>>>(in, out, n); }
