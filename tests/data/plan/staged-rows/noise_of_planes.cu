// kernel=noise line=11 finding=KO102
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
    unsigned *out;
    cudaMalloc(&out, 3 * 700 * 500 * sizeof(unsigned));
    noise<<<dim3(6, 3), 128>>>(out, 700, 500);
    cudaDeviceSynchronize();
}
