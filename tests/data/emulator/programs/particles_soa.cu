// N-body with float4 in shared memory, helper_math-like operators, class with static kernels' wrappers, enum class, typedef struct.
#include <cstdio>
#include <cmath>
#include <vector>
namespace sim {
typedef struct { float4* pos; float4* vel; int n; } Bodies;
enum class Integrator : int { Euler = 0, Leapfrog };
inline __host__ __device__ float3 operator-(const float4& a, const float4& b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ float3& operator+=(float3& a, const float3& b) { a.x += b.x; a.y += b.y; a.z += b.z; return a; }
inline __host__ __device__ float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }
__device__ __forceinline__ void interact(float3& acc, const float4 self, const float4 other, float eps2) { float3 r = other - self; float d = r.x * r.x + r.y * r.y + r.z * r.z + eps2, inv = rsqrtf(d); acc += (other.w * inv * inv * inv) * r; }
template <Integrator I> __global__ void step(Bodies b, float dt, float eps2) {
  extern __shared__ float4 tile[]; int i = blockIdx.x * blockDim.x + threadIdx.x; float4 self = i < b.n ? b.pos[i] : make_float4(0, 0, 0, 0); float3 acc = make_float3(0, 0, 0);
  for (int t = 0; t < (b.n + blockDim.x - 1) / blockDim.x; ++t) { int j = t * blockDim.x + threadIdx.x; tile[threadIdx.x] = j < b.n ? b.pos[j] : make_float4(0, 0, 0, 0); __syncthreads(); for (unsigned k = 0; k < blockDim.x; ++k) interact(acc, self, tile[k], eps2); __syncthreads(); }
  if (i < b.n) { float4 v = b.vel[i]; v.x += acc.x * dt; v.y += acc.y * dt; v.z += acc.z * dt; b.vel[i] = v; }
}
class Simulation { Bodies bodies_; public: explicit Simulation(const std::vector<float4>& p) : bodies_{nullptr, nullptr, (int)p.size()} { size_t bytes = p.size() * sizeof(float4); cudaMalloc(&bodies_.pos, bytes); cudaMalloc(&bodies_.vel, bytes); cudaMemcpy(bodies_.pos, p.data(), bytes, cudaMemcpyHostToDevice); cudaMemset(bodies_.vel, 0, bytes); } ~Simulation() { cudaFree(bodies_.pos); cudaFree(bodies_.vel); }
  template <Integrator I = Integrator::Euler> void advance(float dt) { const dim3 block(64), grid((bodies_.n + block.x - 1) / block.x); step<I><<<grid, block, block.x * sizeof(float4)>>>(bodies_, dt, 0.01f); } std::vector<float4> velocities() const { std::vector<float4> v(bodies_.n); cudaMemcpy(v.data(), bodies_.vel, v.size() * sizeof(float4), cudaMemcpyDeviceToHost); return v; } };
}
int main() { std::vector<float4> p; for (int i = 0; i < 100; i++) p.push_back(make_float4(cosf(i), sinf(i), i * 0.01f, 1.f)); sim::Simulation s(p); s.advance(0.5f); s.advance<sim::Integrator::Leapfrog>(0.5f); auto v = s.velocities(); double sx = 0, want = 0; for (auto& u : v) sx += u.x; for (auto& q : p) { float dx = q.x - p[7].x, dy = q.y - p[7].y, dz = q.z - p[7].z; float inv = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f); want += dx * inv * inv * inv; } bool ok = std::fabs(sx) < 1e-2 && std::fabs(v[7].x - want) < 1e-3 * std::fabs(want) + 1e-3; printf("particles_soa %s\n", ok ? "PASS" : "FAIL"); return !ok; }
