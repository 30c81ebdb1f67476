// kernel=mm line=9 finding=KO108
// One index for the whole matrix, and a product that is added to what is there.
__global__ void mm(double *c, const double *a, const double *b, int m, int n, int k) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= m * n) return;
  int i = idx / n;
  int j = idx % n;
  double r = 0;
  for (int l = 0; l < k; l++) r += a[i * k + l] * b[l * n + j];
  c[idx] += r;
}

void launch(double *c, const double *a, const double *b, int m, int n, int k) {
  int threads = 256;
  mm<<<(m * n + threads - 1) / threads, threads>>>(c, a, b, m, n, k);
}
