// kernel=mark_words line=10 finding=KO101
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
    unsigned char *text, *flags;
    int *counts;
    cudaMalloc(&text, 3001 * LEN);
    cudaMalloc(&flags, 3001 * LEN);
    cudaMalloc(&counts, 3001 * sizeof(int));
    mark_words<<<12, BLK>>>(flags, counts, text, 3001);
    cudaDeviceSynchronize();
}
