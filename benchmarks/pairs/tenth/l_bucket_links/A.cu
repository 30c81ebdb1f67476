// Network simulation: links with a token bucket shaper and a finite queue.
// Traffic comes in batches of T ticks (host traffic model), state stays on the GPU.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x) check_((x), #x, __LINE__)
static void check_(cudaError_t e, const char *s, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s -> %s\n", line, s, cudaGetErrorString(e));
    exit(1);
}

const int LINKS = 16384;
const int T = 24;            // ticks per batch
const int BATCHES = 10;

struct LinkState {
    float tokens;            // bytes that may leave now
    int queued;              // bytes waiting
    int dropped;             // bytes lost so far
    long long sent;
};

__global__ void simulate(LinkState *st, const uint16_t *arrivals, int links, int ticks,
                         float rate, float burst, int qmax)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= links) return;
    LinkState s = st[l];
    for (int t = 0; t < ticks; t++) {
        s.tokens = fminf(s.tokens + rate, burst);
        s.queued += arrivals[t * links + l];
        if (s.queued > qmax) {
            s.dropped += s.queued - qmax;
            s.queued = qmax;
        }
        int out = min(s.queued, (int)s.tokens);
        s.queued -= out;
        s.tokens -= (float)out;
        s.sent += out;
    }
    st[l] = s;
}

// on/off sources, a different phase for each link and batch
static void makeTraffic(uint16_t *a, int batch)
{
    for (int t = 0; t < T; t++)
        for (int l = 0; l < LINKS; l++) {
            uint32_t x = (uint32_t)l * 2654435761u + (uint32_t)(batch * T + t) * 40503u;
            x ^= x >> 15; x *= 0x2c1b3c6du; x ^= x >> 12;
            bool on = ((batch * T + t + l) / 16) % 3 != 0;
            a[t * LINKS + l] = on ? (uint16_t)(x % 1500) : 0;
        }
}

int main()
{
    std::vector<LinkState> st(LINKS);
    for (auto &s : st) { s.tokens = 0; s.queued = 0; s.dropped = 0; s.sent = 0; }
    LinkState *dst;
    CHECK(cudaMalloc(&dst, LINKS * sizeof(LinkState)));
    CHECK(cudaMemcpy(dst, st.data(), LINKS * sizeof(LinkState), cudaMemcpyHostToDevice));

    const size_t bytes = (size_t)T * LINKS * sizeof(uint16_t);
    std::vector<uint16_t> traffic((size_t)T * LINKS);
    uint16_t *darr;
    CHECK(cudaMalloc(&darr, bytes));

    for (int b = 0; b < BATCHES; b++) {
        makeTraffic(traffic.data(), b);
        CHECK(cudaMemcpy(darr, traffic.data(), bytes, cudaMemcpyHostToDevice));
        simulate<<<(LINKS + 127) / 128, 128>>>(dst, darr, LINKS, T, 430.5f, 6000.0f, 9000);
        CHECK(cudaGetLastError());
    }

    CHECK(cudaMemcpy(st.data(), dst, LINKS * sizeof(LinkState), cudaMemcpyDeviceToHost));
    long long sent = 0, dropped = 0, queued = 0;
    for (auto &s : st) { sent += s.sent; dropped += s.dropped; queued += s.queued; }
    printf("sent %lld  dropped %lld  still queued %lld\n", sent, dropped, queued);
    for (int l = 0; l < LINKS; l += 4001)
        printf("link %5d: tokens %.2f queued %d dropped %d sent %lld\n", l, st[l].tokens, st[l].queued, st[l].dropped, st[l].sent);
    CHECK(cudaFree(darr));
    CHECK(cudaFree(dst));
    return 0;
}
