// kernel=moments line=11 finding=KO111
#include <cstdio>
struct Moments {
    double sum, squares;
};
__global__ void moments(const float *a, Moments *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    Moments m = {0, 0};
    for (int r = 0; r < rows; r++) {
        m.sum += a[r * cols + c];
        m.squares += m.sum * a[r * cols + c];
    }
    out[c] = m;
}
int main() {
    float *a;
    Moments *o;
    cudaMallocManaged(&a, 6400 * 4);
    cudaMallocManaged(&o, 64 * 16);
    for (int i = 0; i < 6400; i++) a[i] = i % 13;
    moments<<<(64 + 31) / 32, 32>>>(a, o, 100, 64);
    cudaDeviceSynchronize();
    printf("%f\n", o[3].squares);
}
