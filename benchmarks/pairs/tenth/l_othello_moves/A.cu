// Othello: legal moves and a simple evaluation for a batch of positions
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

using u64 = unsigned long long;

struct Position { u64 me, opp; };

struct Totals { u64 moves; long long eval; unsigned passes; };

static void ok(cudaError_t e, int line)
{
    if (e != cudaSuccess) { std::printf("line %d: %s\n", line, cudaGetErrorString(e)); std::exit(1); }
}
#define OK(x) ok((x), __LINE__)

__constant__ int cellWeight[64] = {
    90, -20, 12,  6,  6, 12, -20, 90,
   -20, -40, -4, -3, -3, -4, -40, -20,
    12,  -4,  5,  2,  2,  5,  -4, 12,
     6,  -3,  2,  1,  1,  2,  -3,  6,
     6,  -3,  2,  1,  1,  2,  -3,  6,
    12,  -4,  5,  2,  2,  5,  -4, 12,
   -20, -40, -4, -3, -3, -4, -40, -20,
    90, -20, 12,  6,  6, 12, -20, 90};

__device__ bool flips(u64 me, u64 opp, int x, int y, int dx, int dy)
{
    int seen = 0;
    x += dx; y += dy;
    while (x >= 0 && x < 8 && y >= 0 && y < 8) {
        u64 bit = 1ull << (y * 8 + x);
        if (opp & bit) seen++;
        else return seen > 0 && (me & bit);
        x += dx; y += dy;
    }
    return false;
}

__global__ void analyse(const Position *pos, int n, u64 *legal, short *eval, Totals *tot)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 me = pos[i].me;
    u64 opp = pos[i].opp & ~me;            // a disc belongs to one side only
    u64 moves = 0;
    int e = 0, count = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            int c = y * 8 + x;
            u64 bit = 1ull << c;
            if (me & bit) { e += cellWeight[c]; continue; }
            if (opp & bit) { e -= cellWeight[c]; continue; }
            bool any = false;
            for (int dy = -1; dy <= 1 && !any; dy++)
                for (int dx = -1; dx <= 1 && !any; dx++)
                    if ((dx || dy) && flips(me, opp, x, y, dx, dy)) any = true;
            if (any) { moves |= bit; count++; }
        }
    e += 5 * count;
    legal[i] = moves;
    eval[i] = (short)e;
    atomicAdd(&tot->moves, (u64)count);
    atomicAdd((u64 *)&tot->eval, (u64)(long long)e);
    if (count == 0) atomicAdd(&tot->passes, 1u);
}

static u64 state = 88172645463325252ull;
static u64 rnd64() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }

int main()
{
    const int n = 25000;
    std::vector<Position> pos(n);
    for (auto &p : pos) {
        u64 occupied = rnd64() | ((rnd64() & 3) ? rnd64() : 0);     // middle game to end game
        u64 side = rnd64();
        if (rnd64() % 5 == 0) side &= rnd64();
        p.me = occupied & side;
        p.opp = occupied & ~side;
    }
    Position *dp; u64 *dl; short *de; Totals *dt, t = {0, 0, 0};
    OK(cudaMalloc(&dp, n * sizeof(Position)));
    OK(cudaMalloc(&dl, n * sizeof(u64)));
    OK(cudaMalloc(&de, n * sizeof(short)));
    OK(cudaMalloc(&dt, sizeof(Totals)));
    OK(cudaMemcpy(dp, pos.data(), n * sizeof(Position), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dt, &t, sizeof t, cudaMemcpyHostToDevice));

    analyse<<<(n + 191) / 192, 192>>>(dp, n, dl, de, dt);
    OK(cudaGetLastError());

    std::vector<u64> legal(n);
    std::vector<short> ev(n);
    OK(cudaMemcpy(legal.data(), dl, n * sizeof(u64), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(ev.data(), de, n * sizeof(short), cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&t, dt, sizeof t, cudaMemcpyDeviceToHost));
    u64 h = 0;
    for (int i = 0; i < n; i++) h = (h ^ legal[i]) * 0x100000001b3ull + (u64)(unsigned short)ev[i];
    std::printf("%llu moves, eval %lld, %u passes, hash %016llx\n", t.moves, t.eval, t.passes, h);
    std::printf("first position: legal %016llx eval %d\n", legal[0], ev[0]);
    OK(cudaFree(dp)); OK(cudaFree(dl)); OK(cudaFree(de)); OK(cudaFree(dt));
    return 0;
}
