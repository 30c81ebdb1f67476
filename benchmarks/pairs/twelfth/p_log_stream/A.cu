// Scan a log in chunks: line count, error lines, longest line, byte histogram.
// The log is produced chunk by chunk on the host (here: synthesized).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(x) do { cudaError_t e = (x); if (e) { fprintf(stderr, "%s @%d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

static const int CHUNK = 1 << 18;
static const int CHUNKS = 12;

struct Stats {
    unsigned lines;
    unsigned errors;
    unsigned longest;
    unsigned hist[256];
};

// Lines never cross chunks; a chunk is filled up with '\0'.
static void produce(char *buf, int chunk)
{
    unsigned s = 1000u + 77u * (unsigned)chunk;
    int at = 0;
    char line[160];
    int serial = 0;
    for (;;) {
        s = s * 1664525u + 1013904223u;
        const char *level = (s >> 24) < 10 ? "ERROR" : (s >> 24) < 60 ? "WARN" : "INFO";
        int m = snprintf(line, sizeof line, "%02d:%06d %s worker-%u took %u us\n", chunk, serial++,
                         level, (s >> 10) % 64u, (s >> 4) % 1000000u);
        if (at + m > CHUNK) break;
        memcpy(buf + at, line, m);
        at += m;
    }
    memset(buf + at, 0, CHUNK - at);
}

__global__ void scanChunk(const char *text, int n, Stats *st)
{
    __shared__ unsigned h[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) h[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char c = (unsigned char)text[i];
        atomicAdd(&h[c], 1u);
        if (c == '\n') {
            int k = i;                              // back to the start of the line
            while (k > 0 && text[k - 1] != '\n') k--;
            atomicMax(&st->longest, (unsigned)(i - k));
            atomicAdd(&st->lines, 1u);
            bool err = false;
            for (int j = k; j + 5 <= i && !err; j++)
                err = text[j] == 'E' && text[j + 1] == 'R' && text[j + 2] == 'R' && text[j + 3] == 'O' && text[j + 4] == 'R';
            if (err) atomicAdd(&st->errors, 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (h[b]) atomicAdd(&st->hist[b], h[b]);
}

int main()
{
    std::vector<char> buf(CHUNK);
    char *dText;
    Stats *dStats, st;
    CUDA(cudaMalloc(&dText, CHUNK));
    CUDA(cudaMalloc(&dStats, sizeof(Stats)));
    CUDA(cudaMemset(dStats, 0, sizeof(Stats)));

    for (int c = 0; c < CHUNKS; c++) {
        produce(buf.data(), c);
        CUDA(cudaMemcpy(dText, buf.data(), CHUNK, cudaMemcpyHostToDevice));
        scanChunk<<<64, 256>>>(dText, CHUNK, dStats);
        CUDA(cudaGetLastError());
    }
    CUDA(cudaMemcpy(&st, dStats, sizeof(Stats), cudaMemcpyDeviceToHost));

    unsigned long long bytes = 0, w = 0;
    for (int b = 1; b < 256; b++) { bytes += st.hist[b]; w += (unsigned long long)st.hist[b] * b; }
    printf("bytes %llu lines %u errors %u longest %u weighted %llu\n", bytes, st.lines, st.errors, st.longest, w);
    printf("digits:");
    for (int b = '0'; b <= '9'; b++) printf(" %u", st.hist[b]);
    printf("\n");
    cudaFree(dText);
    cudaFree(dStats);
    return 0;
}
