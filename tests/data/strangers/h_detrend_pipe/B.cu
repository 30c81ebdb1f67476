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

static const int RING   = 4;         // staging slots on the host
static const int LANES  = 2;         // device buffers, one stream each

// buf: WIN samples of history, then CHUNK new samples.  energy[b]: sum over the 256 samples of group b
__global__ void __launch_bounds__(TPB) detrend_energy(const int16_t* __restrict__ buf, unsigned long long* __restrict__ energy)
{
    __shared__ int16_t tile[TPB + WIN];
    __shared__ unsigned long long part[TPB / 32];
    const int t = threadIdx.x, base = blockIdx.x * TPB;      // CHUNK is a multiple of TPB
    tile[t] = buf[base + t];
    if (t < WIN) tile[TPB + t] = buf[base + TPB + t];
    __syncthreads();
    int sum = 0;
#pragma unroll 16
    for (int k = 0; k < WIN; k++) sum += tile[WIN + t - k];
    long long d = (long long)WIN * tile[WIN + t] - sum;
    unsigned long long v = (unsigned long long)(d * d);
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if ((t & 31) == 0) part[t >> 5] = v;
    __syncthreads();
    if (t == 0) {
        unsigned long long a = 0;
        for (int w = 0; w < TPB / 32; w++) a += part[w];
        energy[blockIdx.x] = a;
    }
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
    const size_t ebytes = groups * sizeof(unsigned long long);

    int16_t *d_buf[LANES], *h_in[RING];
    unsigned long long *d_energy[LANES], *h_out[RING];
    cudaStream_t st[LANES];
    cudaEvent_t uploaded[LANES], done[RING];
    for (int l = 0; l < LANES; l++) {
        OK(cudaMalloc(&d_buf[l], (WIN + CHUNK) * sizeof(int16_t)));
        OK(cudaMalloc(&d_energy[l], ebytes));
        OK(cudaStreamCreateWithFlags(&st[l], cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&uploaded[l], cudaEventDisableTiming));
    }
    for (int r = 0; r < RING; r++) {
        OK(cudaMallocHost(&h_in[r], CHUNK * sizeof(int16_t)));
        OK(cudaMallocHost(&h_out[r], ebytes));
        OK(cudaEventCreateWithFlags(&done[r], cudaEventDisableTiming));
    }

    Feed feed{ 99u, 0 };
    int last = 0;
    Report rep;
    for (int c = 0; c < NCHUNK; c++) {
        const int l = c % LANES, p = (c + 1) % LANES, r = c % RING;
        if (c >= RING) {                              // slot still holds chunk c-RING
            OK(cudaEventSynchronize(done[r]));
            rep.take(h_out[r], groups);
        }
        decode(feed, last, c, h_in[r]);               // runs while the GPU works on the chunks before

        OK(cudaMemcpyAsync(d_buf[l] + WIN, h_in[r], CHUNK * sizeof(int16_t), cudaMemcpyHostToDevice, st[l]));
        OK(cudaEventRecord(uploaded[l], st[l]));
        if (c == 0) {
            OK(cudaMemsetAsync(d_buf[l], 0, WIN * sizeof(int16_t), st[l]));
        } else {
            // history = end of the previous chunk, which was uploaded on the other stream
            OK(cudaStreamWaitEvent(st[l], uploaded[p], 0));
            OK(cudaMemcpyAsync(d_buf[l], d_buf[p] + CHUNK, WIN * sizeof(int16_t), cudaMemcpyDeviceToDevice, st[l]));
        }
        detrend_energy<<<groups, TPB, 0, st[l]>>>(d_buf[l], d_energy[l]);
        OK(cudaGetLastError());
        OK(cudaMemcpyAsync(h_out[r], d_energy[l], ebytes, cudaMemcpyDeviceToHost, st[l]));
        OK(cudaEventRecord(done[r], st[l]));
    }
    for (int c = NCHUNK > RING ? NCHUNK - RING : 0; c < NCHUNK; c++) {
        OK(cudaEventSynchronize(done[c % RING]));
        rep.take(h_out[c % RING], groups);
    }
    printf("energy %llu  hash %016llx  triggers %d\n", rep.total, rep.hash, rep.triggers);

    for (int l = 0; l < LANES; l++) {
        OK(cudaFree(d_buf[l])); OK(cudaFree(d_energy[l]));
        OK(cudaStreamDestroy(st[l])); OK(cudaEventDestroy(uploaded[l]));
    }
    for (int r = 0; r < RING; r++) { OK(cudaFreeHost(h_in[r])); OK(cudaFreeHost(h_out[r])); OK(cudaEventDestroy(done[r])); }
    return 0;
}
