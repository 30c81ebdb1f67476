/* Run-length encoder for a byte column.
 * heads -> scan -> scatter of run starts -> run lengths. */
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

/* inclusive scan over the block, T threads */
__device__ int block_scan(int v, int *sh)
{
    sh[threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < T; d *= 2) {
        int t = threadIdx.x >= d ? sh[threadIdx.x - d] : 0;
        __syncthreads();
        sh[threadIdx.x] += t;
        __syncthreads();
    }
    return sh[threadIdx.x];
}

__global__ void count_heads(const u8 *in, int n, int *blocksum)
{
    __shared__ int sh[T];
    int i = blockIdx.x * T + threadIdx.x;
    int inc = block_scan(is_head(in, i, n), sh);
    if (threadIdx.x == T - 1) blocksum[blockIdx.x] = inc;
}

__global__ void scan_sums(int *blocksum, int nb, int *nruns)
{
    __shared__ int sh[T];
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int base = 0; base < nb; base += T) {
        int i = base + threadIdx.x;
        int v = i < nb ? blocksum[i] : 0;
        int inc = block_scan(v, sh);
        int c = carry;
        if (i < nb) blocksum[i] = c + inc - v;
        __syncthreads();
        if (threadIdx.x == T - 1) carry = c + inc;
        __syncthreads();
    }
    if (threadIdx.x == 0) *nruns = carry;
}

__global__ void emit(const u8 *in, int n, const int *blocksum, u8 *val, int *start)
{
    __shared__ int sh[T];
    int i = blockIdx.x * T + threadIdx.x;
    int h = is_head(in, i, n);
    int inc = block_scan(h, sh);
    if (h) {
        int r = blocksum[blockIdx.x] + inc - 1;
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

    u8 *d_in, *d_val; int *d_start, *d_len, *d_sum, *d_n;
    GO(cudaMalloc(&d_in, n));
    GO(cudaMalloc(&d_val, n));
    GO(cudaMalloc(&d_start, n * sizeof(int)));
    GO(cudaMalloc(&d_len, n * sizeof(int)));
    GO(cudaMalloc(&d_sum, nb * sizeof(int)));
    GO(cudaMalloc(&d_n, sizeof(int)));
    GO(cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice));

    count_heads<<<nb, T>>>(d_in, n, d_sum);
    scan_sums<<<1, T>>>(d_sum, nb, d_n);
    emit<<<nb, T>>>(d_in, n, d_sum, d_val, d_start);
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

    cudaFree(d_in); cudaFree(d_val); cudaFree(d_start); cudaFree(d_len); cudaFree(d_sum); cudaFree(d_n);
    return 0;
}
