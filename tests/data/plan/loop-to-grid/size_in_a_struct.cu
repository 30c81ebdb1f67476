// kernel=edges line=22 finding=KO111
#include <cstdio>
#include <cstdlib>
struct View { int w, h; };

__global__ void edges(const float *picture, float *out, View v)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < v.h)
        for (int x = 1; x < v.w - 1; ++x)
            out[y * v.w + x] = picture[y * v.w + x + 1] - picture[y * v.w + x - 1];
}

int main(int c, char **a) {
    View v = { c > 1 ? atoi(a[1]) : 500, c > 2 ? atoi(a[2]) : 700 };
    size_t n = (size_t)v.w * v.h;
    float *h = (float *)malloc(n * 4), *d, *o;
    for (size_t i = 0; i < n; ++i) h[i] = i % 11 - 4.f;
    cudaMalloc(&d, n * 4); cudaMalloc(&o, n * 4);
    cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, n * 4);
    edges<<<(v.h + 63) / 64, 64>>>(d, o, v);
    cudaMemcpy(h, o, n * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += h[i] * (i % 7);
    printf("%g\n", sum);
}
