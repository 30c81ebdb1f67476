// kernel=mark_words line=11 finding=KO101
#include <cstdio>
#define LEN 96
#define BLK 256
__global__ void mark_words(unsigned char *flags, int *counts, const unsigned char *text, int records)
{
    int rec = blockIdx.x * BLK + threadIdx.x;
    if (rec >= records) return;
    int inside = 0, words = 0;
    for (int i = 0; i < LEN; i++) {
        int letter = text[rec * LEN + i] > 32;
        words += letter && !inside;
        flags[rec * LEN + i] = letter ? 2 - inside : 0;
        inside = letter;
    }
    counts[rec] = words + flags[rec * LEN];
}

int main() {
    const int records = 301;
    unsigned char *text, *flags;
    int *counts;
    cudaMallocManaged(&text, records * LEN);
    cudaMallocManaged(&flags, records * LEN);
    cudaMallocManaged(&counts, records * sizeof(int));
    for (int i = 0; i < records * LEN; i++) text[i] = i * i % 13 > 3 ? 'a' + i % 26 : ' ';
    mark_words<<<(records + BLK - 1) / BLK, BLK>>>(flags, counts, text, records);
    cudaDeviceSynchronize();
    long words = 0, marks = 0;
    for (int i = 0; i < records; i++) words += counts[i] * (i % 3 + 1);
    for (int i = 0; i < records * LEN; i++) marks += flags[i] * (i % 7 + 1);
    printf("%ld %ld\n", words, marks);
    return 0;
}
