// Spell checking: Levenshtein distance of every query to every dictionary word.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuda_runtime.h>

constexpr int MAXW = 64;        // bytes per word slot; words have 0..64 bytes

#define TRY(...) do { if (auto err = (__VA_ARGS__)) { \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err)); return 1; } } while (0)

struct Words {
    const unsigned char *text;  // MAXW bytes for each word
    const unsigned char *len;
    int n;
};

__global__ void distances(Words query, Words dict, unsigned char *out)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y;
    if (w >= dict.n) return;
    const unsigned char *a = query.text + q * MAXW;
    const unsigned char *b = dict.text + w * MAXW;
    int la = query.len[q], lb = dict.len[w];

    unsigned char row[MAXW + 1];
    for (int i = 0; i <= la; i++) row[i] = (unsigned char)i;
    for (int j = 1; j <= lb; j++) {
        int diag = row[0];
        row[0] = (unsigned char)j;
        for (int i = 1; i <= la; i++) {
            int up = row[i];
            int d = diag + (a[i - 1] != b[j - 1]);
            d = min(d, min(up, (int)row[i - 1]) + 1);
            row[i] = (unsigned char)d;
            diag = up;
        }
    }
    out[(size_t)q * dict.n + w] = row[la];
}

static void add(std::vector<unsigned char> &text, std::vector<unsigned char> &len, const std::string &s)
{
    size_t at = text.size();
    text.resize(at + MAXW, 0);
    for (size_t i = 0; i < s.size() && i < (size_t)MAXW; i++) text[at + i] = (unsigned char)s[i];
    len.push_back((unsigned char)(s.size() < (size_t)MAXW ? s.size() : (size_t)MAXW));
}

int main()
{
    const int ND = 3000, NQ = 24;
    uint32_t s = 424242;
    auto rnd = [&](uint32_t k) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s % k; };
    const char *syl[] = {"ka", "lo", "mi", "ter", "an", "ber", "so", "qui", "ra", "den", "\xc3\xa9", "th", "x", "ou"};
    std::vector<std::string> words;
    std::vector<unsigned char> dt, dl, qt, ql;
    for (int i = 0; i < ND; i++) {
        std::string w;
        int parts = 1 + (int)rnd(i % 50 == 0 ? 24 : 6);
        for (int k = 0; k < parts; k++) w += syl[rnd(14)];
        words.push_back(w);
        add(dt, dl, w);
    }
    for (int i = 0; i < NQ; i++) {
        std::string w = words[rnd(ND)];
        for (int k = 0; k < 2 && !w.empty(); k++) {
            size_t p = rnd((uint32_t)w.size());
            switch (rnd(3)) {
            case 0: w[p] = 'e'; break;
            case 1: w.erase(p, 1); break;
            default: w.insert(p, 1, 'z');
            }
        }
        add(qt, ql, i == 5 ? std::string() : w);
    }

    unsigned char *ddt, *ddl, *dqt, *dql, *dout;
    TRY(cudaMalloc(&ddt, dt.size()));
    TRY(cudaMalloc(&ddl, dl.size()));
    TRY(cudaMalloc(&dqt, qt.size()));
    TRY(cudaMalloc(&dql, ql.size()));
    TRY(cudaMalloc(&dout, (size_t)ND * NQ));
    TRY(cudaMemcpy(ddt, dt.data(), dt.size(), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(ddl, dl.data(), dl.size(), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dqt, qt.data(), qt.size(), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dql, ql.data(), ql.size(), cudaMemcpyHostToDevice));

    distances<<<dim3((ND + 127) / 128, NQ), 128>>>(Words{dqt, dql, NQ}, Words{ddt, ddl, ND}, dout);
    TRY(cudaGetLastError());

    std::vector<unsigned char> out((size_t)ND * NQ);
    TRY(cudaMemcpy(out.data(), dout, out.size(), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (int q = 0; q < NQ; q++) {
        int best = 0;
        for (int w = 0; w < ND; w++) {
            int d = out[(size_t)q * ND + w];
            sum += (unsigned long long)d * (unsigned)(w % 101 + 1);
            if (d < out[(size_t)q * ND + best]) best = w;
        }
        printf("query %2d (%2d bytes): word %d at distance %d\n", q, ql[q], best, out[(size_t)q * ND + best]);
    }
    printf("weighted sum %llu\n", sum);
    cudaFree(ddt); cudaFree(ddl); cudaFree(dqt); cudaFree(dql); cudaFree(dout);
    return 0;
}
