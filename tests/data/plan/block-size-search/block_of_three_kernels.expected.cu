// kernel=push_ex line=14 finding=KO127
#include <cstdio>
#include <cstdlib>

struct Grid { float *ex, *ey, *hz; int nx, ny; };

__global__ void push_ey(Grid g) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= g.nx || j >= g.ny) return;
    g.ey[i * g.ny + j] -= 0.5f * (g.hz[i * g.ny + j] - g.hz[(i - 1) * g.ny + j]);
}

__global__ void push_ex(Grid g) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j < 1 || j >= g.ny) return;
    g.ex[i * g.ny + j] -= 0.5f * (g.hz[i * g.ny + j] - g.hz[i * g.ny + j - 1]);
}

int main(int argc, char **argv) {
    Grid g;
    g.nx = argc > 1 ? atoi(argv[1]) : 61;
    g.ny = argc > 2 ? atoi(argv[2]) : 90;
    size_t bytes = (size_t)g.nx * g.ny * sizeof(float);
    float *host = (float *)malloc(bytes);
    for (int c = 0; c < g.nx * g.ny; c++) host[c] = (c * 7 % 101) / 101.0f;
    cudaMalloc(&g.ex, bytes); cudaMalloc(&g.ey, bytes); cudaMalloc(&g.hz, bytes);
    cudaMemcpy(g.ex, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(g.ey, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(g.hz, host, bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 4);
    dim3 grid((g.ny + block.x - 1) / block.x, (g.nx + block.y - 1) / block.y);
    for (int t = 0; t < 3; t++) {
        push_ey<<<grid, block>>>(g);
        push_ex<<<dim3(grid.x, (grid.y + 3) / 4, grid.z), dim3(block.x, 4 * block.y)>>>(g);
    }
    cudaMemcpy(host, g.ex, bytes, cudaMemcpyDeviceToHost);
    printf("%f %f\n", host[5], host[g.nx * g.ny - 1]);
    cudaFree(g.ex); cudaFree(g.ey); cudaFree(g.hz);
    free(host);
    return 0;
}
