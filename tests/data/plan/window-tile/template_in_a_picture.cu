// kernel=sad line=12 finding=KO108
#include <cstdio>
#define TH 8
#define TW 10

__global__ void sad(const unsigned char *big, int w, int h, const unsigned char *small, int *score)
{
    int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    if (px > w - TW) return;
    if (py > h - TH) return;
    int total = 0;
    for (int j = 0; j < TH; j++)
        for (int i = 0; i < TW; i++)
            total += abs((int)big[(py + j) * w + px + i] - (int)small[j * TW + i]);
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
