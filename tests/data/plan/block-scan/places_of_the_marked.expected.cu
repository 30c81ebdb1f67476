// kernel=places line=14 finding=KO119
#define BLOCK 512

// where the marked ones go, counted up to each and before each
__global__ void places(const unsigned char *mark, int *upto, int *before, int *counts, int n, int least)
{
    __shared__ int s[BLOCK / 128];
    int t = threadIdx.x, first = blockIdx.x * BLOCK + t * 4;
    const bool whole = reinterpret_cast<size_t>(mark) % 4 == 0 && (reinterpret_cast<size_t>(upto) | reinterpret_cast<size_t>(before)) % 16 == 0 && first + 4 <= n;
    int is_marked[4];
    if (whole) {
        alignas(4) unsigned char mark4[4];
        *reinterpret_cast<int *>(mark4) = *reinterpret_cast<const int *>(mark + first);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            is_marked[k] = mark4[k] > least;
    } else {
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = first + k;
            is_marked[k] = i < n ? mark[i] > least : 0;
        }
    }
    int sum = is_marked[0] + is_marked[1] + is_marked[2] + is_marked[3];
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += left;
    }
    int running = __shfl_up_sync(0xffffffff, sum, 1);
    if (t % 32 == 0)
        running = 0;
    if (t % 32 == 31)
        s[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++)
        running += s[warp];
    alignas(16) int upto4[4];
    alignas(16) int before4[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int sum_before = running;
        running += is_marked[k];
        upto4[k] = running * 2 + is_marked[k];
        before4[k] = sum_before;
    }
    if (whole) {
        *reinterpret_cast<int4 *>(upto + first) = *reinterpret_cast<int4 *>(upto4);
        *reinterpret_cast<int4 *>(before + first) = *reinterpret_cast<int4 *>(before4);
    } else {
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (first + k < n) {
                upto[first + k] = upto4[k];
                before[first + k] = before4[k];
            }
        }
    }
    if (counts && t == BLOCK / 4 - 1)
        counts[blockIdx.x] = running;
}

void run(unsigned char *mark, int *upto, int *before, int *counts, int n)
{
    places<<<(n + BLOCK - 1) / BLOCK, BLOCK / 4>>>(mark, upto, before, counts, n, 7);
}
