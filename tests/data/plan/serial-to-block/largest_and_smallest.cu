// kernel=range line=22 finding=KO112
#include <cstdio>

__global__ void range(const int *in, int *out, int n) {
    int lo = in[0], hi = in[0];
    for (int i = 1; i < n; i++) {
        if (in[i] < lo) lo = in[i];
        hi = max(hi, in[i]);
    }
    out[0] = lo;
    out[1] = hi;
}

int main() {
    const int n = 4001;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i * 7919 % 1001 - 300;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    int *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    range<<<dim3(1), dim3(1)>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
