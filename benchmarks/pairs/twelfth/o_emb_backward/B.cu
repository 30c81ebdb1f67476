// Backward of an embedding lookup with mean loss: scatter-add of output gradients into the table.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

using std::vector;

#define CHECK_CUDA(expr)                                                    \
    do {                                                                    \
        cudaError_t err__ = (expr);                                         \
        if (err__ != cudaSuccess) {                                         \
            fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(err__)); \
            exit(-1);                                                       \
        }                                                                   \
    } while (0)

struct EmbShape {
    int tokens;   // batch * sequence length, any number
    int dim;      // any number
    int vocab;
    int pad_id;   // rows with this id get no gradient
};

// One warp takes 32 consecutive tokens. Equal ids within the warp are found with match_any and
// summed before they go to memory, so frequent words cost one atomic per warp instead of many.
// The count of real tokens comes along for free.
__global__ void __launch_bounds__(128)
scatter_grad(const int64_t* __restrict__ ids, const float* __restrict__ gout, float* gtable, EmbShape s, int* n_real)
{
    const unsigned FULL = 0xffffffffu;
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int base = warp * 32;
    const int t = base + lane;

    int64_t id = s.pad_id;
    if (t < s.tokens) id = ids[t];
    const bool real = id != s.pad_id;

    unsigned peers = 0;
    if (real) peers = __match_any_sync(FULL, (unsigned long long)id);

    const bool leader = real && (__ffs(peers) - 1 == lane);
    unsigned todo = __ballot_sync(FULL, leader);
    const int cnt = __popc(__ballot_sync(FULL, real));
    if (lane == 0 && cnt) atomicAdd(n_real, cnt);

    while (todo) {
        const int src = __ffs(todo) - 1;
        todo &= todo - 1;
        const int row = __shfl_sync(FULL, (int)id, src);
        const unsigned group = __shfl_sync(FULL, peers, src);
        for (int d = lane; d < s.dim; d += 32) {
            float sum = 0.f;
            for (unsigned m = group; m; m &= m - 1)
                sum += gout[(size_t)(base + __ffs(m) - 1) * s.dim + d];
            atomicAdd(&gtable[(size_t)row * s.dim + d], sum);
        }
    }
}

__global__ void scale_table(float* gtable, const int* n_real, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) gtable[i] *= 1.0f / (float)(*n_real > 0 ? *n_real : 1);
}

int main()
{
    EmbShape s;
    s.tokens = 4096;
    s.dim = 200;
    s.vocab = 1500;
    s.pad_id = 0;
    vector<int64_t> ids(s.tokens);
    vector<float> gout((size_t)s.tokens * s.dim), gtab((size_t)s.vocab * s.dim);

    // packed training batch, Zipf-like words: small ids are common
    uint32_t r = 4242;
    for (int t = 0; t < s.tokens; t++) {
        r = r * 747796405u + 2891336453u;
        uint32_t u = (r >> 12) & 0xfffff;
        uint32_t k = (uint32_t)(((uint64_t)u * u) >> 20);              // squared: denser near zero
        ids[t] = 1 + (int64_t)((uint64_t)k * (s.vocab - 1) >> 20);
    }
    for (size_t i = 0; i < gout.size(); i++) gout[i] = (float)((int)((i * 2654435761u) >> 22 & 0xff) - 128) / 128.f;

    int64_t* d_ids;
    float *d_g, *d_t;
    int* d_n;
    CHECK_CUDA(cudaMalloc(&d_ids, ids.size() * sizeof(int64_t)));
    CHECK_CUDA(cudaMalloc(&d_g, gout.size() * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_t, gtab.size() * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_n, sizeof(int)));
    CHECK_CUDA(cudaMemcpy(d_ids, ids.data(), ids.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_g, gout.data(), gout.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(d_t, 0, gtab.size() * sizeof(float)));
    CHECK_CUDA(cudaMemset(d_n, 0, sizeof(int)));

    scatter_grad<<<(s.tokens + 127) / 128, 128>>>(d_ids, d_g, d_t, s, d_n);
    int total = s.vocab * s.dim;
    scale_table<<<(total + 255) / 256, 256>>>(d_t, d_n, total);
    CHECK_CUDA(cudaGetLastError());

    int n = 0;
    CHECK_CUDA(cudaMemcpy(&n, d_n, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(gtab.data(), d_t, gtab.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double l1 = 0;
    for (float v : gtab) l1 += v < 0 ? -v : v;
    printf("real tokens %d, |grad|_1 = %.6f\n", n, l1);
    for (int row = 1; row < 6; row++) printf("row %d: %.6f %.6f\n", row, gtab[(size_t)row * s.dim], gtab[(size_t)row * s.dim + s.dim - 1]);
    cudaFree(d_ids); cudaFree(d_g); cudaFree(d_t); cudaFree(d_n);
    return 0;
}
