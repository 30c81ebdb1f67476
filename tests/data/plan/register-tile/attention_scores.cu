// kernel=scores line=18 finding=KO108
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int B = 16;

// S[h][i][j] = scale * Q[h][i] . K[h][j] + mask
template <typename T>
__global__ void scores(const T* Q, const T* K, T* S, int seq, int dim, float scale, bool causal) {
    int h = blockIdx.z;
    int i = threadIdx.y + blockIdx.y * B, j = threadIdx.x + blockIdx.x * B;
    if (i >= seq || j >= seq) return;
    const T* q = Q + (size_t)h * seq * dim;
    const T* k = K + (size_t)h * seq * dim;
    T acc = 0;
    T norm = 0;
    for (int d = 0; d < dim; ++d) {
        acc += q[i * dim + d] * k[j * dim + d];
        norm += q[i * dim + d] * q[i * dim + d];
    }
    // causal: nothing after the query
    float score = acc * scale / sqrtf((float)norm + 1.0f);
    if (causal && j > i) score = -INFINITY;
    S[((size_t)h * seq + i) * seq + j] = score;
}

int main() {
    int seq = 50, dim = 24, heads = 2;
    std::vector<float> q(heads * seq * dim), k(q.size()), s(heads * seq * seq);
    for (size_t i = 0; i < q.size(); ++i) { q[i] = (i % 7) * 0.125f; k[i] = (i % 5) * 0.25f; }
    float *dq, *dk, *ds;
    cudaMalloc(&dq, q.size() * 4);
    cudaMalloc(&dk, k.size() * 4);
    cudaMalloc(&ds, s.size() * 4);
    cudaMemcpy(dq, q.data(), q.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), k.size() * 4, cudaMemcpyHostToDevice);
    int blocks = (seq + B - 1) / B;
    dim3 grid(blocks, blocks, heads), block(B, B);
    scores<float><<<grid, block>>>(dq, dk, ds, seq, dim, 0.2f, false);
    cudaMemcpy(s.data(), ds, s.size() * 4, cudaMemcpyDeviceToHost);
    double t = 0;
    for (float v : s) t += v;
    printf("%.4f\n", t);
}
