// Vectorised access: float4, int2, uchar4, reinterpret casts, hand-written operators, aligned structs.
#include <cstdio>
#include <cuda_runtime.h>
struct __align__(16) Particle { float x, y, z; int kind; };
struct alignas(8) Complex { float re, im; };
inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ void operator*=(float4& a, float s) { a.x *= s; a.y *= s; a.z *= s; a.w *= s; }
inline __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
#define CONST_FLOAT4(pointer) (reinterpret_cast<const float4*>(&(pointer))[0])
__global__ void scale(const float* in, float* out, int n) { int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; if (i + 3 < n) { float4 v = CONST_FLOAT4(in[i]); v *= 2.0f; FETCH_FLOAT4(out[i]) = v + make_float4(1, 1, 1, 1); } }
__global__ void mixed(Particle* p, Complex* c, uchar4* pixels, int2* pairs, double2* d, float3* t) {
  int i = threadIdx.x; Particle q = p[i]; q.x += 1; q.kind = i; p[i] = q; c[i] = Complex{1.0f * i, -1.0f}; uchar4 u = pixels[i]; pixels[i] = make_uchar4(u.w, u.z, u.y, 255); pairs[i] = {i, -i}; d[i].y = i * 0.5; t[i] = make_float3(i, i, i);
  float4 a = make_float4(1, 2, 3, 4); p[i].y = dot(a, a); ulonglong2 w = make_ulonglong2(1, 2); p[i].z = (float)(w.x + w.y);
}
static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(float2) == 8 && sizeof(double4) == 32 && sizeof(Particle) == 16 && alignof(short4) == 8 && sizeof(longlong2) == 16, "CUDA's layouts");
int main() {
  float h[256], *in, *out; for (int i = 0; i < 256; i++) h[i] = i; cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h); cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice); scale<<<2, 32>>>(in, out, 256); cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost); bool ok = h[0] == 1 && h[255] == 511;
  char* d; cudaMalloc(&d, 8192); cudaMemset(d, 1, 8192); mixed<<<1, 32>>>((Particle*)d, (Complex*)(d + 1024), (uchar4*)(d + 2048), (int2*)(d + 3072), (double2*)(d + 4096), (float3*)(d + 6144)); Particle p[32]; cudaMemcpy(p, d, sizeof p, cudaMemcpyDeviceToHost); ok &= p[7].kind == 7 && p[7].y == 30 && p[7].z == 3; uchar4 u; cudaMemcpy(&u, d + 2048, 4, cudaMemcpyDeviceToHost); ok &= u.x == 1 && u.w == 255; float3 t; cudaMemcpy(&t, d + 6144 + 12 * 9, 12, cudaMemcpyDeviceToHost); ok &= t.z == 9;
  puts(ok ? "vector_loads PASS" : "vector_loads FAIL"); return !ok;
}
