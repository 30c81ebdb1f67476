// kernel=step line=16 finding=KO121
#include <cstdio>
#include <vector>

struct Plate { int w, h; };

__global__ void step(const float *cur, const float *prev, float *next, Plate g, float c2)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < g.h && col < g.w) {
        int at = row * g.w + col;
        if (row == 0 || col == 0 || row == g.h - 1 || col >= g.w - 1)
            next[at] = 0.0f;
        else
            next[at] = 2.0f * cur[at] - prev[at] + c2 * (cur[at - 1] + cur[at + 1] + cur[at - g.w] + cur[at + g.w] - 4.0f * cur[at]);
    }
}

int main()
{
    Plate g{101, 77};
    std::vector<float> v(g.w * g.h);
    for (int i = 0; i < g.w * g.h; i++) v[i] = (i * 31 % 127) / 127.0f;
    size_t bytes = v.size() * sizeof(float);
    float *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, v.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, v.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 4), grid((g.w + 31) / 32, (g.h + 3) / 4);
    step<<<grid, block>>>(a, b, c, g, 0.1f);
    cudaMemcpy(v.data(), c, bytes, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float x : v) sum += x;
    printf("%f\n", sum);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
