// kernel=darken line=5 finding=KO127
#include <cstdio>
#include <vector>

__global__ void darken(unsigned char *img, int w, int h) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= w || y >= h) return;
    img[y * w + x] = img[y * w + x] / 2;
}

int main() {
    const int w = 150, h = 70;
    std::vector<unsigned char> pic(w * h);
    for (int i = 0; i < w * h; i++) pic[i] = i * 13 % 251;
    unsigned char *d;
    cudaMalloc(&d, w * h);
    cudaMemcpy(d, pic.data(), w * h, cudaMemcpyHostToDevice);
    darken<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(d, w, h);
    cudaMemcpy(pic.data(), d, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", pic[w * h - 1]);
    cudaFree(d);
    return 0;
}
