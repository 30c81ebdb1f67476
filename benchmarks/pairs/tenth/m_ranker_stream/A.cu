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
__global__ void rank_kernel(const Request* req, Result* res, Model m, int n)
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

    std::vector<Request> req(BATCH);
    std::vector<Result> res((size_t)BATCH * NBATCH);
    Request* d_req; Result* d_res;
    CUDA(cudaMalloc(&d_req, BATCH * sizeof(Request)));
    CUDA(cudaMalloc(&d_res, BATCH * sizeof(Result)));

    for (int b = 0; b < NBATCH; b++) {
        fill_batch(req.data(), b);
        CUDA(cudaMemcpy(d_req, req.data(), BATCH * sizeof(Request), cudaMemcpyHostToDevice));
        rank_kernel<<<BATCH * 32 / 128, 128>>>(d_req, d_res, m, BATCH);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(&res[(size_t)b * BATCH], d_res, BATCH * sizeof(Result), cudaMemcpyDeviceToHost));
    }

    double total = 0; uint64_t h = 0;
    for (const Result& r : res) { total += r.score; h = h * 1000003u + (uint64_t)r.item; }
    std::printf("requests %zu  mean best score %.6f  items %016llx\n", res.size(), total / res.size(), (unsigned long long)h);
    cudaFree(d_req); cudaFree(d_res);
    cudaFree(m.user); cudaFree(m.item); cudaFree(m.ctx); cudaFree(m.item_bias);
    return 0;
}
