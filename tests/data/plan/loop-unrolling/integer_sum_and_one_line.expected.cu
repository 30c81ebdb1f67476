// kernel=checksum line=17 finding=KO114
#include <cstdio>

enum { WORDS = 16 };

__global__ void scramble(unsigned *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * 2654435761u + i;
}

__global__ void checksum(unsigned *sums, const unsigned *data, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const unsigned *cell = &data[(y * width + x) * WORDS];
    unsigned sum = 0;
    #pragma unroll
    for (int w = 0; w < WORDS; w++) sum += cell[w] ^ (unsigned)w;
    sums[y * width + x] = sum;
}

static unsigned *allocate(int n) {
    unsigned *p;
    cudaMallocManaged(&p, n * sizeof(unsigned));
    return p;
}

int main() {
    const int width = 9, height = 5, n = width * height * WORDS;
    unsigned *data = allocate(n), *sums = allocate(width * height);
    for (int i = 0; i < n; i++) data[i] = i;
    scramble<<<(n + 127) / 128, 128>>>(data, n);
    dim3 threads(8, 8);
    checksum<<<dim3(2, 1), threads>>>(sums, data, width, height);
    cudaDeviceSynchronize();
    for (int c = 0; c < width * height; c++) {
        unsigned want = 0;
        for (int w = 0; w < WORDS; w++) want += data[c * WORDS + w] ^ (unsigned)w;
        if (sums[c] != want) return puts("FAIL"), 1;
    }
    return puts("PASS"), 0;
}
