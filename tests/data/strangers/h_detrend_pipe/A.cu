// Streaming detector for a seismometer channel: the trace arrives as delta-coded blocks, every block is decoded on
// the host, uploaded behind the last WIN samples of its predecessor, detrended with a trailing mean and squared.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define OK(call) do { cudaError_t rc = (call); if (rc != cudaSuccess) { \
    fprintf(stderr, "[%s:%d] %s -> %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(rc)); abort(); } } while (0)

static const int CHUNK  = 32768;     // samples per block of the feed
static const int WIN    = 64;        // trailing mean
static const int NCHUNK = 18;
static const int TPB    = 256;

// buf: WIN samples of history, then CHUNK new samples.  energy[b]: sum over the 256 samples of group b
__global__ void detrend_energy(const int16_t* buf, unsigned long long* energy)
{
    __shared__ unsigned long long acc[TPB];
    int i = blockIdx.x * TPB + threadIdx.x;           // CHUNK is a multiple of TPB
    int sum = 0;
    for (int k = 0; k < WIN; k++) sum += buf[WIN + i - k];
    long long d = (long long)WIN * buf[WIN + i] - sum;
    acc[threadIdx.x] = (unsigned long long)(d * d);
    __syncthreads();
    for (int s = TPB / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) acc[threadIdx.x] += acc[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) energy[blockIdx.x] = acc[0];
}

struct Feed {                         // stands for the network side: deltas from a small generator
    uint32_t s; int level;
    int8_t next(int t) {
        s = s * 1103515245u + 12345u;
        int d = (int)((s >> 20) & 15) - 7;
        if (t % 90001 > 89000) d *= 6;               // an event now and then
        if (level > 20000) d = -40;
        if (level < -20000) d = 40;
        level += d;
        return (int8_t)d;
    }
};

static void decode(Feed& f, int& last, int chunk, int16_t* dst)
{
    for (int i = 0; i < CHUNK; i++) {
        last += f.next(chunk * CHUNK + i);
        dst[i] = (int16_t)last;
    }
}

struct Report {
    unsigned long long total = 0, hash = 0;
    int triggers = 0;
    unsigned long long lta = 0;
    void take(const unsigned long long* e, int n) {   // must see the groups in order
        for (int b = 0; b < n; b++) {
            if (lta && e[b] > 6 * lta) triggers++;
            lta = lta ? (lta * 15 + e[b]) / 16 : e[b];
            total += e[b];
            hash = hash * 1099511628211ull + e[b];
        }
    }
};

int main()
{
    const int groups = CHUNK / TPB;
    int16_t* d_buf; unsigned long long* d_energy;
    OK(cudaMalloc(&d_buf, (WIN + CHUNK) * sizeof(int16_t)));
    OK(cudaMalloc(&d_energy, groups * sizeof(unsigned long long)));
    OK(cudaMemset(d_buf, 0, (WIN + CHUNK) * sizeof(int16_t)));

    std::vector<int16_t> host(CHUNK);
    std::vector<unsigned long long> e(groups);
    Feed feed{ 99u, 0 };
    int last = 0;
    Report rep;
    for (int c = 0; c < NCHUNK; c++) {
        decode(feed, last, c, host.data());
        // keep the end of the previous block as history
        OK(cudaMemcpy(d_buf, d_buf + CHUNK, WIN * sizeof(int16_t), cudaMemcpyDeviceToDevice));
        OK(cudaMemcpy(d_buf + WIN, host.data(), CHUNK * sizeof(int16_t), cudaMemcpyHostToDevice));
        detrend_energy<<<groups, TPB>>>(d_buf, d_energy);
        OK(cudaGetLastError());
        OK(cudaMemcpy(e.data(), d_energy, groups * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
        rep.take(e.data(), groups);
    }
    printf("energy %llu  hash %016llx  triggers %d\n", rep.total, rep.hash, rep.triggers);
    OK(cudaFree(d_buf)); OK(cudaFree(d_energy));
    return 0;
}
