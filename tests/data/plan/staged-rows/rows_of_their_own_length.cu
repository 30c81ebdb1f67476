// kernel=decode line=10 finding=KO101
#include <cstdio>
// every row ends somewhere else
__global__ void decode(const int *codes, const int *lengths, int *last, int rows, int pitch)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int state = 1;
    for (int i = 0; i < lengths[r]; i++)
        state = state * 31 ^ codes[r * pitch + i];
    last[r] = state;
}
int main()
{
    const int rows = 64, pitch = 40;
    static int h[rows * pitch], l[rows], r[rows];
    for (int i = 0; i < rows * pitch; i++) h[i] = i % 13;
    for (int i = 0; i < rows; i++) l[i] = i % pitch;
    int *codes, *lengths, *last;
    cudaMalloc(&codes, sizeof h);
    cudaMalloc(&lengths, sizeof l);
    cudaMalloc(&last, sizeof r);
    cudaMemcpy(codes, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(lengths, l, sizeof l, cudaMemcpyHostToDevice);
    decode<<<1, 64>>>(codes, lengths, last, rows, pitch);
    cudaMemcpy(r, last, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[3], r[63]);
}
