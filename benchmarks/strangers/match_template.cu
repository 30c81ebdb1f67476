// where does a small picture fit best in a large one: sum of absolute differences, then the best place
#include <cstdio>
#include <cstdlib>
#define TH 12
#define TW 10
struct Img { int w, h; const unsigned char *px; };
__device__ inline int at(const unsigned char *p, int pitch, int yy, int xx) { return p[yy * pitch + xx]; }

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
__global__ void best(const int *score, int n, unsigned long long *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicMin(out, ((unsigned long long)score[i] << 32) | (unsigned)i);
}
int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 163, h = argc > 2 ? atoi(argv[2]) : 97;
    unsigned char *big, *small; int *score; unsigned long long *out;
    int n = (w - TW + 1) * (h - TH + 1);
    cudaMallocManaged(&big, w * h); cudaMallocManaged(&small, TW * TH); cudaMallocManaged(&score, n * sizeof(int)); cudaMallocManaged(&out, 8);
    for (int i = 0; i < w * h; i++) big[i] = (i * 7 + i / w * 13 + (i * i) % 31) & 255;
    for (int j = 0; j < TH; j++) for (int i = 0; i < TW; i++) small[j * TW + i] = big[(j + 40) * w + i + 55] + (i & 1);
    *out = ~0ull;
    sad<<<dim3((w - TW + 32) / 32, (h - TH + 8) / 8), dim3(32, 8)>>>(big, w, h, small, score);
    best<<<8, 128>>>(score, n, out);
    cudaDeviceSynchronize();
    unsigned where = (unsigned)*out;
    printf("%u at %u %u\n", (unsigned)(*out >> 32), where % (w - TW + 1), where / (w - TW + 1));
}
