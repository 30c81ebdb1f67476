// kernel=mark_words line=10 finding=KO101
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
    unsigned char *text, *flags;
    int *counts;
    cudaMalloc(&text, 3001 * LEN);
    cudaMalloc(&flags, 3001 * LEN);
    cudaMalloc(&counts, 3001 * sizeof(int));
    mark_words<<<12, BLK>>>(flags, counts, text, 3001);
    cudaDeviceSynchronize();
}
