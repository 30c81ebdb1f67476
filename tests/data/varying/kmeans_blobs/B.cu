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

// Assignment and accumulation fused: the point stays in a register, sums are private to the block.
__global__ void __launch_bounds__(256)
assign_accumulate(const float4* __restrict__ pts, int n, const float4* __restrict__ cent,
                  int* __restrict__ label, float* __restrict__ sum, int* __restrict__ cnt)
{
    __shared__ float4 sc[K];
    __shared__ float ssum[K * D];
    __shared__ int scnt[K];
    const int t = threadIdx.x;
    if (t < K) { sc[t] = cent[t]; scnt[t] = 0; }
    if (t < K * D) ssum[t] = 0.0f;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = pts[i];
        float best = FLT_MAX;
        int arg = 0;
#pragma unroll
        for (int k = 0; k < K; k++) {
            const float4 c = sc[k];
            float u = p.x - c.x;
            float d2 = __fmul_rn(u, u);
            u = p.y - c.y; d2 = fmaf(u, u, d2);
            u = p.z - c.z; d2 = fmaf(u, u, d2);
            u = p.w - c.w; d2 = fmaf(u, u, d2);
            if (d2 < best) { best = d2; arg = k; }
        }
        label[i] = arg;
        atomicAdd(&ssum[arg * D + 0], p.x);
        atomicAdd(&ssum[arg * D + 1], p.y);
        atomicAdd(&ssum[arg * D + 2], p.z);
        atomicAdd(&ssum[arg * D + 3], p.w);
        atomicAdd(&scnt[arg], 1);
    }
    __syncthreads();
    if (t < K * D && scnt[t / D] > 0) atomicAdd(&sum[t], ssum[t]);
    if (t < K && scnt[t] > 0) atomicAdd(&cnt[t], scnt[t]);
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
        assign_accumulate<<<66, 256>>>((const float4*)dp, n, (const float4*)dc, dl, ds, dn);
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
