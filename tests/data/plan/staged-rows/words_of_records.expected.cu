// kernel=mark_words line=11 finding=KO101
#include <cstdio>
#define LEN 96
#define BLK 256
__global__ void mark_words(unsigned char *flags, int *counts, const unsigned char *text, int records)
{
    int rec = blockIdx.x * BLK + threadIdx.x;
    const bool is_inside = rec < records;
    int inside = 0, words = 0;
    __shared__ unsigned char text_tile[256][32 + 1];
    __shared__ unsigned char flags_tile[256][32 + 1];
    for (int chunk = 0; chunk < LEN; chunk += 32) {
        const int column = threadIdx.x % 32;
        const int at = chunk + column;
        const int chunk_end = chunk + 32;
        for (int r = threadIdx.x / 32; r < 256; r += 8) {
            const int other_rec = blockIdx.x * BLK + r;
            if (other_rec < records)
                text_tile[r][column] = text[other_rec * LEN + at];
        }
        __syncthreads();
        if (is_inside)
            for (int i = chunk; i < chunk_end; i++) {
                int letter = text_tile[threadIdx.x][i - chunk] > 32;
                words += letter && !inside;
                flags_tile[threadIdx.x][i - chunk] = letter ? 2 - inside : 0;
                inside = letter;
            }
        __syncthreads();
        for (int r = threadIdx.x / 32; r < 256; r += 8) {
            const int other_rec = blockIdx.x * BLK + r;
            if (other_rec < records)
                flags[other_rec * LEN + at] = flags_tile[r][column];
        }
    }
    __syncthreads();
    if (is_inside) counts[rec] = words + flags[rec * LEN];
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
