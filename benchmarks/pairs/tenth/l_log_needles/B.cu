// grep -m1 on the GPU: offset of the first occurrence of every needle in a big log.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define MAXN 16          // needles
#define MAXLEN 32        // bytes per needle
#define NOTFOUND 0xffffffffu

typedef struct {
    int len;
    char s[MAXLEN];
} Needle;

__constant__ Needle needles[MAXN];

#define DIE(e) if ((e) != cudaSuccess) { fprintf(stderr, "cuda error %d, line %d\n", (int)(e), __LINE__); exit(1); }

#define TPB 256
#define PER 8
#define TILE (TPB * PER)

// a block scans TILE positions from shared memory; once a needle has been found
// the remaining blocks have nothing to do and leave at once
__global__ void __launch_bounds__(TPB)
firstMatch(const char *__restrict__ text, unsigned n, unsigned *first)
{
    __shared__ char tile[TILE + MAXLEN];
    __shared__ unsigned seen;
    const int k = blockIdx.y;
    const unsigned start = blockIdx.x * TILE;

    if (threadIdx.x == 0) seen = *(volatile unsigned *)&first[k];
    __syncthreads();
    if (seen != NOTFOUND) return;

    for (unsigned i = threadIdx.x; i < TILE + MAXLEN; i += TPB)
        tile[i] = start + i < n ? text[start + i] : 0;
    __syncthreads();

    const int len = needles[k].len;
    const char c0 = needles[k].s[0];
    unsigned mine = NOTFOUND;
#pragma unroll
    for (int j = 0; j < PER; j++) {
        unsigned o = j * TPB + threadIdx.x;
        unsigned pos = start + o;
        if (pos < n && n - pos >= (unsigned)len && (len == 0 || tile[o] == c0)) {
            int i = 1;
            while (i < len && tile[o + i] == needles[k].s[i]) i++;
            if (i >= len) mine = min(mine, pos);
        }
    }
    for (int d = 16; d > 0; d >>= 1)
        mine = min(mine, __shfl_down_sync(0xffffffffu, mine, d));
    if ((threadIdx.x & 31) == 0 && mine != NOTFOUND) atomicMin(&first[k], mine);
}

int main(int, char **)
{
    static const char *level[] = {"INFO ", "WARN ", "DEBUG ", "ERROR "};
    static const char *what[] = {"disk latency high on ", "session opened for ", "cache miss ratio on ", "retrying upload to ",
                                 "connection reset by ", "checksum mismatch at "};
    std::string log;
    unsigned s = 5;
    char num[32];
    while (log.size() < 240000) {
        s = s * 22695477u + 1u;
        unsigned r = s >> 16;
        log += level[r % 37 == 0 ? 3 : r % 3];
        log += what[(r / 3) % 6];
        snprintf(num, sizeof num, "node%u id=%u\n", (r / 18) % 97, s % 100000);
        log += num;
    }
    const char *words[] = {"ERROR ", "ERROR checksum mismatch", "node96 ", "node5 id=7", "upload to node11 ", "reset by node42", "panic", "WARN session"};
    const int cnt = 8;
    Needle h[MAXN];
    memset(h, 0, sizeof h);
    for (int k = 0; k < cnt; k++) {
        h[k].len = (int)strlen(words[k]);
        memcpy(h[k].s, words[k], h[k].len);
    }
    unsigned n = (unsigned)log.size();
    char *dtext; unsigned *dfirst;
    DIE(cudaMalloc(&dtext, n));
    DIE(cudaMalloc(&dfirst, cnt * sizeof(unsigned)));
    DIE(cudaMemcpyToSymbol(needles, h, sizeof h));
    DIE(cudaMemcpy(dtext, log.data(), n, cudaMemcpyHostToDevice));
    DIE(cudaMemset(dfirst, 0xff, cnt * sizeof(unsigned)));

    dim3 grid((n + TILE - 1) / TILE, cnt);
    firstMatch<<<grid, TPB>>>(dtext, n, dfirst);
    DIE(cudaGetLastError());

    unsigned first[MAXN];
    DIE(cudaMemcpy(first, dfirst, cnt * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int k = 0; k < cnt; k++) {
        if (first[k] == NOTFOUND) printf("%-26s -\n", words[k]);
        else printf("%-26s %u\n", words[k], first[k]);
    }
    DIE(cudaFree(dtext));
    DIE(cudaFree(dfirst));
    return 0;
}
