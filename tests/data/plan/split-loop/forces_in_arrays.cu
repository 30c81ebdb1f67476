// kernel=pull line=10 finding=KO111
#include <cstdio>
struct Forces { float *x; float *y; };
__global__ void pull(const float *px, const float *py, Forces f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float ax = 0, ay = 0;
    for (int j = 0; j < n; j++) {
        float dx = px[j] - px[i], dy = py[j] - py[i];
        float r = rsqrtf(dx * dx + dy * dy + 0.01f);
        ax += dx * r;
        ay += dy * r;
    }
    f.x[i] += ax;
    f.y[i] += ay;
}
int main()
{
    float *p;
    Forces f;
    cudaMallocManaged(&p, 1000 * sizeof(float));
    cudaMallocManaged(&f.x, 500 * sizeof(float));
    cudaMallocManaged(&f.y, 500 * sizeof(float));
    for (int i = 0; i < 1000; i++) p[i] = i * 37 % 101 * 0.1f;
    pull<<<(500 + 127) / 128, 128>>>(p, p + 500, f, 500);
    cudaDeviceSynchronize();
    printf("%f\n", f.x[3] + f.y[4]);
}
