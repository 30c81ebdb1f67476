// kernel=conv line=8 finding=KO102
#include <cstdio>
__constant__ float weight[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

__global__ void conv(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    out[y * width + x] = weight[0] * in[(y - 1) * width + x - 1] + weight[1] * in[(y - 1) * width + x] + weight[2] * in[(y - 1) * width + x + 1]
                       + weight[3] * in[y * width + x - 1]       + weight[4] * in[y * width + x]       + weight[5] * in[y * width + x + 1]
                       + weight[6] * in[(y + 1) * width + x - 1] + weight[7] * in[(y + 1) * width + x] + weight[8] * in[(y + 1) * width + x + 1];
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
    dim3 block(32, 8);
    dim3 grid((w + 31) / 32, (h + 7) / 8);
    conv<<<grid, block>>>(x, z, w, h);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
