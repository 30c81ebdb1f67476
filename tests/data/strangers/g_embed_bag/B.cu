// Recommendation model front end: sum-pooled embedding bags, mini-batches arriving from the host.
#include <cstdio>
#include <cstdlib>
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

// 16 lanes x float4 cover one 64-wide row; two bags per warp, ids two at a time.
__global__ void __launch_bounds__(256)
embeddingBag(const float4* __restrict__ table, const Batch* __restrict__ batch, float4* __restrict__ out)
{
    constexpr int V = cfg::dim / 4;
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    int d = threadIdx.x;
    if (bag >= cfg::bags) return;
    int j = batch->offset[bag], end = batch->offset[bag + 1];
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (; j + 1 < end; j += 2) {
        float4 p = __ldg(&table[(size_t)batch->id[j] * V + d]);
        float4 q = __ldg(&table[(size_t)batch->id[j + 1] * V + d]);
        acc.x += p.x; acc.y += p.y; acc.z += p.z; acc.w += p.w;
        acc.x += q.x; acc.y += q.y; acc.z += q.z; acc.w += q.w;
    }
    if (j < end) {
        float4 p = __ldg(&table[(size_t)batch->id[j] * V + d]);
        acc.x += p.x; acc.y += p.y; acc.z += p.z; acc.w += p.w;
    }
    out[(size_t)bag * V + d] = acc;
}

// Double buffering: pinned staging buffer, device batch and result per slot.
struct Slot {
    Batch* host;
    Batch* dev;
    float* out;
    cudaStream_t stream;
    cudaEvent_t uploaded;
};

int main()
{
    float *dTable, *hOut;
    Slot slot[2];
    const size_t outElems = (size_t)cfg::bags * cfg::dim;
    OK(cudaMalloc(&dTable, sizeof(float) * cfg::vocab * cfg::dim));
    OK(cudaMallocHost(&hOut, sizeof(float) * outElems * cfg::batches));
    for (Slot& s : slot) {
        OK(cudaMallocHost(&s.host, sizeof(Batch)));
        OK(cudaMalloc(&s.dev, sizeof(Batch)));
        OK(cudaMalloc(&s.out, sizeof(float) * outElems));
        OK(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&s.uploaded, cudaEventDisableTiming));
    }
    int nt = cfg::vocab * cfg::dim;
    initTable<<<(nt + 255) / 256, 256>>>(dTable, nt);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());          // the table is complete before the streams start

    for (int b = 0; b < cfg::batches; b++) {
        Slot& s = slot[b & 1];
        // the staging buffer of this slot is free once its last upload is done
        if (b >= 2) OK(cudaStreamWaitEvent(s.stream, s.uploaded, 0));
        loadBatch(b, *s.host);
        OK(cudaMemcpyAsync(s.dev, s.host, sizeof(Batch), cudaMemcpyHostToDevice, s.stream));
        OK(cudaEventRecord(s.uploaded, s.stream));
        embeddingBag<<<cfg::bags / 16, dim3(cfg::dim / 4, 16), 0, s.stream>>>((const float4*)dTable, s.dev, (float4*)s.out);
        OK(cudaGetLastError());
        OK(cudaMemcpyAsync(hOut + b * outElems, s.out, sizeof(float) * outElems, cudaMemcpyDeviceToHost, s.stream));
    }
    for (Slot& s : slot) OK(cudaStreamSynchronize(s.stream));

    for (int b = 0; b < cfg::batches; b++) {
        double s = 0, mx = -1e30;
        for (size_t i = 0; i < outElems; i++) { double v = hOut[b * outElems + i]; s += v * (1 + i % 7); mx = std::max(mx, v); }
        std::printf("batch %2d: %.4f  max %.5f\n", b, s, mx);
    }
    for (Slot& s : slot) {
        cudaFreeHost(s.host); cudaFree(s.dev); cudaFree(s.out);
        cudaEventDestroy(s.uploaded); cudaStreamDestroy(s.stream);
    }
    cudaFree(dTable); cudaFreeHost(hOut);
    return 0;
}
