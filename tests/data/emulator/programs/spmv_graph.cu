// CSR matrix-vector product (scalar and vector), breadth-first search, struct of arrays.
#include <cstdio>
#include <vector>
#include <limits>
struct Csr { int rows; int* start; int* col; float* val; };
__global__ void spmv_scalar(Csr a, const float* x, float* y) { int r = threadIdx.x + blockIdx.x * blockDim.x; if (r < a.rows) { float s = 0; for (int j = a.start[r]; j < a.start[r + 1]; j++) s += a.val[j] * x[a.col[j]]; y[r] = s; } }
template <int WIDTH> __global__ void spmv_vector(const Csr* __restrict__ a, const float* x, float* y) { int r = (blockIdx.x * blockDim.x + threadIdx.x) / WIDTH, lane = threadIdx.x % WIDTH; float s = 0; if (r < a->rows) for (int j = a->start[r] + lane; j < a->start[r + 1]; j += WIDTH) s += a->val[j] * x[a->col[j]]; for (int o = WIDTH / 2; o; o /= 2) s += __shfl_down_sync(0xffffffff, s, o, WIDTH); if (r < a->rows && lane == 0) y[r] = s; }
__global__ void bfs(Csr g, int* level, int depth, bool* changed) { int v = blockIdx.x * blockDim.x + threadIdx.x; if (v < g.rows && level[v] == depth) for (int e = g.start[v]; e < g.start[v + 1]; ++e) { int u = g.col[e]; if (atomicCAS(&level[u], -1, depth + 1) == -1) *changed = true; } }
template <typename T> T* upload(const std::vector<T>& v) { T* p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
int main() {
  const int n = 100; std::vector<int> start{0}, col; std::vector<float> val, x(n, 2.f), y(n); for (int r = 0; r < n; r++) { for (int k = 1; k <= r % 4 + 1; k++) { col.push_back((r + k) % n); val.push_back(k); } start.push_back(col.size()); } Csr a{n, upload(start), upload(col), upload(val)}; Csr* da; cudaMalloc(&da, sizeof a); cudaMemcpy(da, &a, sizeof a, cudaMemcpyHostToDevice); float *dx = upload(x), *dy = upload(y); int bad = 0; auto verify = [&] { cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost); for (int r = 0; r < n; r++) { int k = r % 4 + 1; bad += y[r] != k * (k + 1); } };
  spmv_scalar<<<(n + 63) / 64, 64>>>(a, dx, dy); verify(); cudaMemset(dy, 0, n * 4); spmv_vector<8><<<(n * 8 + 127) / 128, 128>>>(da, dx, dy); verify();
  std::vector<int> level(n, -1); level[0] = 0; int* dl = upload(level); bool *dc, again = true; cudaMalloc(&dc, 1); for (int d = 0; again; d++) { again = false; cudaMemcpy(dc, &again, 1, cudaMemcpyHostToDevice); bfs<<<2, 64>>>(a, dl, d, dc); cudaMemcpy(&again, dc, 1, cudaMemcpyDeviceToHost); } cudaMemcpy(level.data(), dl, n * 4, cudaMemcpyDeviceToHost); for (int l : level) bad += l < 0; printf("spmv_graph %s\n", bad ? "FAIL" : "PASS"); return bad;
}
