// kernel=blend line=8 finding=KO127
#include <cstdio>
#include <vector>

__global__ void blend(const float* p, const float* q, float* out, float a, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < h && x < w) {
        out[y * w + x] = a * p[y * w + x] + (1.0f - a) * q[y * w + x];
    }
}

int main() {
    const int w = 90, h = 61;
    std::vector<float> v(w * h);
    for (int i = 0; i < w * h; i++) v[i] = i % 255;
    float *p, *q, *out;
    cudaMalloc(&p, w * h * sizeof(float));
    cudaMalloc(&q, w * h * sizeof(float));
    cudaMalloc(&out, w * h * sizeof(float));
    cudaMemcpy(p, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(q, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    blend<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(p, q, out, 0.25f, w, h);
    cudaMemcpy(v.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[w * h - 1]);
    cudaFree(p); cudaFree(q); cudaFree(out);
    return 0;
}
