// Leaderboards: every lobby has up to MAXP players; order them by score (best first, lower id wins ties)
// and write the ordered ids plus each player's place.
#include <cuda_runtime.h>
#include <iostream>
#include <iomanip>
#include <vector>
#include <cstdlib>

#define CUDA_OK(stmt) \
    if (cudaError_t _e = (stmt); _e != cudaSuccess) { \
        std::cerr << "CUDA: " << cudaGetErrorString(_e) << " at line " << __LINE__ << "\n"; std::exit(1); }

constexpr int MAXP = 512;

struct Entry {
    float score;
    int id;
};

__device__ bool before(const Entry &a, const Entry &b)
{
    if (a.score != b.score) return a.score > b.score;
    return a.id < b.id;
}

// one block sorts one lobby, bitonic network over the next power of two
__global__ void sortLobby(const Entry *players, const int *first, int *orderedId, int *place)
{
    __shared__ Entry s[MAXP];
    int lobby = blockIdx.x;
    int base = first[lobby];
    int n = first[lobby + 1] - base;
    int P = 1;
    while (P < n) P <<= 1;

    for (int i = threadIdx.x; i < P; i += blockDim.x) {
        if (i < n) s[i] = players[base + i];
        else { s[i].score = -3.0e38f; s[i].id = 0x7fffffff; }
    }
    __syncthreads();

    for (int k = 2; k <= P; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            for (int i = threadIdx.x; i < P; i += blockDim.x) {
                int l = i ^ j;
                if (l > i) {
                    bool up = (i & k) == 0;
                    Entry a = s[i], b = s[l];
                    if (before(b, a) == up) { s[i] = b; s[l] = a; }
                }
            }
            __syncthreads();
        }
    }

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        orderedId[base + i] = s[i].id;
        place[s[i].id] = i + 1;
    }
}

int main()
{
    const int lobbies = 120;
    std::vector<int> first(1, 0);
    std::vector<Entry> players;
    for (int l = 0; l < lobbies; l++) {
        int n = 150 + (l * 97) % 301;                   // 150 .. 450 players
        for (int i = 0; i < n; i++) {
            Entry e;
            int perm = (i * 211 + l * 31) % 509;
            e.score = 1200.0f + 1.5f * perm + 0.25f * (l % 7);
            e.id = (int)players.size();
            players.push_back(e);
        }
        first.push_back((int)players.size());
    }
    const int total = (int)players.size();

    Entry *dP; int *dF, *dO, *dPl;
    CUDA_OK(cudaMalloc(&dP, total * sizeof(Entry)));
    CUDA_OK(cudaMalloc(&dF, first.size() * sizeof(int)));
    CUDA_OK(cudaMalloc(&dO, total * sizeof(int)));
    CUDA_OK(cudaMalloc(&dPl, total * sizeof(int)));
    CUDA_OK(cudaMemcpy(dP, players.data(), total * sizeof(Entry), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dF, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));

    sortLobby<<<lobbies, 256>>>(dP, dF, dO, dPl);
    CUDA_OK(cudaGetLastError());

    std::vector<int> ordered(total), place(total);
    CUDA_OK(cudaMemcpy(ordered.data(), dO, total * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(place.data(), dPl, total * sizeof(int), cudaMemcpyDeviceToHost));

    unsigned h = 0;
    for (int i = 0; i < total; i++) h = h * 16777619u ^ (unsigned)(ordered[i] * 3 + place[i]);
    for (int l = 0; l < lobbies; l += 30) {
        std::cout << "lobby " << std::setw(3) << l << ":";
        for (int k = 0; k < 5; k++) {
            int id = ordered[first[l] + k];
            std::cout << "  #" << id << " (" << players[id].score << ")";
        }
        std::cout << "\n";
    }
    std::cout << total << " players, hash " << std::hex << h << "\n";
    cudaFree(dP); cudaFree(dF); cudaFree(dO); cudaFree(dPl);
    return 0;
}
