// Single-head attention without a mask: O = softmax(Q K^T / sqrt(64)) V, head size 64.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int D = 64;

// one thread per query; two passes over the keys
// 32 queries from row0 on, by 128 threads
__device__ __forceinline__ void query_tile(const float *q, const float *k, const float *v, float *o, int n_queries, int n_keys, float scale, int row0)
{
    __shared__ __align__(16) float qs[D][36], ks[D][68], vs[64][68];
    float(*ps)[36] = reinterpret_cast<float(*)[36]>(&ks[0][0]);
    const int t = threadIdx.x, ty = t / 16 * 4, tx = t % 16 * 4;
    for (int e = t; e < 32 * D; e += 128)
        qs[e % D][e / D] = row0 + e / D < n_queries ? q[(row0 + e / D) * D + e % D] : 0.0f;
    float m[4], l[4], acc[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        m[i] = -INFINITY;
        l[i] = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; ++j)
            acc[i][j] = 0.0f;
    }
    for (int j0 = 0; j0 < n_keys; j0 += 64) {
        for (int e = t; e < 64 * D; e += 128) {
            const bool is_there = j0 + e / D < n_keys;
            ks[e % D][e / D] = is_there ? k[(j0 + e / D) * D + e % D] : 0.0f;
            vs[e / D][e % D] = is_there ? v[(j0 + e / D) * D + e % D] : 0.0f;
        }
        __syncthreads();
        float s[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                s[i][j] = 0.0f;
#pragma unroll 8
        for (int d = 0; d < D; ++d) {
            const float4 a = *reinterpret_cast<const float4 *>(&qs[d][ty]);
            const float4 b = *reinterpret_cast<const float4 *>(&ks[d][tx]);
            const float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    s[i][j] = fmaf(x[i], y[j], s[i][j]);
        }
        __syncthreads();  // ks is read, ps takes its place
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float biggest = -INFINITY;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[i][j] = j0 + tx + j < n_keys ? s[i][j] * scale : -INFINITY;
                biggest = fmaxf(biggest, s[i][j]);
            }
#pragma unroll
            for (int offset = 8; offset > 0; offset /= 2)
                biggest = fmaxf(biggest, __shfl_xor_sync(0xffffffffu, biggest, offset));
            const float now = fmaxf(m[i], biggest);
            const float factor = expf(m[i] - now);
            m[i] = now;
            float total = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[i][j] = expf(s[i][j] - now);
                total += s[i][j];
                ps[tx + j][ty + i] = s[i][j];
                acc[i][j] *= factor;
            }
#pragma unroll
            for (int offset = 8; offset > 0; offset /= 2)
                total += __shfl_xor_sync(0xffffffffu, total, offset);
            l[i] = l[i] * factor + total;
        }
        __syncthreads();
#pragma unroll 8
        for (int key = 0; key < 64; ++key) {
            const float4 a = *reinterpret_cast<const float4 *>(&ps[key][ty]);
            const float4 b = *reinterpret_cast<const float4 *>(&vs[key][tx]);
            const float x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] = fmaf(x[i], y[j], acc[i][j]);
        }
        __syncthreads();  // before the next tile, or the next queries
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (row0 + ty + i < n_queries)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                o[(row0 + ty + i) * D + tx + j] = acc[i][j] / l[i];
    __syncthreads();  // before qs is loaded again
}

__global__ void attention(const float *q, const float *k, const float *v, float *o, int n_queries, int n_keys, float scale)
{
    if (blockDim.x == 128) {
        for (int row0 = blockIdx.x * 32; row0 < n_queries; row0 += gridDim.x * 32)
            query_tile(q, k, v, o, n_queries, n_keys, scale, row0);
        return;
    }
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n_queries)
        return;
    float m = -INFINITY;
    for (int j = 0; j < n_keys; j++) {
        float s = 0.0f;
        for (int d = 0; d < D; d++)
            s += q[row * D + d] * k[j * D + d];
        m = fmaxf(m, s * scale);
    }
    float acc[D];
    for (int d = 0; d < D; d++)
        acc[d] = 0.0f;
    float l = 0.0f;
    for (int j = 0; j < n_keys; j++) {
        float s = 0.0f;
        for (int d = 0; d < D; d++)
            s += q[row * D + d] * k[j * D + d];
        float p = expf(s * scale - m);
        l += p;
        for (int d = 0; d < D; d++)
            acc[d] += p * v[j * D + d];
    }
    for (int d = 0; d < D; d++)
        o[row * D + d] = acc[d] / l;
}

int main(int argc, char **argv)
{
    int n_queries = argc > 1 ? atoi(argv[1]) : 128;
    int n_keys = argc > 2 ? atoi(argv[2]) : 128;
    std::vector<float> q(n_queries * D), k(n_keys * D), v(n_keys * D), o(n_queries * D);
    for (size_t i = 0; i < q.size(); i++) q[i] = sinf(0.37f * i);
    for (size_t i = 0; i < k.size(); i++) k[i] = cosf(0.91f * i);
    for (size_t i = 0; i < v.size(); i++) v[i] = sinf(0.11f * i + 1.0f);
    float *dq, *dk, *dv, *dout;
    cudaMalloc(&dq, q.size() * sizeof(float));
    cudaMalloc(&dk, k.size() * sizeof(float));
    cudaMalloc(&dv, v.size() * sizeof(float));
    cudaMalloc(&dout, o.size() * sizeof(float));
    cudaMemcpy(dq, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), k.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    const int threads = 64;
    attention<<<(n_queries + 31) / 32, 128>>>(dq, dk, dv, dout, n_queries, n_keys, 0.125f);
    cudaMemcpy(o.data(), dout, o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : o) sum += x;
    printf("%.6f\n", sum);
    return 0;
}
