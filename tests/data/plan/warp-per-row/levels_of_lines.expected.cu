// kernel=levels_of_lines line=15 finding=KO101
#include <cstdio>
#include <cstring>

#define LEVELS 16

// how often each of 16 grey levels is in a line of a scanned page
__global__ void levels_of_lines(const unsigned char* page, int* levels, int lines, int width)
{
    int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (line >= lines) return;

    int count[LEVELS];
    for (int l = 0; l < LEVELS; l++) count[l] = 0;
    for (int x = lane; x < width; x += 32)
        count[page[line * width + x] / 16]++;
    #pragma unroll
    for (int k = 0; k < LEVELS; k++)
        for (int offset = 16; offset > 0; offset /= 2)
            count[k] += __shfl_xor_sync(0xffffffff, count[k], offset);
    if (lane == 0) {
        for (int l = 0; l < LEVELS; l++) levels[line * LEVELS + l] = count[l];
    }
}

int main()
{
    const int lines = 300, width = 333;
    unsigned char* page;
    int* levels;
    cudaMallocManaged(&page, lines * width);
    cudaMallocManaged(&levels, lines * LEVELS * sizeof(int));
    for (int i = 0; i < lines * width; i++) page[i] = i * 7919 >> 3;
    levels_of_lines<<<(lines + 3) / 4, 128>>>(page, levels, lines, width);
    cudaDeviceSynchronize();
    for (int line = 0; line < lines; line++) {
        int count[LEVELS] = {0};
        for (int x = 0; x < width; x++) count[page[line * width + x] / 16]++;
        if (memcmp(count, levels + line * LEVELS, sizeof(count))) return printf("FAIL %d\n", line), 1;
    }
    return puts("PASS"), 0;
}
