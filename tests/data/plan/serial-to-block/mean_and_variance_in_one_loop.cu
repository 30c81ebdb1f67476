// kernel=stats line=22 finding=KO112
#include <cstdio>

__global__ void stats(const double* in, double* out, int n) {
  double sum = 0., squares = 0.;
  for (int i = 0; i < n; i++) {
    sum += in[i];
    squares += in[i] * in[i];
  }
  out[0] = sum / n;
  out[1] = squares / n - (sum / n) * (sum / n);
}

int main() {
    const int n = 4001;
    double *in, *h = new double[n];
    for (int i = 0; i < n; i++) h[i] = (i % 17) * 0.25;
    cudaMalloc(&in, n * sizeof(double));
    cudaMemcpy(in, h, n * sizeof(double), cudaMemcpyHostToDevice);
    double *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    stats<<<1, 1>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
