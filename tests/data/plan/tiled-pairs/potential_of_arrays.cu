// kernel=potential line=7 finding=KO108
__global__ void potential(const float* x, const float* y, const float* m, float* pot, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) {
    float p = 0.0f;
    for (int j = 0; j < n; j++) {
      if (j != i) {
        float dx = x[j]-x[i], dy = y[j]-y[i];
        p -= m[j]/sqrtf(dx*dx + dy*dy + 0.01f);
      }
    }
    pot[i] = p*m[i];
  }
}

void run(const float* x, const float* y, const float* m, float* pot, int n) { potential<<<(n + 255)/256, 256>>>(x, y, m, pot, n); }
