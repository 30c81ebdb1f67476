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

__global__ void closest(const unsigned char *queries, const int *qlen,
                        const unsigned char *words, const int *woff, int nwords,
                        unsigned int *best)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y;
    if (w >= nwords) return;
    const unsigned char *qs = queries + q * MAXQ;
    int m = qlen[q];
    const unsigned char *ws = words + woff[w];
    int n = woff[w + 1] - woff[w];

    unsigned short row[MAXQ + 1];
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        unsigned short diag = row[0];
        row[0] = i;
        unsigned char c = ws[i - 1];
        for (int j = 1; j <= m; j++) {
            unsigned short up = row[j];
            unsigned short v = diag + (qs[j - 1] != c);
            if (up + 1 < v) v = up + 1;
            if (row[j - 1] + 1 < v) v = row[j - 1] + 1;
            row[j] = v;
            diag = up;
        }
    }
    // smallest distance, then smallest word index
    atomicMin(&best[q], ((unsigned int)row[m] << 20) | (unsigned int)w);
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
