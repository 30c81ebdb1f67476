/*
 * Demand forecasting: additive Holt-Winters smoothing of many monthly series, batch after batch.
 * Batches come from the store database (here: a generator), the last batch is smaller.
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE(e) (handle((e), __FILE__, __LINE__))
static void handle(cudaError_t e, const char* f, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s in %s:%d\n", cudaGetErrorString(e), f, l); exit(EXIT_FAILURE); }
}

enum { SEASON = 12, BATCH = 3000 };

struct Smooth { float alpha, beta, gamma; };

enum { SPB = 64 };      /* series per block, one thread each */

/*
 * x[series][len], len >= 24; forecast[series][12]; sse[series]
 * The block brings in one season of all of its series at a time (rows of 12 floats, transposed in shared memory),
 * so that the seasonal state has fixed indices and stays in registers.
 */
__global__ void __launch_bounds__(SPB) holt_winters(Smooth sm, const float* __restrict__ x, int nser, int len,
                                                    float* __restrict__ forecast, float* __restrict__ sse)
{
    __shared__ float tile[SEASON][SPB + 1];
    const int tid = threadIdx.x;
    const int s0 = blockIdx.x * SPB;
    const int rows = min((int)SPB, nser - s0);
    const float* blk = x + (size_t)s0 * len;

    float seas[SEASON], level = 0.f, trend = 0.f, err = 0.f;
#pragma unroll
    for (int j = 0; j < SEASON; j++) seas[j] = 0.f;

    for (int t0 = 0; t0 < len; t0 += SEASON) {
        const int m = min((int)SEASON, len - t0);
        for (int k = tid; k < rows * SEASON; k += SPB) {
            int r = k / SEASON, j = k % SEASON;
            if (j < m) tile[j][r] = blk[(size_t)r * len + t0 + j];
        }
        __syncthreads();
        if (tid < rows) {
            if (t0 == 0) {                             /* len >= 24: the first season is full */
                float m1 = 0.f;
#pragma unroll
                for (int j = 0; j < SEASON; j++) { seas[j] = tile[j][tid]; m1 += seas[j]; }
                m1 /= SEASON;
                level = m1;
#pragma unroll
                for (int j = 0; j < SEASON; j++) seas[j] -= m1;
            } else {
                if (t0 == SEASON) {                    /* the second one gives the start of the trend */
                    float m2 = 0.f;
#pragma unroll
                    for (int j = 0; j < SEASON; j++) m2 += tile[j][tid];
                    m2 /= SEASON;
                    trend = (m2 - level) / SEASON;
                }
#pragma unroll
                for (int j = 0; j < SEASON; j++) {
                    if (j < m) {
                        const float v = tile[j][tid];
                        const float base = level + trend;
                        const float e = v - (base + seas[j]);
                        err += e * e;
                        const float nl = sm.alpha * (v - seas[j]) + (1.f - sm.alpha) * base;
                        trend = sm.beta * (nl - level) + (1.f - sm.beta) * trend;
                        seas[j] = sm.gamma * (v - nl) + (1.f - sm.gamma) * seas[j];
                        level = nl;
                    }
                }
            }
        }
        __syncthreads();
    }

    /* forecasts go back through the tile: month h of season position j */
    if (tid < rows) {
        const int r = len % SEASON;
#pragma unroll
        for (int j = 0; j < SEASON; j++) {
            int h = j - r;                             /* (len + h) % SEASON == j, h = 0..11 */
            if (h < 0) h += SEASON;
            tile[h][tid] = level + (h + 1) * trend + seas[j];
        }
        sse[s0 + tid] = err;
    }
    __syncthreads();
    for (int k = tid; k < rows * SEASON; k += SPB)
        forecast[(size_t)s0 * SEASON + k] = tile[k % SEASON][k / SEASON];
}

static void fetch_batch(int b, int n, int len, float* dst)
{
    unsigned r = 12345u + 977u * b;
    for (int s = 0; s < n; s++) {
        r = r * 1664525u + 1013904223u;
        float base = 50.f + (r >> 24), slope = ((int)((r >> 16) & 255) - 128) * 0.004f, amp = 2.f + ((r >> 10) & 31);
        int ph = (r >> 5) % 12;
        static const float wave[12] = { 0.f, .5f, .87f, 1.f, .87f, .5f, 0.f, -.5f, -.87f, -1.f, -.87f, -.5f };
        for (int t = 0; t < len; t++) {
            r = r * 1664525u + 1013904223u;
            dst[(size_t)s * len + t] = base + slope * t + amp * wave[(t + ph) % 12] + (float)(r >> 16) / 16384.f;
        }
    }
}

int main()
{
    const int len = 100, total = 22500;
    const int nbatch = (total + BATCH - 1) / BATCH;
    Smooth sm = { 0.3f, 0.08f, 0.2f };

    /* two lanes: while one batch is on the device, the host fetches the next one into the other lane */
    struct Lane {
        float *d_x, *d_f, *d_sse;
        float *x, *f, *sse;              /* pinned */
        int n;
        cudaStream_t st;
    } lane[2];
    for (Lane& l : lane) {
        HANDLE(cudaMalloc(&l.d_x, (size_t)BATCH * len * sizeof(float)));
        HANDLE(cudaMalloc(&l.d_f, (size_t)BATCH * SEASON * sizeof(float)));
        HANDLE(cudaMalloc(&l.d_sse, BATCH * sizeof(float)));
        HANDLE(cudaMallocHost(&l.x, (size_t)BATCH * len * sizeof(float)));
        HANDLE(cudaMallocHost(&l.f, (size_t)BATCH * SEASON * sizeof(float)));
        HANDLE(cudaMallocHost(&l.sse, BATCH * sizeof(float)));
        HANDLE(cudaStreamCreateWithFlags(&l.st, cudaStreamNonBlocking));
        l.n = 0;
    }

    double tot_sse = 0.0, month[SEASON] = { 0 };
    auto collect = [&](Lane& l) {        /* waits for the lane, adds its results, leaves it empty */
        HANDLE(cudaStreamSynchronize(l.st));
        for (int s = 0; s < l.n; s++) {
            tot_sse += l.sse[s];
            for (int h = 0; h < SEASON; h++) month[h] += l.f[(size_t)s * SEASON + h];
        }
        l.n = 0;
    };

    for (int b = 0; b < nbatch; b++) {
        Lane& l = lane[b & 1];
        collect(l);
        l.n = total - b * BATCH < BATCH ? total - b * BATCH : BATCH;
        fetch_batch(b, l.n, len, l.x);
        HANDLE(cudaMemcpyAsync(l.d_x, l.x, (size_t)l.n * len * sizeof(float), cudaMemcpyHostToDevice, l.st));
        holt_winters<<<(l.n + SPB - 1) / SPB, SPB, 0, l.st>>>(sm, l.d_x, l.n, len, l.d_f, l.d_sse);
        HANDLE(cudaGetLastError());
        HANDLE(cudaMemcpyAsync(l.f, l.d_f, (size_t)l.n * SEASON * sizeof(float), cudaMemcpyDeviceToHost, l.st));
        HANDLE(cudaMemcpyAsync(l.sse, l.d_sse, l.n * sizeof(float), cudaMemcpyDeviceToHost, l.st));
    }
    collect(lane[nbatch & 1]);           /* the older one first */
    collect(lane[(nbatch + 1) & 1]);

    printf("%d series, rmse %.5f\n", total, sqrt(tot_sse / ((double)total * (len - SEASON))));
    for (int h = 0; h < SEASON; h++) printf("month +%-2d %.4f\n", h + 1, month[h] / total);
    for (Lane& l : lane) {
        cudaFree(l.d_x); cudaFree(l.d_f); cudaFree(l.d_sse);
        cudaFreeHost(l.x); cudaFreeHost(l.f); cudaFreeHost(l.sse);
        cudaStreamDestroy(l.st);
    }
    return 0;
}
