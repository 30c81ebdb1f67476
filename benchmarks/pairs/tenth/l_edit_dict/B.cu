// Spelling suggestions: for every query the closest dictionary word by Levenshtein distance.
// Queries have 1..MAXQ bytes, dictionary words any length.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

using std::string;
using std::vector;

constexpr int MAXQ = 64;

#define GPU(call)                                                          \
    {                                                                      \
        cudaError_t err = call;                                            \
        if (err != cudaSuccess) {                                          \
            printf("GPU error %s in %s\n", cudaGetErrorString(err), #call); \
            exit(EXIT_FAILURE);                                            \
        }                                                                  \
    }

// Myers / Hyyro bit-parallel edit distance: one 64-bit word holds a whole DP column,
// the match masks of the query are built once per block in shared memory.
__global__ void closest(const unsigned char *__restrict__ queries, const int *__restrict__ qlen,
                        const unsigned char *__restrict__ words, const int *__restrict__ woff,
                        int nwords, unsigned int *best)
{
    __shared__ unsigned long long peq[256];
    int q = blockIdx.y;
    const unsigned char *qs = queries + q * MAXQ;
    int m = qlen[q];

    for (int i = threadIdx.x; i < 256; i += blockDim.x) peq[i] = 0;
    __syncthreads();
    for (int j = threadIdx.x; j < m; j += blockDim.x)
        atomicOr(&peq[qs[j]], 1ull << j);
    __syncthreads();

    int w = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int key = 0xffffffffu;
    if (w < nwords) {
        const unsigned long long top = 1 << (m - 1);
        unsigned long long pv = ~0ull, mv = 0ull;
        int score = m;
        int end = woff[w + 1];
        for (int i = woff[w]; i < end; i++) {
            unsigned long long eq = peq[words[i]];
            unsigned long long xv = eq | mv;
            unsigned long long xh = (((eq & pv) + pv) ^ pv) | eq;
            unsigned long long ph = mv | ~(xh | pv);
            unsigned long long mh = pv & xh;
            score += (ph & top) != 0;
            score -= (mh & top) != 0;
            ph = (ph << 1) | 1ull;
            mh <<= 1;
            pv = mh | ~(xv | ph);
            mv = ph & xv;
        }
        key = ((unsigned int)score << 20) | (unsigned int)w;
    }

    // one atomic per warp
    for (int d = 16; d > 0; d >>= 1)
        key = min(key, __shfl_xor_sync(0xffffffffu, key, d));
    if ((threadIdx.x & 31) == 0) atomicMin(&best[q], key);
}

static unsigned lcg(unsigned &s) { s = s * 1103515245u + 12345u; return (s >> 16) & 0x7fff; }

int main()
{
    unsigned seed = 2024;
    const char *syl[] = {"ka", "re", "mon", "ti", "sol", "ver", "an", "qu", "ist", "dro", "lek", "o", "phi", "st", "ux", "ba"};
    const int nwords = 1500, nq = 20;
    vector<string> dict;
    for (int i = 0; i < nwords; i++) {
        string s;
        int k = 4 + lcg(seed) % 7;
        for (int j = 0; j < k; j++) s += syl[lcg(seed) % 16];
        dict.push_back(s);
    }
    vector<unsigned char> flat, hq(nq * MAXQ, 0);
    vector<int> off(1, 0), qlen(nq);
    for (auto &s : dict) { flat.insert(flat.end(), s.begin(), s.end()); off.push_back((int)flat.size()); }
    for (int q = 0; q < nq; q++) {
        string s = dict[lcg(seed) % nwords];
        for (int e = 0; e < 3; e++) {                     // typos
            int p = lcg(seed) % s.size();
            if (e == 1 && s.size() > 3) s.erase(p, 1); else s[p] = 'a' + lcg(seed) % 26;
        }
        if (s.size() > 26) s.resize(26);
        memcpy(&hq[q * MAXQ], s.data(), s.size());
        qlen[q] = (int)s.size();
    }

    unsigned char *dq, *dw; int *dl, *doff; unsigned int *dbest;
    GPU(cudaMalloc(&dq, hq.size()));
    GPU(cudaMalloc(&dw, flat.size()));
    GPU(cudaMalloc(&dl, nq * sizeof(int)));
    GPU(cudaMalloc(&doff, off.size() * sizeof(int)));
    GPU(cudaMalloc(&dbest, nq * sizeof(unsigned int)));
    GPU(cudaMemcpy(dq, hq.data(), hq.size(), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dw, flat.data(), flat.size(), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dl, qlen.data(), nq * sizeof(int), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(doff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice));
    GPU(cudaMemset(dbest, 0xff, nq * sizeof(unsigned int)));

    dim3 block(128), grid((nwords + 127) / 128, nq);
    closest<<<grid, block>>>(dq, dl, dw, doff, nwords, dbest);
    GPU(cudaGetLastError());

    vector<unsigned int> best(nq);
    GPU(cudaMemcpy(best.data(), dbest, nq * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    for (int q = 0; q < nq; q++)
        printf("%.*s -> %s (%u)\n", qlen[q], (const char *)&hq[q * MAXQ], dict[best[q] & 0xfffff].c_str(), best[q] >> 20);
    GPU(cudaFree(dq)); GPU(cudaFree(dw)); GPU(cudaFree(dl)); GPU(cudaFree(doff)); GPU(cudaFree(dbest));
    return 0;
}
