// heat on a plate, many small steps
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(2); } } while (0)

__global__ void step(const double *in, double *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { out[y * w + x] = in[y * w + x]; return; }
    out[y * w + x] = 0.25 * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 10000, w = argc > 2 ? atoi(argv[2]) : 512, h = w;
    size_t bytes = sizeof(double) * w * h;
    double *host = (double *)calloc(w * h, sizeof(double));
    for (int i = 0; i < w; i++) host[i] = 100.0 + i;
    for (int i = 0; i < w * h; i += 97) host[i] += i % 31;
    double *a, *b;
    CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    for (int t = 0; t < steps; t++) {
        step<<<grid, block>>>(a, b, w, h);
        double *tmp = a; a = b; b = tmp;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, a, bytes, cudaMemcpyDeviceToHost));
    printf("centre %f\n", host[(h / 2) * w + w / 2]);
}
