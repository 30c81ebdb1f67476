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

/* x[series][len], len >= 24; forecast[series][12]; sse[series] */
__global__ void holt_winters(Smooth sm, const float* x, int nser, int len, float* forecast, float* sse)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= nser) return;
    const float* v = x + (size_t)s * len;
    float m1 = 0.f, m2 = 0.f, seas[SEASON];
    for (int j = 0; j < SEASON; j++) { m1 += v[j]; m2 += v[SEASON + j]; }
    m1 /= SEASON; m2 /= SEASON;
    float level = m1, trend = (m2 - m1) / SEASON;
    for (int j = 0; j < SEASON; j++) seas[j] = v[j] - m1;
    float err = 0.f;
    for (int t = SEASON; t < len; t++) {
        int j = t % SEASON;
        float pred = level + trend + seas[j];
        float e = v[t] - pred;
        err += e * e;
        float nl = sm.alpha * (v[t] - seas[j]) + (1.f - sm.alpha) * (level + trend);
        trend = sm.beta * (nl - level) + (1.f - sm.beta) * trend;
        seas[j] = sm.gamma * (v[t] - nl) + (1.f - sm.gamma) * seas[j];
        level = nl;
    }
    for (int h = 1; h <= SEASON; h++)
        forecast[(size_t)s * SEASON + h - 1] = level + h * trend + seas[(len + h - 1) % SEASON];
    sse[s] = err;
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
    float *d_x, *d_f, *d_sse;
    HANDLE(cudaMalloc(&d_x, (size_t)BATCH * len * sizeof(float)));
    HANDLE(cudaMalloc(&d_f, (size_t)BATCH * SEASON * sizeof(float)));
    HANDLE(cudaMalloc(&d_sse, BATCH * sizeof(float)));
    std::vector<float> x((size_t)BATCH * len), f((size_t)BATCH * SEASON), sse(BATCH);

    double tot_sse = 0.0, month[SEASON] = { 0 };
    for (int b = 0; b < nbatch; b++) {
        int n = total - b * BATCH < BATCH ? total - b * BATCH : BATCH;
        fetch_batch(b, n, len, x.data());
        HANDLE(cudaMemcpy(d_x, x.data(), (size_t)n * len * sizeof(float), cudaMemcpyHostToDevice));
        holt_winters<<<(n + 127) / 128, 128>>>(sm, d_x, n, len, d_f, d_sse);
        HANDLE(cudaGetLastError());
        HANDLE(cudaMemcpy(f.data(), d_f, (size_t)n * SEASON * sizeof(float), cudaMemcpyDeviceToHost));
        HANDLE(cudaMemcpy(sse.data(), d_sse, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int s = 0; s < n; s++) {
            tot_sse += sse[s];
            for (int h = 0; h < SEASON; h++) month[h] += f[(size_t)s * SEASON + h];
        }
    }
    printf("%d series, rmse %.5f\n", total, sqrt(tot_sse / ((double)total * (len - SEASON))));
    for (int h = 0; h < SEASON; h++) printf("month +%-2d %.4f\n", h + 1, month[h] / total);
    cudaFree(d_x); cudaFree(d_f); cudaFree(d_sse);
    return 0;
}
