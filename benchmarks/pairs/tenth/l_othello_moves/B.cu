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

// the weight table is symmetric: ten classes of cells
struct Cells { u64 mask; int weight; };
__constant__ Cells classes[10] = {
    {0x8100000000000081ull,  90}, {0x4281000000008142ull, -20}, {0x2400810000810024ull,  12},
    {0x1800008181000018ull,   6}, {0x0042000000004200ull, -40}, {0x0024420000422400ull,  -4},
    {0x0018004242001800ull,  -3}, {0x0000240000240000ull,   5}, {0x0000182424180000ull,   2},
    {0x0000001818000000ull,   1}};

constexpr u64 NOT_A = 0xfefefefefefefefeull;     // after a step to higher x
constexpr u64 NOT_H = 0x7f7f7f7f7f7f7f7full;     // after a step to lower x

template <int S, u64 MASK>
__device__ __forceinline__ u64 step(u64 b)
{
    return (S > 0 ? b << (S > 0 ? S : 0) : b >> (S < 0 ? -S : 0)) & MASK;
}

// walk all own discs at once over opposing discs in one direction
template <int S, u64 MASK>
__device__ __forceinline__ u64 ray(u64 me, u64 opp)
{
    u64 f = step<S, MASK>(me) & opp;
#pragma unroll
    for (int k = 0; k < 5; k++) f |= step<S, MASK>(f) & opp;     // at most six discs between two ends
    return step<S, MASK>(f);
}

__global__ void analyse(const Position *__restrict__ pos, int n, u64 *__restrict__ legal,
                        short *__restrict__ eval, Totals *tot)
{
    __shared__ unsigned sMoves, sPasses;
    __shared__ int sEval;
    if (threadIdx.x == 0) { sMoves = 0; sPasses = 0; sEval = 0; }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int e = 0, count = 0;
    bool pass = false;
    if (i < n) {
        u64 me = pos[i].me;
        u64 opp = pos[i].opp & ~me;        // a disc belongs to one side only
        u64 m = ray< 1, NOT_A>(me, opp) | ray<-1, NOT_H>(me, opp)
              | ray< 8, ~0ull>(me, opp) | ray<-8, ~0ull>(me, opp)
              | ray< 9, NOT_A>(me, opp) | ray<-9, NOT_H>(me, opp)
              | ray< 7, NOT_H>(me, opp) | ray<-7, NOT_A>(me, opp);
        m &= ~(me | opp);
        count = __popcll(m);
        pass = count == 0;
#pragma unroll
        for (int k = 0; k < 10; k++)
            e += classes[k].weight * (__popcll(me & classes[k].mask) - __popcll(opp & classes[k].mask));
        e += 5 * count;
        legal[i] = m;
        eval[i] = (short)e;
    }

    int wm = count, we = e;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        wm += __shfl_down_sync(0xffffffffu, wm, d);
        we += __shfl_down_sync(0xffffffffu, we, d);
    }
    unsigned wp = __popc(__ballot_sync(0xffffffffu, pass));
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sMoves, (unsigned)wm);
        atomicAdd(&sEval, we);
        if (wp) atomicAdd(&sPasses, wp);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&tot->moves, (u64)sMoves);
        atomicAdd((u64 *)&tot->eval, (u64)(long long)sEval);
        if (sPasses) atomicAdd(&tot->passes, sPasses);
    }
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
