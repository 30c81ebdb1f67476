// Single-head attention without a mask: O = softmax(Q K^T / sqrt(64)) V, head size 64.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int D = 64;

// one thread per query; two passes over the keys
__global__ void attention(const float *q, const float *k, const float *v, float *o, int n_queries, int n_keys, float scale)
{
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
    attention<<<(n_queries + threads - 1) / threads, threads>>>(dq, dk, dv, dout, n_queries, n_keys, 0.125f);
    cudaMemcpy(o.data(), dout, o.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : o) sum += x;
    printf("%.6f\n", sum);
    return 0;
}
