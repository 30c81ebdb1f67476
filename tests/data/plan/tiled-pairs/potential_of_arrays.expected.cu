// kernel=potential line=7 finding=KO108
__global__ void potential(const float* x, const float* y, const float* m, float* pot, int n) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  const bool is_inside = i < n;
  float p = 0.0f;
  const float own_x = is_inside ? x[i] : 0.0f;
  const float own_y = is_inside ? y[i] : 0.0f;
  __shared__ float4 xym_tile[256];
  for (int tile = 0; tile < n; tile += 256) {
    const int item = tile+threadIdx.x;
    if (item < n)
      xym_tile[threadIdx.x] = make_float4(x[item], y[item], m[item], 0.0f);
    __syncthreads();
    const int tile_end = min(tile+256, n);
    if (is_inside)
      for (int j = tile; j < tile_end; j++) {
        if (j != i) {
          float dx = xym_tile[j - tile].x-own_x, dy = xym_tile[j - tile].y-own_y;
          p -= xym_tile[j - tile].z/sqrtf(dx*dx + dy*dy + 0.01f);
        }
      }
    __syncthreads();
  }
  if (is_inside) pot[i] = p*m[i];
}

void run(const float* x, const float* y, const float* m, float* pot, int n) { potential<<<(n + 255)/256, 256>>>(x, y, m, pot, n); }
