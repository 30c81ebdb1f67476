// Recommendation model front end: sum-pooled embedding bags, mini-batches arriving from the host.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define OK(stmt) do { cudaError_t rc_ = (stmt); if (rc_ != cudaSuccess) { \
    std::fprintf(stderr, "%s failed: %s\n", #stmt, cudaGetErrorString(rc_)); std::abort(); } } while (0)

namespace cfg {
    constexpr int vocab   = 20000;
    constexpr int dim     = 64;
    constexpr int bags    = 1024;       // samples per mini-batch
    constexpr int maxHot  = 24;         // ids per sample at most
    constexpr int batches = 12;
}

struct Batch {
    int offset[cfg::bags + 1];
    int id[cfg::bags * cfg::maxHot];
};

// stands for the data loader: decodes the next mini-batch into the given buffer
static void loadBatch(int b, Batch& out)
{
    unsigned s = 1000003u * (b + 1);
    int n = 0;
    for (int i = 0; i < cfg::bags; i++) {
        out.offset[i] = n;
        s = s * 1664525u + 1013904223u;
        int hot = (s >> 20) % (cfg::maxHot + 1);
        for (int k = 0; k < hot; k++) {
            s = s * 1664525u + 1013904223u;
            unsigned r = s >> 8;
            out.id[n++] = (r % 3 == 0) ? r % 97 : r % cfg::vocab;     // some ids are hot
        }
    }
    out.offset[cfg::bags] = n;
}

__global__ void initTable(float* table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { unsigned h = i * 2246822519u; h ^= h >> 13; h *= 3266489917u; table[i] = ((h >> 8) & 0xffff) / 65536.f - 0.5f; }
}

__global__ void embeddingBag(const float* table, const Batch* batch, float* out)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    int d = threadIdx.x;
    if (bag >= cfg::bags) return;
    float acc = 0.f;
    for (int j = batch->offset[bag]; j < batch->offset[bag + 1]; j++)
        acc += table[(size_t)batch->id[j] * cfg::dim + d];
    out[(size_t)bag * cfg::dim + d] = acc;
}

int main()
{
    float *dTable, *dOut;
    Batch* dBatch;
    const size_t outElems = (size_t)cfg::bags * cfg::dim;
    OK(cudaMalloc(&dTable, sizeof(float) * cfg::vocab * cfg::dim));
    OK(cudaMalloc(&dOut, sizeof(float) * outElems));
    OK(cudaMalloc(&dBatch, sizeof(Batch)));
    int nt = cfg::vocab * cfg::dim;
    initTable<<<(nt + 255) / 256, 256>>>(dTable, nt);
    OK(cudaGetLastError());

    std::vector<Batch> hBatch(1);
    std::vector<float> hOut(outElems * cfg::batches);
    for (int b = 0; b < cfg::batches; b++) {
        loadBatch(b, hBatch[0]);
        OK(cudaMemcpy(dBatch, hBatch.data(), sizeof(Batch), cudaMemcpyHostToDevice));
        embeddingBag<<<cfg::bags / 4, dim3(cfg::dim, 4)>>>(dTable, dBatch, dOut);
        OK(cudaGetLastError());
        OK(cudaMemcpy(hOut.data() + b * outElems, dOut, sizeof(float) * outElems, cudaMemcpyDeviceToHost));
    }

    for (int b = 0; b < cfg::batches; b++) {
        double s = 0, mx = -1e30;
        for (size_t i = 0; i < outElems; i++) { double v = hOut[b * outElems + i]; s += v * (1 + i % 7); mx = std::max(mx, v); }
        std::printf("batch %2d: %.4f  max %.5f\n", b, s, mx);
    }
    cudaFree(dTable); cudaFree(dOut); cudaFree(dBatch);
    return 0;
}
