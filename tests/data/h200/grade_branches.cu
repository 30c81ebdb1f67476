// Conditions and helpers as optimisers treat them differently: merged arms, selected addresses, inlined helpers, partial warps.
#include <cstdio>
#include <vector>
__device__ __forceinline__ float helper(const float* p, int k) {
  return p[k] * p[k + 1];
}
__device__ float sum_of(const float* p, int n) {
  float s = 0;
  for (int k = 0; k < n; k++)
    s += p[k * 512];
  return s;
}
__global__ void helpers(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = helper(a, i);
  if (i & 1)
    s += helper(a, i + 512);
  for (int k = 0; k < n; k++)
    s += helper(a, i + k * 64);
  o[i] = s;
}
__global__ void helper_loops(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = sum_of(a + i, n) + sum_of(a + 2 * i, n + 3);
}
__global__ void ternary(const int* c, const float* a, const float* b, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = c[i] > 3 ? a[i] : b[i];
  float w = c[i] > 3 ? a[i + 1]
                     : a[i + 2];
  o[i] = v + w;
}
__global__ void same_arms(const int* c, const float* a, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (c[i] > 3) {
    float x = a[i];
    o[i] = x * a[i + 512];
  } else {
    float y = a[i];
    o[i] = y + a[i + 700];
  }
}
__global__ void stored_twice(const int* c, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = 1;
  if (c[i] > 3)
    o[i] = 2;
}
__global__ void partly_merged(const int* c, const float* a, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (c[i] > 3) {
    o[i] = a[i] + a[i + 5];
  } else {
    o[i] = a[i + 5];
  }
}
__global__ void thirds(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int k = i % 3;
    if (k == 0)
      o[i] = a[i * 2];
    else if (k == 1)
      o[i] = a[i * 3] + 1;
    else
      o[i] = a[i + 7] + a[i + 9];
  }
}
__global__ void switched(const int* c, const float* a, float* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (c[i] & 3) {
    case 0: o[i] = a[i]; break;
    case 1: o[i + 1024] = a[i + 1]; break;
    case 2: o[i] = a[i + 2] * a[i + 3]; break;
    default: o[i + 2048] = 0;
  }
}
__global__ void odd_block(const double* a, double* o, const short* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double t[100];
  t[threadIdx.x] = a[i * 2];
  __syncthreads();
  if (i < n)
    o[i] = t[99 - threadIdx.x] + s[i];
}
__global__ void partial_shared(const float* a, float* o, int st) {
  __shared__ float t[1024];
  int i = threadIdx.x;
  t[i] = a[i];
  __syncthreads();
  if (i % 3 == 0)
    o[i] = t[(i * st) & 1023];
  if (i < 40)
    o[i + 512] = t[i * 8];
}
__global__ void leaves(const float* a, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = a[i];
  if (v < 10) return;
  o[i] = v;
  if (v > 40) {
    o[i + 1024] = a[i + 1024];
    return;
  }
  o[i + 2048] = a[i + 2048];
}
__global__ void pieces(const float4* a, float4* o, float* f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = a[i];
  o[i] = make_float4(v.w, v.z, v.y, v.x);
  f[4 * i + 4096] = v.x;
  f[4 * i + 4097] = v.y;
  f[4 * i + 4098] = v.z;
  f[4 * i + 4099] = v.w;
  o[i + 2048].x = v.y;
  o[i + 2048].y = v.y;
}
struct Small { char a, b; short c; };
__global__ void small_struct(const Small* s, Small* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Small v = s[i];
  v.a += v.b;
  o[i] = v;
}
__global__ void tile4(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][64];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  float acc[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = a[(blockIdx.y * 16 + ty) * n + k0 + tx];
    for (int q = 0; q < 4; q++)
      bs[ty][tx + q * 16] = b[(k0 + ty) * n + blockIdx.x * 64 + tx + q * 16];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      for (int q = 0; q < 4; q++)
        acc[q] += as[ty][k] * bs[k][tx * 4 + q];
    __syncthreads();
  }
  for (int q = 0; q < 4; q++)
    c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 64 + tx * 4 + q] = acc[q];
}
__global__ void scan(int* a) {
  __shared__ int s[2][256];
  int t = threadIdx.x, from = 0;
  s[0][t] = a[t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int v = s[from][t];
    if (t >= d)
      v += s[from][t - d];
    s[1 - from][t] = v;
    from = 1 - from;
    __syncthreads();
  }
  a[t] = s[from][t];
}
__global__ void bodies(const float4* p, float3* f, int n) {
  __shared__ float4 t[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = p[i];
  float3 s = {0, 0, 0};
  for (int b = 0; b < n; b += 64) {
    t[threadIdx.x] = p[b + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 64; k++) {
      float4 q = t[k];
      s.x += (q.x - me.x) * q.w; s.y += (q.y - me.y) * q.w; s.z += (q.z - me.z) * q.w;
    }
    __syncthreads();
  }
  f[i] = s;
}
__global__ void atomics2(const int* c, int* h, float* f, double* d, int n) {
  __shared__ float part;
  __shared__ int bins[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) part = 0;
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&part, 1.0f);
  atomicMax(&bins[c[i] & 15], i);
  if (i < n)
    atomicAdd(&h[c[i]], 1);
  for (int k = 0; k < 3; k++)
    atomicAdd(&d[i & 63], 1.0);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&f[threadIdx.x], part + bins[threadIdx.x]);
}
__global__ void box(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int s = 0, n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < w && v >= 0 && v < h) {
        s += in[v * w + u];
        n++;
      }
    }
  out[y * w + x] = s / n;
}
int main() {
  float *a, *o; int *c; cudaMalloc(&a, 1 << 20); cudaMalloc(&o, 1 << 20); cudaMalloc(&c, 1 << 16);
  std::vector<float> h(1 << 18); for (size_t i = 0; i < h.size(); i++) h[i] = (i * 7 + i / 13) % 53;
  std::vector<int> l(1 << 14); for (size_t i = 0; i < l.size(); i++) l[i] = (i * 5 + i / 7) % 9;
  cudaMemcpy(a, h.data(), 1 << 20, cudaMemcpyHostToDevice); cudaMemcpy(c, l.data(), 1 << 16, cudaMemcpyHostToDevice); cudaMemset(o, 0, 1 << 20);
  helpers<<<4, 128>>>(a, o, 10); helper_loops<<<4, 128>>>(a, o, 13); ternary<<<4, 128>>>(c, a, a + 4096, o); same_arms<<<4, 128>>>(c, a, o);
  stored_twice<<<4, 128>>>(c, o); partly_merged<<<4, 128>>>(c, a, o); thirds<<<4, 128>>>(a, o, 500); switched<<<4, 128>>>(c, a, o);
  odd_block<<<3, 100>>>((double*)a, (double*)o, (short*)c, 270); partial_shared<<<2, 512>>>(a, o, 5); leaves<<<4, 128>>>(a, o, 490);
  pieces<<<4, 128>>>((float4*)a, (float4*)o, o); small_struct<<<4, 128>>>((Small*)a, (Small*)o); tile4<<<dim3(2, 8), 256>>>(a, a + 65536, o, 128);
  scan<<<1, 256>>>(c); bodies<<<4, 64>>>((float4*)a, (float3*)o, 256); cudaMemset(o, 0, 1 << 20); cudaMemcpy(c, l.data(), 1 << 16, cudaMemcpyHostToDevice);
  atomics2<<<4, 128>>>(c, (int*)o, o + 1024, (double*)(o + 2048), 450); box<<<dim3(4, 16), dim3(32, 8)>>>((unsigned char*)a, (unsigned char*)o, 120, 125);
  printf("grade_branches: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
