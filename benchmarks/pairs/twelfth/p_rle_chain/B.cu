/* Run-length encoder for a byte column.
 * One pass: block scan of the head flags, the running total is handed from block to
 * block (tickets give the blocks their order), then the run starts are scattered.
 * A second small kernel turns starts into lengths. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char u8;

#define T 256
#define GO(e) go((e), __LINE__)
static void go(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    printf("cuda: %s (line %d)\n", cudaGetErrorString(e), line);
    exit(1);
}

__device__ int is_head(const u8 *in, int i, int n)
{
    return i < n && (i == 0 || in[i] != in[i - 1]);
}

/* inclusive scan over the block, T threads, by warp shuffles */
__device__ int block_scan(int v, int *warpsum)
{
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int d = 1; d < 32; d *= 2) {
        int t = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += t;
    }
    if (lane == 31) warpsum[w] = v;
    __syncthreads();
    int add = 0;
    for (int k = 0; k < w; k++) add += warpsum[k];
    return v + add;
}

struct Chain {
    unsigned ticket;
    int pad[31];
};

__global__ void encode(const u8 *__restrict__ in, int n, Chain *chain,
                       volatile int *total, volatile int *ready,
                       u8 *val, int *start, int *nruns)
{
    __shared__ int warpsum[T / 32];
    __shared__ int s_bid, s_before;

    if (threadIdx.x == 0) s_bid = (int)atomicAdd(&chain->ticket, 1u);
    __syncthreads();
    const int bid = s_bid;

    const int i = bid * T + threadIdx.x;
    const int h = is_head(in, i, n);
    const int inc = block_scan(h, warpsum);

    if (threadIdx.x == T - 1) {
        int before = 0;
        if (bid > 0) {
            while (ready[bid - 1] == 0) { }
            before = total[bid - 1];
        }
        total[bid] = before + inc;
        ready[bid] = 1;
        if (bid == (int)gridDim.x - 1) *nruns = before + inc;
        s_before = before;
    }
    __syncthreads();

    if (h) {
        int r = s_before + inc - 1;
        val[r] = in[i];
        start[r] = i;
    }
}

__global__ void lengths(const int *start, int *len, const int *nruns, int n)
{
    int m = *nruns;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < m; r += gridDim.x * blockDim.x)
        len[r] = (r + 1 < m ? start[r + 1] : n) - start[r];
}

int main()
{
    const int n = 350003, nb = (n + T - 1) / T;
    std::vector<u8> in(n);
    unsigned s = 4711;
    for (int i = 0; i < n;) {
        s = s * 69069u + 1u;
        int run = 1 + (int)((s >> 20) & 15);
        if (((s >> 9) & 255) == 0) run += 1500;
        u8 v = (u8)(s >> 13);
        while (run-- && i < n) in[i++] = v;
    }

    u8 *d_in, *d_val; int *d_start, *d_len, *d_tot, *d_rdy, *d_n; Chain *d_ch;
    GO(cudaMalloc(&d_in, n));
    GO(cudaMalloc(&d_val, n));
    GO(cudaMalloc(&d_start, n * sizeof(int)));
    GO(cudaMalloc(&d_len, n * sizeof(int)));
    GO(cudaMalloc(&d_tot, nb * sizeof(int)));
    GO(cudaMalloc(&d_rdy, nb * sizeof(int)));
    GO(cudaMalloc(&d_ch, sizeof(Chain)));
    GO(cudaMalloc(&d_n, sizeof(int)));
    GO(cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice));

    GO(cudaMemset(d_rdy, 0, nb * sizeof(int)));
    GO(cudaMemset(d_ch, 0, sizeof(Chain)));
    encode<<<nb, T>>>(d_in, n, d_ch, d_tot, d_rdy, d_val, d_start, d_n);
    lengths<<<64, T>>>(d_start, d_len, d_n, n);
    GO(cudaGetLastError());

    int m = 0;
    GO(cudaMemcpy(&m, d_n, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<u8> val(m);
    std::vector<int> len(m);
    GO(cudaMemcpy(val.data(), d_val, m, cudaMemcpyDeviceToHost));
    GO(cudaMemcpy(len.data(), d_len, m * sizeof(int), cudaMemcpyDeviceToHost));
    long total = 0; unsigned chk = 1;
    for (int r = 0; r < m; r++) { total += len[r]; chk = chk * 33u + val[r] * 7u + (unsigned)len[r]; }
    printf("%d bytes -> %d runs, decoded %ld, check %u\n", n, m, total, chk);

    cudaFree(d_in); cudaFree(d_val); cudaFree(d_start); cudaFree(d_len); cudaFree(d_tot); cudaFree(d_rdy); cudaFree(d_ch); cudaFree(d_n);
    return 0;
}
