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

struct Desc { uint32_t w[8]; };

struct Nearest { int dist, index, second; };   // ties: the lowest index; second = distance of the runner-up

__global__ void nearest_kernel(const Desc* query, int nq, const Desc* train, int nt, Nearest* out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nq) return;
  Nearest best = { INT_MAX, -1, INT_MAX };
  for (int j = 0; j < nt; ++j) {
    int d = 0;
    for (int k = 0; k < 8; ++k) d += __popc(query[i].w[k] ^ train[j].w[k]);
    if (d < best.dist) {
      best.second = best.dist;
      best.dist = d;
      best.index = j;
    } else if (d < best.second) {
      best.second = d;
    }
  }
  out[i] = best;
}

__global__ void accept_kernel(const Nearest* fwd, int nq, const Nearest* bwd, int max_dist, int* match, int* count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nq) return;
  Nearest f = fwd[i];
  bool good = f.index >= 0 && f.dist <= max_dist &&
              (f.second == INT_MAX || 10 * f.dist < 8 * f.second) && bwd[f.index].index == i;
  match[i] = good ? f.index : -1;
  if (good) atomicAdd(count, 1);
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

  nearest_kernel<<<(nq + 127) / 128, 128>>>(dq, nq, dt, nt, df);
  ASSERT_CUDA(cudaGetLastError());
  nearest_kernel<<<(nt + 127) / 128, 128>>>(dt, nt, dq, nq, db);
  ASSERT_CUDA(cudaGetLastError());
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
  cudaFree(dq); cudaFree(dt); cudaFree(df); cudaFree(db); cudaFree(dm); cudaFree(dc);
  return 0;
}
