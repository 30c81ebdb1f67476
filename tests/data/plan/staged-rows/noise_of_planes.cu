// kernel=noise line=12 finding=KO102
#include <cstdio>
// each line of each plane begins with a seed of its own
__global__ void noise(unsigned *__restrict__ out, int height, int width)
{
    int tid = threadIdx.x;
    int line = blockIdx.x * blockDim.x + tid;
    int base = (blockIdx.y * height + line) * width;
    if (line >= height) return;
    unsigned state = 2463534242u + line;
    #pragma unroll 2
    for (int j = 0; j < width; ++j) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        out[base + j] = state;
    }
}

int main()
{
    const int height = 140, width = 75;
    unsigned *out;
    cudaMallocManaged(&out, 3 * height * width * sizeof(unsigned));
    noise<<<dim3((height + 127) / 128, 3), 128>>>(out, height, width);
    cudaDeviceSynchronize();
    unsigned sum = 0;
    for (int i = 0; i < 3 * height * width; i++) sum = sum * 31 + out[i];
    printf("%u\n", sum);
}
