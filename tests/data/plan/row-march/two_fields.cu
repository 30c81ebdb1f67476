// kernel=update line=10 finding=KO102
#include <cstdio>

struct Box { int nx, ny; };

// magnetic field from the curl of the electric one
__global__ void update(float *ex, const float *ey, float *hz, Box b)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= b.nx - 1 || j >= b.ny - 1) return;
    hz[i * b.ny + j] = 0.7f * (ex[i * b.ny + j + 1] - ex[i * b.ny + j] + ey[(i + 1) * b.ny + j] - ey[i * b.ny + j]);
}

int main() {
    const int w = 75, h = 52;
    static float a[w * h], b[w * h];
    for (int i = 0; i < w * h; ++i) {
        a[i] = (float)(i * 37 % 201);
        b[i] = (float)(i * 11 % 97);
    }
    float *x, *y, *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof a);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(z, b, sizeof b, cudaMemcpyHostToDevice);
    Box b = {h, w};
    dim3 block(32, 4);
    dim3 grid((b.ny + block.x - 1) / block.x, (b.nx + block.y - 1) / block.y);
    update<<<grid, block>>>(x, y, z, b);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
