// Lloyd iterations on 4-dimensional colour+position samples.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cfloat>
#include <cuda_runtime.h>

#define E(x) err((x), __LINE__)
static void err(cudaError_t c, int l) { if (c) { printf("error %s, line %d\n", cudaGetErrorString(c), l); exit(1); } }

const int K = 16;
const int D = 4;

__global__ void assign(const float* pts, int n, const float* cent, int* label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = FLT_MAX;
    int arg = 0;
    for (int k = 0; k < K; k++) {
        float d2 = 0;
        for (int d = 0; d < D; d++) {
            float t = pts[i * D + d] - cent[k * D + d];
            d2 = fmaf(t, t, d2);
        }
        if (d2 < best) { best = d2; arg = k; }
    }
    label[i] = arg;
}

__global__ void accumulate(const float* pts, int n, const int* label, float* sum, int* cnt)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int i = g / D, d = g % D;
    if (i >= n) return;
    int k = label[i];
    atomicAdd(&sum[k * D + d], pts[g]);
    if (d == 0) atomicAdd(&cnt[k], 1);
}

__global__ void update(float* cent, float* sum, int* cnt, int* size_out)
{
    int k = threadIdx.x / D, d = threadIdx.x % D;
    int c = cnt[k];
    if (c > 0) cent[k * D + d] = sum[k * D + d] / c;
    sum[k * D + d] = 0;
    __syncthreads();
    if (d == 0) { size_out[k] = c; cnt[k] = 0; }
}

int main()
{
    const int n = 26001, iters = 3;
    std::vector<float> p(n * D), c(K * D);
    unsigned s = 4242;
    for (int i = 0; i < n; i++) {
        int blob = i < K ? i : (i * 7 + i / 5) % K;
        for (int d = 0; d < D; d++) {
            s = s * 1103515245u + 12345u;
            float noise = ((s >> 9) & 0xffff) / 65536.0f - 0.5f;
            p[i * D + d] = ((blob >> d) & 1) * 10.0f + 0.3f * blob + 2.0f * noise;
        }
    }
    for (int j = 0; j < K * D; j++) c[j] = p[j];       // one seed from each blob

    float *dp, *dc, *ds; int *dl, *dn, *dsz;
    E(cudaMalloc(&dp, n * D * sizeof(float)));
    E(cudaMalloc(&dc, K * D * sizeof(float)));
    E(cudaMalloc(&ds, K * D * sizeof(float)));
    E(cudaMalloc(&dl, n * sizeof(int)));
    E(cudaMalloc(&dn, K * sizeof(int)));
    E(cudaMalloc(&dsz, K * sizeof(int)));
    E(cudaMemcpy(dp, p.data(), n * D * sizeof(float), cudaMemcpyHostToDevice));
    E(cudaMemcpy(dc, c.data(), K * D * sizeof(float), cudaMemcpyHostToDevice));
    E(cudaMemset(ds, 0, K * D * sizeof(float)));
    E(cudaMemset(dn, 0, K * sizeof(int)));
    for (int it = 0; it < iters; it++) {
        assign<<<(n + 127) / 128, 128>>>(dp, n, dc, dl);
        accumulate<<<(n * D + 255) / 256, 256>>>(dp, n, dl, ds, dn);
        update<<<1, K * D>>>(dc, ds, dn, dsz);
    }
    E(cudaGetLastError());
    std::vector<int> label(n), size(K);
    E(cudaMemcpy(c.data(), dc, K * D * sizeof(float), cudaMemcpyDeviceToHost));
    E(cudaMemcpy(label.data(), dl, n * sizeof(int), cudaMemcpyDeviceToHost));
    E(cudaMemcpy(size.data(), dsz, K * sizeof(int), cudaMemcpyDeviceToHost));
    long ls = 0;
    for (int i = 0; i < n; i++) ls += (long)label[i] * (i % 13);
    for (int k = 0; k < K; k++)
        printf("%2d n=%5d  % .4f % .4f % .4f % .4f\n", k, size[k], c[k * D], c[k * D + 1], c[k * D + 2], c[k * D + 3]);
    printf("label checksum %ld\n", ls);
    cudaFree(dp); cudaFree(dc); cudaFree(ds); cudaFree(dl); cudaFree(dn); cudaFree(dsz);
    return 0;
}
