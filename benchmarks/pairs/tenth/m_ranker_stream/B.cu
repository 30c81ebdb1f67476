// Offline re-ranking: for every request, score CAND candidate items with a factorization machine
// (user/item embedding + one context feature), report the best candidate.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int USERS = 5000;
constexpr int ITEMS = 8000;
constexpr int CTX = 96;
constexpr int DIM = 16;
constexpr int CAND = 32;
constexpr int BATCH = 1024;
constexpr int NBATCH = 12;

#define CUDA(x) do { auto rc = (x); if (rc != cudaSuccess) { std::fprintf(stderr, "%s (%s:%d)\n", cudaGetErrorString(rc), __FILE__, __LINE__); std::abort(); } } while (0)

struct Request {
    int user;
    int context;
    int cand[CAND];
};

struct Result {
    int item;
    float score;
};

struct Model {
    float *user, *item, *ctx, *item_bias;
};

// one warp per request, one candidate per lane
__global__ void rank_kernel(const Request* __restrict__ req, Result* __restrict__ res, Model m, int n)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= n) return;
    const float* u = m.user + (size_t)req[r].user * DIM;
    const float* c = m.ctx + (size_t)req[r].context * DIM;
    int it = req[r].cand[lane];
    const float* v = m.item + (size_t)it * DIM;
    float s = m.item_bias[it];
    for (int d = 0; d < DIM; d++) s += u[d] * v[d] + c[d] * v[d] + u[d] * c[d];
    int who = lane;
    for (int o = 16; o > 0; o /= 2) {
        float s2 = __shfl_down_sync(0xffffffff, s, o);
        int w2 = __shfl_down_sync(0xffffffff, who, o);
        if (s2 > s || (s2 == s && w2 < who)) { s = s2; who = w2; }
    }
    if (lane == 0) {
        res[r].item = req[r].cand[who];
        res[r].score = s;
    }
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static float* upload_table(size_t n, uint64_t seed)
{
    std::vector<float> h(n);
    for (size_t i = 0; i < n; i++) h[i] = (float)(mix(seed + i) >> 40) / 8388608.f - 1.f;
    float* d;
    CUDA(cudaMalloc(&d, n * sizeof(float)));
    CUDA(cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    return d;
}

// stands for reading the next part of a log
static void fill_batch(Request* q, int batch)
{
    for (int i = 0; i < BATCH; i++) {
        uint64_t k = mix(0x1234567u + (uint64_t)batch * BATCH + i);
        q[i].user = (int)(k % USERS);
        q[i].context = (int)((k >> 32) % CTX);
        for (int c = 0; c < CAND; c++) q[i].cand[c] = (int)(mix(k + c + 1) % ITEMS);
    }
}

int main()
{
    Model m;
    m.user = upload_table((size_t)USERS * DIM, 1000003);
    m.item = upload_table((size_t)ITEMS * DIM, 2000003);
    m.ctx = upload_table((size_t)CTX * DIM, 3000017);
    m.item_bias = upload_table(ITEMS, 4000037);

    // Two streams, each with its own device buffers; pinned host memory so that the copies are
    // asynchronous and the upload of a batch overlaps the kernel and download of the previous one.
    Request* req; Result* res;
    CUDA(cudaMallocHost(&req, BATCH * sizeof(Request)));
    CUDA(cudaMallocHost(&res, (size_t)BATCH * NBATCH * sizeof(Result)));
    cudaStream_t st[2]; Request* d_req[2]; Result* d_res[2];
    for (int k = 0; k < 2; k++) {
        CUDA(cudaStreamCreate(&st[k]));
        CUDA(cudaMalloc(&d_req[k], BATCH * sizeof(Request)));
        CUDA(cudaMalloc(&d_res[k], BATCH * sizeof(Result)));
    }

    for (int b = 0; b < NBATCH; b++) {
        const int k = b & 1;
        fill_batch(req, b);
        CUDA(cudaMemcpyAsync(d_req[k], req, BATCH * sizeof(Request), cudaMemcpyHostToDevice, st[k]));
        rank_kernel<<<BATCH * 32 / 128, 128, 0, st[k]>>>(d_req[k], d_res[k], m, BATCH);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpyAsync(res + (size_t)b * BATCH, d_res[k], BATCH * sizeof(Result), cudaMemcpyDeviceToHost, st[k]));
    }
    for (int k = 0; k < 2; k++) CUDA(cudaStreamSynchronize(st[k]));

    const size_t count = (size_t)BATCH * NBATCH;
    double total = 0; uint64_t h = 0;
    for (size_t i = 0; i < count; i++) { total += res[i].score; h = h * 1000003u + (uint64_t)res[i].item; }
    std::printf("requests %zu  mean best score %.6f  items %016llx\n", count, total / count, (unsigned long long)h);
    for (int k = 0; k < 2; k++) { cudaFree(d_req[k]); cudaFree(d_res[k]); cudaStreamDestroy(st[k]); }
    cudaFreeHost(req); cudaFreeHost(res);
    cudaFree(m.user); cudaFree(m.item); cudaFree(m.ctx); cudaFree(m.item_bias);
    return 0;
}
