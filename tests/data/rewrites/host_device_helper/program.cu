#include <cstdio>
#include <vector>

__global__ void blur(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x, y = threadIdx.x;
    for (; y < h; y += blockDim.x) {
        float s = 0.f;
        for (int d = -2; d <= 2; d++) {
            int at = x + d < 0 ? 0 : x + d >= w ? w - 1 : x + d;
            s += in[y * w + at];
        }
        out[y * w + x] = s * 0.2f;
    }
}

void filter(float *out, const float *in, int w, int h)
{
    blur<<<w, 64>>>(out, in, w, h);
}

int main()
{
    const int w = 150, h = 100;
    std::vector<float> image(w * h);
    for (int i = 0; i < w * h; i++) image[i] = (i * 17 % 255) / 16.0f;
    float *in, *out;
    cudaMalloc(&in, w * h * 4);
    cudaMalloc(&out, w * h * 4);
    cudaMemcpy(in, image.data(), w * h * 4, cudaMemcpyHostToDevice);
    filter(out, in, w, h);
    cudaMemcpy(image.data(), out, w * h * 4, cudaMemcpyDeviceToHost);
    printf("%.4f %.4f\n", image[0], image[w * h - 1]);
}
