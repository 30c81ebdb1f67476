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

// one block ranks one lobby: a player's place is the number of better players + 1.
// No network, two barriers in all; the inner loop is a shared memory broadcast.
__global__ void __launch_bounds__(256)
sortLobby(const Entry *__restrict__ players, const int *__restrict__ first,
          int *__restrict__ orderedId, int *__restrict__ place)
{
    __shared__ float sc[MAXP];
    const int base = first[blockIdx.x];
    const int n = first[blockIdx.x + 1] - base;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sc[i] = players[base + i].score;
    __syncthreads();

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float mine = sc[i];
        int r0 = 0, r1 = 0, r2 = 0, r3 = 0;
        int j = 0;
        for (; j + 4 <= n; j += 4) {
            r0 += sc[j] > mine;
            r1 += sc[j + 1] > mine;
            r2 += sc[j + 2] > mine;
            r3 += sc[j + 3] > mine;
        }
        for (; j < n; j++) r0 += sc[j] > mine;
        const int rank = (r0 + r1) + (r2 + r3);
        const int id = players[base + i].id;
        orderedId[base + rank] = id;
        place[id] = rank + 1;
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
