// kernel=shade line=12 finding=KO121
#include <cstdio>
#include <vector>

__global__ void shade(float *img, const float *hill, int w, int h)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int first_y = (threadIdx.y + blockIdx.y * blockDim.y) * 2;
    if (x >= w) return;
    if (first_y + 1 < h && first_y > 0 && x > 0) {
        float result[2];
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int y = first_y + r;
            int at = y * w + x;
            result[r] = 2.0f * hill[at] - hill[at - w] - hill[at - 1];
        }
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int y = first_y + r;
            int at = y * w + x;
            img[at] = result[r];
        }
    } else {
        for (int r = 0; r < 2; r++) {
            const int y = first_y + r;
            if (y < h) {
                int at = y * w + x;
                if (y > 0 && x > 0) {
                    img[at] = 2.0f * hill[at] - hill[at - w] - hill[at - 1];
                } else {
                    img[at] = 0.5f;
                }
            }
        }
    }
}

int main()
{
    const int w = 90, h = 70;
    std::vector<float> v(w * h);
    for (int i = 0; i < w * h; i++) v[i] = (i * 13 % 89) / 89.0f;
    float *a, *b;
    cudaMalloc(&a, w * h * sizeof(float));
    cudaMalloc(&b, w * h * sizeof(float));
    cudaMemcpy(b, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    shade<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 8)>>>(a, b, w, h);
    cudaMemcpy(v.data(), a, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float e : v) sum += e;
    printf("%f\n", sum);
    cudaFree(a);
    cudaFree(b);
}
