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

__global__ void sw_score(const char *seq, const Pair *pairs, int *score)
{
    __shared__ int diag[3][MAXLEN + 1];      // index: 1 + query position
    __shared__ int best;
    const Pair p = pairs[blockIdx.x];
    const int q = threadIdx.x;

    for (int d = 0; d < 3; d++) {
        diag[d][q + 1] = 0;
        if (q == 0) diag[d][0] = 0;
    }
    if (q == 0) best = 0;
    __syncthreads();

    const char mine = q < p.qLen ? seq[p.qOff + q] : 0;
    int myBest = 0;
    for (int d = 0; d < p.qLen + p.tLen - 1; d++) {
        int *cur = diag[d % 3], *prev = diag[(d + 2) % 3], *prev2 = diag[(d + 1) % 3];
        const int t = d - q;
        if (q < p.qLen) {
            int h = 0;
            if (t >= 0 && t < p.tLen) {
                int sub = prev2[q] + (mine == seq[p.tOff + t] ? MATCH : MISMATCH);
                int up = prev[q] + GAP;          // gap in target
                int left = prev[q + 1] + GAP;    // gap in query
                h = max(max(0, sub), max(up, left));
                myBest = max(myBest, h);
            }
            cur[q + 1] = h;
        }
        __syncthreads();
    }
    atomicMax(&best, myBest);
    __syncthreads();
    if (q == 0) score[blockIdx.x] = best;
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
