// A worm spreading over a computer network (S-I-R on a graph), several replicas with other seeds.
// Every decision uses a counter based hash of (replica, node, step): runs are reproducible.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int KMAX = 32;
enum State : uint8_t { SUSC = 0, INFECTED = 1, PATCHED = 2 };

__constant__ uint32_t infectBelow[KMAX + 1];   // 2^32 * (1 - (1-p)^k)

#define HANDLE(err) handle((err), __FILE__, __LINE__)
inline void handle(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

__host__ __device__ inline uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h ^= h >> 15; h *= 0x2c1b3c6du;
    h ^= h >> 12; h *= 0x297a2d39u;
    h ^= h >> 15;
    return h;
}

constexpr int BLOCK = 256;
constexpr int TEAM = 8;                  // lanes per node: hubs have hundreds of neighbours
constexpr int NODES_PER_BLOCK = BLOCK / TEAM;

__global__ void __launch_bounds__(BLOCK)
advance(const int *__restrict__ rowPtr, const int *__restrict__ adj, int nodes,
        const uint8_t *__restrict__ cur, uint8_t *__restrict__ nxt, int step, uint32_t patchBelow,
        int *infected)
{
    __shared__ int blockInfected;
    if (threadIdx.x == 0) blockInfected = 0;
    __syncthreads();

    const int sub = threadIdx.x % TEAM;
    const int v = blockIdx.x * NODES_PER_BLOCK + threadIdx.x / TEAM;
    const int rep = blockIdx.y;
    const uint8_t *s = cur + (size_t)rep * nodes;
    const bool valid = v < nodes;

    uint8_t st = PATCHED;                // lanes past the end do no work
    int k = 0;
    if (valid) {
        st = s[v];
        if (st == SUSC) {
            const int end = rowPtr[v + 1];
            for (int e = rowPtr[v] + sub; e < end; e += TEAM)
                k += s[adj[e]] == INFECTED;
        }
    }
#pragma unroll
    for (int d = TEAM / 2; d > 0; d >>= 1)
        k += __shfl_xor_sync(0xffffffffu, k, d);

    const uint32_t dice = mix((uint32_t)rep, (uint32_t)v, (uint32_t)step);
    if (st == SUSC) {
        if (dice < infectBelow[min(k, KMAX)]) st = INFECTED;
    } else if (st == INFECTED) {
        if (dice < patchBelow) st = PATCHED;
    }

    const bool leader = valid && sub == 0;
    if (leader) nxt[(size_t)rep * nodes + v] = st;

    const unsigned votes = __ballot_sync(0xffffffffu, leader && st == INFECTED);
    if ((threadIdx.x & 31) == 0 && votes) atomicAdd(&blockInfected, __popc(votes));
    __syncthreads();
    if (threadIdx.x == 0 && blockInfected) atomicAdd(&infected[rep], blockInfected);
}

int main()
{
    const int nodes = 5000, replicas = 6, steps = 7;
    // preferential attachment by copying ends of earlier edges
    std::vector<int> from, to;
    uint32_t s = 4711;
    auto rnd = [&]() { s = s * 1664525u + 1013904223u; return s >> 8; };
    for (int v = 1; v < nodes; v++)
        for (int j = 0; j < 5; j++) {
            int u = (from.empty() || rnd() % 3 == 0) ? (int)(rnd() % v) : to[rnd() % to.size()];
            if (u >= v) u = v - 1;
            from.push_back(v);
            to.push_back(u);
        }
    std::vector<int> rowPtr(nodes + 1, 0), adj(2 * from.size());
    for (size_t e = 0; e < from.size(); e++) { rowPtr[from[e] + 1]++; rowPtr[to[e] + 1]++; }
    for (int v = 0; v < nodes; v++) rowPtr[v + 1] += rowPtr[v];
    std::vector<int> fill(rowPtr.begin(), rowPtr.end() - 1);
    for (size_t e = 0; e < from.size(); e++) { adj[fill[from[e]]++] = to[e]; adj[fill[to[e]]++] = from[e]; }

    uint32_t table[KMAX + 1];
    for (int k = 0; k <= KMAX; k++) table[k] = (uint32_t)(4294967295.0 * (1.0 - std::pow(1.0 - 0.06, k)));
    HANDLE(cudaMemcpyToSymbol(infectBelow, table, sizeof table));

    std::vector<uint8_t> state((size_t)nodes * replicas, SUSC);
    for (int r = 0; r < replicas; r++)
        for (int i = 0; i < 10; i++) state[(size_t)r * nodes + mix(99, r, i) % nodes] = INFECTED;

    int *dRow, *dAdj, *dInf; uint8_t *dCur, *dNxt;
    HANDLE(cudaMalloc(&dRow, rowPtr.size() * sizeof(int)));
    HANDLE(cudaMalloc(&dAdj, adj.size() * sizeof(int)));
    HANDLE(cudaMalloc(&dCur, state.size()));
    HANDLE(cudaMalloc(&dNxt, state.size()));
    HANDLE(cudaMalloc(&dInf, replicas * steps * sizeof(int)));
    HANDLE(cudaMemcpy(dRow, rowPtr.data(), rowPtr.size() * sizeof(int), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(dAdj, adj.data(), adj.size() * sizeof(int), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(dCur, state.data(), state.size(), cudaMemcpyHostToDevice));
    HANDLE(cudaMemset(dInf, 0, replicas * steps * sizeof(int)));

    for (int t = 0; t < steps; t++) {
        dim3 block(BLOCK), grid((nodes + NODES_PER_BLOCK - 1) / NODES_PER_BLOCK, replicas);
        advance<<<grid, block>>>(dRow, dAdj, nodes, dCur, dNxt, t, 0x20000000u, dInf + t * replicas);
        HANDLE(cudaGetLastError());
        uint8_t *tmp = dCur; dCur = dNxt; dNxt = tmp;
    }

    std::vector<int> inf(replicas * steps);
    HANDLE(cudaMemcpy(inf.data(), dInf, inf.size() * sizeof(int), cudaMemcpyDeviceToHost));
    HANDLE(cudaMemcpy(state.data(), dCur, state.size(), cudaMemcpyDeviceToHost));
    for (int r = 0; r < replicas; r++) {
        int cnt[3] = {0, 0, 0};
        for (int v = 0; v < nodes; v++) cnt[state[(size_t)r * nodes + v]]++;
        printf("replica %d: S %d I %d R %d  curve", r, cnt[0], cnt[1], cnt[2]);
        for (int t = 0; t < steps; t++) printf(" %d", inf[t * replicas + r]);
        printf("\n");
    }
    cudaFree(dRow); cudaFree(dAdj); cudaFree(dCur); cudaFree(dNxt); cudaFree(dInf);
    return 0;
}
