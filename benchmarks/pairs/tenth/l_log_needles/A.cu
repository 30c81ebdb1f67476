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

__global__ void firstMatch(const char *text, unsigned n, unsigned *first)
{
    unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    int len = needles[k].len;
    if (pos >= n || n - pos < (unsigned)len) return;
    for (int i = 0; i < len; i++)
        if (text[pos + i] != needles[k].s[i]) return;
    atomicMin(&first[k], pos);
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

    dim3 grid((n + 255) / 256, cnt);
    firstMatch<<<grid, 256>>>(dtext, n, dfirst);
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
