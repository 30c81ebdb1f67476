// kernel=k line=9 finding=KO111
#include <cstdio>
struct Acc { float v[4]; };
__global__ void k(const float *a, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    Acc acc; float s = 0;
    for (int r = 0; r < rows; r++) { s += a[r*cols+c]; acc.v[r % 4] += a[r * cols + c]; }
    acc.v[0] += acc.v[1];
    out[c] = s + acc.v[0];
}
int main()
{
    float *a, *o;
    cudaMallocManaged(&a, 6400 * 4);
    cudaMallocManaged(&o, 64 * 4);
    k<<<(64 + 31) / 32, 32>>>(a, o, 100, 64);
}
