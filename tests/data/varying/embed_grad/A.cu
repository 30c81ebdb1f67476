// Backward of an embedding table: grad_table[token[t]] += grad_out[t]
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(c) check_((c), #c, __LINE__)
inline void check_(cudaError_t e, const char* s, int line)
{
    if (e != cudaSuccess) { printf("line %d: %s failed: %s\n", line, s, cudaGetErrorString(e)); std::exit(2); }
}

template <int DIM>
__global__ void embedding_backward(const float* grad_out, const int32_t* tokens, int n_tokens,
                                   float scale, float* grad_table)
{
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= (int64_t)n_tokens * DIM) return;
    int t = idx / DIM;
    int d = idx % DIM;
    int tok = tokens[t];
    if (tok < 0) return;                       // masked
    atomicAdd(&grad_table[(int64_t)tok * DIM + d], grad_out[idx] * scale);
}

__global__ void sgd(float* table, const float* grad, float lr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) table[i] -= lr * grad[i];
}

int main()
{
    constexpr int DIM = 128, VOCAB = 300, SEQ = 64, BATCH = 47;
    constexpr int T = SEQ * BATCH;
    std::vector<int32_t> tok(T);
    std::vector<float> g((size_t)T * DIM), table((size_t)VOCAB * DIM, 0.25f);
    uint32_t s = 2024;
    auto rnd = [&] { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int b = 0; b < BATCH; ++b) {
        int len = 10 + rnd() % 40;
        for (int p = 0; p < SEQ; ++p) {
            uint32_t r = rnd() % 1000;
            // 0 is the padding token; some positions are masked
            tok[b * SEQ + p] = p >= len ? 0 : (r < 20 ? -1 : int32_t(1 + (r * r / 3343) % (VOCAB - 1)));
        }
    }
    for (auto& x : g) x = (int(rnd() % 2001) - 1000) * 1e-3f;

    float *dg, *dgt, *dt;
    int32_t* dtok;
    CHECK(cudaMalloc(&dg, g.size() * 4));
    CHECK(cudaMalloc(&dgt, table.size() * 4));
    CHECK(cudaMalloc(&dt, table.size() * 4));
    CHECK(cudaMalloc(&dtok, T * 4));
    CHECK(cudaMemcpy(dg, g.data(), g.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dt, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dtok, tok.data(), T * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dgt, 0, table.size() * 4));

    int total = T * DIM;
    embedding_backward<DIM><<<(total + 255) / 256, 256>>>(dg, dtok, T, 1.0f / BATCH, dgt);
    CHECK(cudaGetLastError());
    int np = VOCAB * DIM;
    sgd<<<(np + 255) / 256, 256>>>(dt, dgt, 0.1f, np);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(table.data(), dt, table.size() * 4, cudaMemcpyDeviceToHost));

    double sum = 0, sq = 0;
    for (float x : table) { sum += x; sq += (double)x * x; }
    printf("sum %.5f  norm2 %.5f\n", sum, sq);
    for (int v : {0, 1, 2, 50, 299}) printf("row %3d: %.5f %.5f\n", v, table[v * DIM], table[v * DIM + 77]);
    cudaFree(dg); cudaFree(dgt); cudaFree(dt); cudaFree(dtok);
    return 0;
}
