// kernel=sums line=13 finding=KO111
#include <cstdio>
template <typename T> struct View {
    T a;
    __device__ float &operator[](int i) { return a[i]; }
};
__global__ void sums(const float *in, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        View<float *> totals = {out};
        float sum = 0;
        for (int r = 0; r < rows; r++) sum += in[r * cols + c];
        totals[c] += sum;
    }
}
int main()
{
    float *a, *o;
    cudaMallocManaged(&a, 6400 * sizeof(float));
    cudaMallocManaged(&o, 64 * sizeof(float));
    for (int i = 0; i < 6400; i++) a[i] = i % 13;
    sums<<<(64 + 31) / 32, 32>>>(a, o, 100, 64);
    cudaDeviceSynchronize();
    printf("%f\n", o[3]);
}
