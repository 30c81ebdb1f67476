// kernel=conv line=8 finding=KO102
#include <cstdio>
__constant__ float weight[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

__global__ void conv(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int first_y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    const int end_y = min(first_y + 4, height - 1);
    int y = max(first_y, 1);
    if (x < 1 || x >= width - 1 || y >= end_y) return;
    float above_left = in[(y - 1) * width + x - 1];
    float here_left = in[y * width + x - 1];
    float above = in[(y - 1) * width + x];
    float here = in[y * width + x];
    float above_right = in[(y - 1) * width + x + 1];
    float here_right = in[y * width + x + 1];
    for (; y < end_y; ++y) {
        const float below_left = in[(y + 1) * width + x - 1];
        const float below = in[(y + 1) * width + x];
        const float below_right = in[(y + 1) * width + x + 1];
        out[y * width + x] = weight[0] * above_left + weight[1] * above + weight[2] * above_right
                           + weight[3] * here_left + weight[4] * here + weight[5] * here_right
                           + weight[6] * below_left + weight[7] * below + weight[8] * below_right;
        above_left = here_left;
        here_left = below_left;
        above = here;
        here = below;
        above_right = here_right;
        here_right = below_right;
    }
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
    dim3 grid((w + 31) / 32, (h + 31) / 32);
    conv<<<grid, block>>>(x, z, w, h);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
