// kernel=sad line=12 finding=KO108
#include <cstdio>
#define TH 8
#define TW 10

__global__ void sad(const unsigned char *big, int w, int h, const unsigned char *small, int *score)
{
    int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    __shared__ unsigned char big_tile[8 + TH - 1][32 + TW - 1];
    for (int cell = threadIdx.y * 32 + threadIdx.x; cell < (8 + TH - 1) * (32 + TW - 1); cell += 256) {
        const int row = cell / (32 + TW - 1), col = cell % (32 + TW - 1);
        const int py_in = blockIdx.y * 8 + row;
        const int px_in = blockIdx.x * 32 + col;
        if (px_in < w && py_in < h)
            big_tile[row][col] = big[py_in * w + px_in];
    }
    __shared__ unsigned char small_table[TH][TW];
    for (int tap = threadIdx.y * 32 + threadIdx.x; tap < TH * TW; tap += 256) {
        const int j = tap / TW, i = tap % TW;
        small_table[j][i] = small[j * TW + i];
    }
    __syncthreads();
    if (px > w - TW) return;
    if (py > h - TH) return;
    int total = 0;
    #pragma unroll
    for (int j = 0; j < TH; j++)
        for (int i = 0; i < TW; i++)
            total += abs((int)big_tile[threadIdx.y + j][threadIdx.x + i] - (int)small_table[j][i]);
    score[py * (w - TW + 1) + px] = total;
}

int main()
{
    const int w = 60, h = 30, n = (w - TW + 1) * (h - TH + 1);
    unsigned char *big, *small;
    int *score, best = 0;
    cudaMallocManaged(&big, w * h);
    cudaMallocManaged(&small, TW * TH);
    cudaMallocManaged(&score, n * sizeof(int));
    for (int i = 0; i < w * h; i++) big[i] = (i * 7 + i * i % 31) & 255;
    for (int i = 0; i < TW * TH; i++) small[i] = big[(i / TW + 9) * w + i % TW + 21];
    sad<<<dim3((w - TW + 32) / 32, (h - TH + 8) / 8), dim3(32, 8)>>>(big, w, h, small, score);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) if (score[i] < score[best]) best = i;
    printf("%d at %d\n", score[best], best);
    return 0;
}
