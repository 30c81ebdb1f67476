// Visual odometry front end: brute-force matching of 256-bit binary descriptors (ORB/BRIEF) with
// ratio test and cross check.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <climits>
#include <vector>
#include <cuda_runtime.h>

#define ASSERT_CUDA(x)                                                           \
  if (cudaError_t err = (x)) {                                                   \
    fprintf(stderr, "%s\n  in %s, line %d\n", cudaGetErrorString(err), #x, __LINE__); \
    exit(3);                                                                     \
  }

struct alignas(16) Desc { uint32_t w[8]; };

struct Nearest { int dist, index, second; };   // ties: the lowest index; second = distance of the runner-up

constexpr int TQ = 128;      // queries per block, one per thread
constexpr int TT = 64;       // train descriptors per shared-memory tile
constexpr int SPLIT = 256;   // train descriptors per block (grid.y slices)
static_assert(SPLIT % TT == 0 && 2 * TT <= TQ, "tile shape");

__device__ __forceinline__ int dist4(uint4 a, uint4 b)
{
  return __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w);
}

// part[slice * nq + i]: nearest of query i within its slice of the train set
__global__ void __launch_bounds__(TQ) nearest_slice(const uint4* __restrict__ query, int nq,
                                                    const uint4* __restrict__ train, int nt, Nearest* __restrict__ part)
{
  __shared__ uint4 tile[TT][2];
  const int i = blockIdx.x * TQ + threadIdx.x;
  const int first = blockIdx.y * SPLIT, last = min(first + SPLIT, nt);
  uint4 a = make_uint4(0, 0, 0, 0), b = a;
  if (i < nq) { a = query[2 * i]; b = query[2 * i + 1]; }

  int bd = INT_MAX, bi = -1, sd = INT_MAX;
  for (int base = first; base < last; base += TT) {
    const int m = min(TT, last - base);
    __syncthreads();
    if (threadIdx.x < 2 * m) tile[threadIdx.x >> 1][threadIdx.x & 1] = train[2 * base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < m; ++j) {
      const int d = dist4(a, tile[j][0]) + dist4(b, tile[j][1]);
      sd = min(sd, max(d, bd));            // the loser of (d, best) competes for second place
      if (d < bd) { bd = d; bi = base + j; }
    }
  }
  if (i < nq) part[(size_t)blockIdx.y * nq + i] = Nearest{ bd, bi, sd };
}

// slices in rising order, so that a tie goes to the lowest index
__global__ void merge_slices(const Nearest* __restrict__ part, int nq, int slices, Nearest* __restrict__ out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nq) return;
  Nearest r = part[i];
  for (int s = 1; s < slices; ++s) {
    const Nearest p = part[(size_t)s * nq + i];
    if (p.dist < r.dist) {
      r.second = min(r.dist, p.second);
      r.dist = p.dist;
      r.index = p.index;
    } else {
      r.second = min(r.second, p.dist);
    }
  }
  out[i] = r;
}

static void nearest(const Desc* query, int nq, const Desc* train, int nt, Nearest* part, Nearest* out)
{
  const int slices = (nt + SPLIT - 1) / SPLIT;
  nearest_slice<<<dim3((nq + TQ - 1) / TQ, slices), TQ>>>(reinterpret_cast<const uint4*>(query), nq,
                                                          reinterpret_cast<const uint4*>(train), nt, part);
  ASSERT_CUDA(cudaGetLastError());
  merge_slices<<<(nq + 127) / 128, 128>>>(part, nq, slices, out);
  ASSERT_CUDA(cudaGetLastError());
}

__global__ void accept_kernel(const Nearest* __restrict__ fwd, int nq, const Nearest* __restrict__ bwd, int max_dist,
                              int* __restrict__ match, int* __restrict__ count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool good = false;
  if (i < nq) {
    const Nearest f = fwd[i];
    good = f.index >= 0 && f.dist <= max_dist &&
           (f.second == INT_MAX || 10 * f.dist < 8 * f.second) && bwd[f.index].index == i;
    match[i] = good ? f.index : -1;
  }
  const int n = __syncthreads_count(good);       // one atomic per block
  if (threadIdx.x == 0 && n) atomicAdd(count, n);
}

static uint32_t state = 0x9e3779b9u;
static uint32_t rnd() { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }

int main()
{
  const int nq = 1900, nt = 2150;
  std::vector<Desc> q(nq), t(nt);
  for (auto& d : t) for (auto& w : d.w) w = rnd();
  for (int i = 0; i < nq; ++i) {
    if (i % 5 == 4) { for (auto& w : q[i].w) w = rnd(); continue; }       // new feature
    q[i] = t[(i * 7 + 31) % nt];                                           // seen again, with bit noise
    int flips = rnd() % 60;
    for (int f = 0; f < flips; ++f) { uint32_t r = rnd(); q[i].w[(r >> 8) & 7] ^= 1u << (r & 31); }
  }
  for (int i = 0; i < nt; i += 97) t[(i + 5) % nt] = t[i];                 // repeated texture

  Desc *dq, *dt; Nearest *df, *db; int *dm, *dc;
  ASSERT_CUDA(cudaMalloc(&dq, nq * sizeof(Desc)));
  ASSERT_CUDA(cudaMalloc(&dt, nt * sizeof(Desc)));
  ASSERT_CUDA(cudaMalloc(&df, nq * sizeof(Nearest)));
  ASSERT_CUDA(cudaMalloc(&db, nt * sizeof(Nearest)));
  ASSERT_CUDA(cudaMalloc(&dm, nq * sizeof(int)));
  ASSERT_CUDA(cudaMalloc(&dc, sizeof(int)));
  ASSERT_CUDA(cudaMemcpy(dq, q.data(), nq * sizeof(Desc), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpy(dt, t.data(), nt * sizeof(Desc), cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemset(dc, 0, sizeof(int)));

  const int most = nq > nt ? nq : nt;
  Nearest* dpart;                                 // shared by both directions, they run one after the other
  ASSERT_CUDA(cudaMalloc(&dpart, (size_t)most * ((most + SPLIT - 1) / SPLIT) * sizeof(Nearest)));
  nearest(dq, nq, dt, nt, dpart, df);
  nearest(dt, nt, dq, nq, dpart, db);
  accept_kernel<<<(nq + 127) / 128, 128>>>(df, nq, db, 64, dm, dc);
  ASSERT_CUDA(cudaGetLastError());

  std::vector<int> match(nq); int count = 0;
  ASSERT_CUDA(cudaMemcpy(match.data(), dm, nq * sizeof(int), cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaMemcpy(&count, dc, sizeof(int), cudaMemcpyDeviceToHost));
  unsigned long long h = 1469598103934665603ull;
  int right = 0;
  for (int i = 0; i < nq; ++i) {
    h = (h ^ (unsigned)match[i]) * 1099511628211ull;
    right += match[i] == (i * 7 + 31) % nt;
  }
  printf("%d matches of %d, %d as planted, hash %016llx\n", count, nq, right, h);
  for (int i = 0; i < nq; i += 379) printf("  %d -> %d\n", i, match[i]);
  cudaFree(dpart); cudaFree(dq); cudaFree(dt); cudaFree(df); cudaFree(db); cudaFree(dm); cudaFree(dc);
  return 0;
}
