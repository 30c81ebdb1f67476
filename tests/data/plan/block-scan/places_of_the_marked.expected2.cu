// kernel=places line=14 finding=KO119
#define BLOCK 512

// where the marked ones go, counted up to each and before each
__global__ void places(const unsigned char *mark, int *upto, int *before, int *counts, int n, int least)
{
    __shared__ int s[BLOCK / 32];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    int is_marked = 0;
    if (i < n)
        is_marked = mark[i] > least;
    int sum = is_marked;
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    int sum_before = __shfl_up_sync(0xffffffff, sum, 1);
    if (t % 32 == 0)
        sum_before = 0;
    if (t % 32 == 31)
        s[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        int warps = t < BLOCK / 32 ? s[t] : 0;
        for (int offset = 1; offset < 32; offset *= 2) {
            int left = __shfl_up_sync(0xffffffff, warps, offset);
            if (t >= offset)
                warps += left;
        }
        if (t < BLOCK / 32)
            s[t] = warps;
    }
    __syncthreads();
    if (t >= 32) {
        sum += s[t / 32 - 1];
        sum_before += s[t / 32 - 1];
    }
    if (i < n) {
        upto[i] = sum * 2 + is_marked;
        before[i] = sum_before;
    }
    if (counts && t == BLOCK - 1)
        counts[blockIdx.x] = sum;
}

void run(unsigned char *mark, int *upto, int *before, int *counts, int n)
{
    places<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(mark, upto, before, counts, n, 7);
}
