// kernel=shifted line=12 finding=KO119
#define BLOCK 256

// the sums of a block go one place further
__global__ void shifted(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    int sum = i < n ? in[i] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    if (t % 32 == 31)
        s[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        sum += s[warp];
    if (i < n)
        out[i + 1] = sum;
}

void run(int *in, int *out, int n) { shifted<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
