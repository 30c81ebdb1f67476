// kernel=conv2d line=13 finding=KO107
#include <cstdio>

constexpr int K = 3;

namespace image {

__device__ void accumulate(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ weights,
                           int x, int y, int width)
{
    float out_acc = out[y * width + x];
    for (int dy = 0; dy < K; ++dy) {
        for (int dx = 0; dx < K; ++dx) {
            out_acc += weights[dy * K + dx] * in[(y + dy) * (width + K - 1) + x + dx];
        }
    }
    out[y * width + x] = out_acc;
}

__global__ void conv2d(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ weights, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        accumulate(out, in, weights, x, y, width);
}

}  // namespace image

int main()
{
    const int width = 40, height = 25, padded = (width + K - 1) * (height + K - 1);
    float *out, *in, *weights;
    cudaMallocManaged(&out, width * height * sizeof(float));
    cudaMallocManaged(&in, padded * sizeof(float));
    cudaMallocManaged(&weights, K * K * sizeof(float));
    for (int i = 0; i < width * height; ++i) out[i] = 0.0f;
    for (int i = 0; i < padded; ++i) in[i] = 1.0f;
    for (int i = 0; i < K * K; ++i) weights[i] = static_cast<float>(i);
    const dim3 threads(16, 8);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    image::conv2d<<<blocks, threads>>>(out, in, weights, width, height);
    cudaDeviceSynchronize();
    for (int i = 0; i < width * height; ++i)
        if (out[i] != 36.0f) {
            std::printf("FAIL %d: %f\n", i, out[i]);
            return 1;
        }
    std::puts("PASS");
    return 0;
}
