// kernel=places line=14 finding=KO119
#define BLOCK 512

// where the marked ones go, counted up to each and before each
__global__ void places(const unsigned char *mark, int *upto, int *before, int *counts, int n, int least)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    int is_marked = 0;
    if (i < n)
        is_marked = mark[i] > least;
    s[t] = is_marked;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n) {
        upto[i] = s[t] * 2 + is_marked;
        before[i] = t > 0 ? s[t - 1] : 0;
    }
    if (counts && t == BLOCK - 1)
        counts[blockIdx.x] = s[t];
}

void run(unsigned char *mark, int *upto, int *before, int *counts, int n)
{
    places<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(mark, upto, before, counts, n, 7);
}
