// One k-means iteration: nearest centroid, accumulate with shared atomics (integer features => deterministic)
#include <climits>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int D = 6;
constexpr int K = 13;

__global__ void assign(const int *__restrict__ pts, const int *__restrict__ cent, int *label, int n)
{
    __shared__ int c[K * D];
    for (int t = threadIdx.x; t < K * D; t += blockDim.x) c[t] = cent[t];
    __syncthreads();

    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;

    int best = INT_MAX, arg = 0;
    for (int k = 0; k < K; ++k) {
        int dist = 0;
        for (int d = 0; d < D; ++d) {
            int diff = pts[p * D + d] - c[k * D + d];
            dist += diff * diff;
        }
        if (dist < best) { best = dist; arg = k; }
    }
    label[p] = arg;
}

__global__ void accumulate(const int *pts, const int *label, int *sums, int *counts, int n)
{
    __shared__ int s[K][D];
    __shared__ int cnt[K];
    if (threadIdx.x < K) {
        for (int d = 0; d < D; ++d) s[threadIdx.x][d] = 0;
        cnt[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        int k = label[p];
        atomicAdd(&cnt[k], 1);
        for (int d = 0; d < D; ++d) atomicAdd(&s[k][d], pts[p * D + d]);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&counts[threadIdx.x], cnt[threadIdx.x]);
        for (int d = 0; d < D; ++d) atomicAdd(&sums[threadIdx.x * D + d], s[threadIdx.x][d]);
    }
}

__global__ void new_centroids(const int *sums, const int *counts, int *cent)
{
    const int k = threadIdx.y, d = threadIdx.x;
    const int m = counts[k];
    if (m > 0) cent[k * D + d] = sums[k * D + d] / m;
}

int main()
{
    const int n = 15013;
    std::vector<int> pts(n * D), cent(K * D), lab(n), got(K * D), rl(n), rs(K * D, 0), rc(K, 0);
    unsigned s = 31;
    for (int &v : pts) { s = s * 69069u + 1u; v = (int)(s >> 22); }
    for (int k = 0; k < K; ++k)
        for (int d = 0; d < D; ++d) cent[k * D + d] = pts[(k * 1000 + 17) * D + d];

    int *dp, *dc, *dl, *ds;
    cudaMalloc(&dp, pts.size() * 4); cudaMalloc(&dc, cent.size() * 4); cudaMalloc(&dl, n * 4); cudaMalloc(&ds, (K * D + K) * 4);
    cudaMemcpy(dp, pts.data(), pts.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, cent.data(), cent.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, (K * D + K) * 4);
    assign<<<(n + 127) / 128, 128>>>(dp, dc, dl, n);
    accumulate<<<20, 128>>>(dp, dl, ds, ds + K * D, n);
    new_centroids<<<1, dim3(D, K)>>>(ds, ds + K * D, dc);
    cudaMemcpy(lab.data(), dl, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(got.data(), dc, got.size() * 4, cudaMemcpyDeviceToHost);

    bool ok = cudaGetLastError() == cudaSuccess;
    for (int p = 0; p < n; ++p) {
        int best = INT_MAX, arg = 0;
        for (int k = 0; k < K; ++k) {
            int dist = 0;
            for (int d = 0; d < D; ++d) { int t = pts[p * D + d] - cent[k * D + d]; dist += t * t; }
            if (dist < best) best = dist, arg = k;
        }
        if (lab[p] != arg) ok = false;
        rc[arg]++;
        for (int d = 0; d < D; ++d) rs[arg * D + d] += pts[p * D + d];
    }
    for (int k = 0; k < K; ++k)
        for (int d = 0; d < D; ++d)
            if (got[k * D + d] != (rc[k] ? rs[k * D + d] / rc[k] : cent[k * D + d])) ok = false;
    printf("kmeans_step %s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
