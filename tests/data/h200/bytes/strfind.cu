/*
 * strfind: look for a few short patterns in a text.
 */
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) { cudaError_t rc = call; if (rc != cudaSuccess) { \
    printf("CUDA error line %d: %s\n", __LINE__, cudaGetErrorString(rc)); return 1; } }

// every thread tries the pattern at its own offset
__global__ void match_at(const char *text, int n, const char *pat, int m, bool *hit)
{
    int pos = blockIdx.x * blockDim.x + threadIdx.x;
    if (pos > n - m) return;
    int k = 0;
    while (k < m) {
        char t = text[pos + k];
        char p = pat[k];
        if (t != p) break;
        ++k;
    }
    hit[pos] = (k == m);
}

// case folding through a table in global memory, window of four
__global__ void match4_nocase(const unsigned char *__restrict__ text, int n,
                              const unsigned char *__restrict__ fold,
                              unsigned key, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 >= n) return;
    unsigned c0 = __ldg(text + i);
    unsigned c1 = __ldg(text + i + 1);
    unsigned c2 = __ldg(text + i + 2);
    unsigned c3 = __ldg(text + i + 3);
    c0 = __ldg(&fold[c0]);
    c1 = __ldg(&fold[c1]);
    c2 = __ldg(&fold[c2]);
    c3 = __ldg(&fold[c3]);
    unsigned w = c0 | c1 << 8 | c2 << 16 | c3 << 24;
    out[i] = (w == key) ? 1 : 0;
}

// each thread owns a chunk of 13 characters and counts the words starting there
__global__ void words_per_chunk(const char *text, int n, unsigned short *cnt, int chunks)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    unsigned short words = 0;
    char prev = ' ';
    if (c > 0)
        prev = text[c * 13 - 1];
    for (int k = 0; k < 13; ++k) {
        int i = c * 13 + k;
        if (i >= n) break;
        char cur = text[i];
        if (prev == ' ' && cur != ' ') ++words;
        prev = cur;
    }
    cnt[c] = words;
}

int main(int argc, char **argv)
{
    const int n = 300007;
    const char *lex[] = { "needle", "in", "the", "HayStack", "neat", "needs", "a", "nEeD", "hay" };
    char *text = (char *)malloc(n);
    unsigned s = 99;
    int p = 0;
    while (p < n) {
        s = s * 69069u + 1u;
        const char *w = lex[(s >> 20) % 9];
        int l = (int)strlen(w);
        for (int k = 0; k < l && p < n; ++k) text[p++] = w[k];
        if (p < n) text[p++] = ' ';
    }
    unsigned char fold[256];
    for (int i = 0; i < 256; ++i) fold[i] = (i >= 'A' && i <= 'Z') ? i + 32 : i;
    const char pat[] = "needle";
    const int m = 6, chunks = (n + 12) / 13;

    char *d_text, *d_pat; bool *d_hit; unsigned char *d_fold, *d_out; unsigned short *d_cnt;
    CHECK(cudaMalloc(&d_text, n));
    CHECK(cudaMalloc(&d_pat, m));
    CHECK(cudaMalloc(&d_hit, n));
    CHECK(cudaMalloc(&d_fold, 256));
    CHECK(cudaMalloc(&d_out, n));
    CHECK(cudaMalloc(&d_cnt, chunks * sizeof(unsigned short)));
    CHECK(cudaMemset(d_hit, 0, n));
    CHECK(cudaMemset(d_out, 0, n));
    CHECK(cudaMemcpy(d_text, text, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_pat, pat, m, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_fold, fold, 256, cudaMemcpyHostToDevice));

    const int T = 256, B = (n + T - 1) / T;
    match_at<<<B, T>>>(d_text, n, d_pat, m, d_hit);
    unsigned key = 'n' | 'e' << 8 | 'e' << 16 | 'd' << 24;
    match4_nocase<<<B, T>>>((unsigned char *)d_text, n, d_fold, key, d_out);
    // the same again, but on the text without its first character
    match4_nocase<<<B, T>>>((unsigned char *)d_text + 1, n - 1, d_fold, key ^ 0x0a000000u, d_out);
    words_per_chunk<<<(chunks + 95) / 96, 96>>>(d_text, n, d_cnt, chunks);
    CHECK(cudaDeviceSynchronize());

    unsigned char *o = (unsigned char *)malloc(n);
    unsigned short *c = (unsigned short *)malloc(chunks * 2);
    unsigned long long sum = 0;
    CHECK(cudaMemcpy(o, d_hit, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) sum += (unsigned long long)o[i] * i;
    CHECK(cudaMemcpy(o, d_out, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) sum += (unsigned long long)o[i] * (i + 3);
    CHECK(cudaMemcpy(c, d_cnt, chunks * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < chunks; ++i) sum = sum * 3 + c[i];
    printf("sum=%llu\n", sum);
    return 0;
}
