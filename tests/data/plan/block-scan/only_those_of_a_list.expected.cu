// kernel=allowed line=13 finding=KO119
#define BLOCK 256

// only the sums of those that a list allows: x may be shorter than the list
__global__ void allowed(const int *list, const float *x, float *out, float *total, int n)
{
    __shared__ float s[BLOCK / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    float v = i < n && list[i] ? x[i] : 0.0f;
    float sum = v;
    for (int offset = 1; offset < 32; offset *= 2) {
        float neighbour = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += neighbour;
    }
    if (t % 32 == 31)
        s[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        sum += s[warp];
    if (i < n)
        out[i] = sum - v;
    if (t == BLOCK - 1)
        total[blockIdx.x] = sum;
}

void run(int *list, float *x, float *out, float *total, int n) { allowed<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(list, x, out, total, n); }
