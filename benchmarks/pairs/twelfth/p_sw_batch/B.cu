// Smith-Waterman scores (linear gap) of many query/target pairs, one thread block per pair,
// anti-diagonal wavefront, three diagonals in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define MAXLEN 192          // upper limit of a sequence's length = block size
#define MATCH 3
#define MISMATCH (-2)
#define GAP (-4)

#define cudaTry(x) { cudaError_t r = x; if (r != cudaSuccess) { \
    fprintf(stderr, "fail %d: %s\n", __LINE__, cudaGetErrorString(r)); exit(1); } }

struct Pair { int qOff, qLen, tOff, tLen; };

// saturating add of a (possibly negative) constant, floor 0
__device__ __forceinline__ unsigned char bump(unsigned char v, int by)
{
    return (unsigned char)max(0, (int)v + by);
}

__global__ void sw_score(const char *__restrict__ seq, const Pair *__restrict__ pairs, int *__restrict__ score)
{
    // 8-bit cells as in the striped SIMD implementations: four times the occupancy per
    // byte of shared memory; the target is staged once
    __shared__ unsigned char diag[3][MAXLEN + 4];
    __shared__ char target[MAXLEN];
    __shared__ int warpBest[MAXLEN / 32];
    const Pair p = pairs[blockIdx.x];
    const int q = threadIdx.x;

    for (int d = 0; d < 3; d++) {
        diag[d][q + 1] = 0;
        if (q == 0) diag[d][0] = 0;
    }
    if (q < p.tLen) target[q] = seq[p.tOff + q];
    __syncthreads();

    const char mine = q < p.qLen ? seq[p.qOff + q] : 0;
    unsigned char myBest = 0;
    int c = 0, p1 = 2, p2 = 1;
    for (int d = 0; d < p.qLen + p.tLen - 1; d++) {
        const int t = d - q;
        if (q < p.qLen) {
            unsigned char h = 0;
            if (t >= 0 && t < p.tLen) {
                const unsigned char sub = bump(diag[p2][q], mine == target[t] ? MATCH : MISMATCH);
                const unsigned char up = bump(diag[p1][q], GAP);
                const unsigned char left = bump(diag[p1][q + 1], GAP);
                h = max(sub, max(up, left));
                myBest = max(myBest, h);
            }
            diag[c][q + 1] = h;
        }
        __syncthreads();
        const int o = p2; p2 = p1; p1 = c; c = o;
    }

    const int warpMax = (int)__reduce_max_sync(0xffffffffu, (unsigned)myBest);
    if ((q & 31) == 0) warpBest[q >> 5] = warpMax;
    __syncthreads();
    if (q == 0) {
        int b = warpBest[0];
        for (int w = 1; w < MAXLEN / 32; w++) b = max(b, warpBest[w]);
        score[blockIdx.x] = b;
    }
}

int main()
{
    const int N = 400;
    std::vector<char> seq;
    std::vector<Pair> pairs(N);
    unsigned s = 99;
    auto next = [&]() { s = s * 1103515245u + 12345u; return (s >> 16) & 0x7fff; };
    for (int i = 0; i < N; i++) {
        Pair &p = pairs[i];
        p.qLen = 100 + next() % 93;
        p.tLen = 100 + next() % 93;
        p.qOff = (int)seq.size();
        for (int j = 0; j < p.qLen; j++) seq.push_back("ACGT"[next() % 4]);
        p.tOff = (int)seq.size();
        for (int j = 0; j < p.tLen; j++) {
            // a diverged copy: more than half of the bases are replaced
            char c = (j < p.qLen && next() % 16 < 6) ? seq[p.qOff + j] : "ACGT"[next() % 4];
            seq.push_back(c);
        }
    }

    char *dSeq; Pair *dPairs; int *dScore;
    cudaTry(cudaMalloc(&dSeq, seq.size()));
    cudaTry(cudaMalloc(&dPairs, N * sizeof(Pair)));
    cudaTry(cudaMalloc(&dScore, N * sizeof(int)));
    cudaTry(cudaMemcpy(dSeq, seq.data(), seq.size(), cudaMemcpyHostToDevice));
    cudaTry(cudaMemcpy(dPairs, pairs.data(), N * sizeof(Pair), cudaMemcpyHostToDevice));
    sw_score<<<N, MAXLEN>>>(dSeq, dPairs, dScore);
    cudaTry(cudaGetLastError());
    std::vector<int> score(N);
    cudaTry(cudaMemcpy(score.data(), dScore, N * sizeof(int), cudaMemcpyDeviceToHost));

    int hi = 0; long long sum = 0; unsigned chk = 0;
    for (int i = 0; i < N; i++) {
        sum += score[i];
        if (score[i] > hi) hi = score[i];
        chk = chk * 131u + (unsigned)score[i];
    }
    printf("pairs %d  mean score %.3f  max %d  check %08x\n", N, (double)sum / N, hi, chk);
    cudaFree(dSeq); cudaFree(dPairs); cudaFree(dScore);
    return 0;
}
