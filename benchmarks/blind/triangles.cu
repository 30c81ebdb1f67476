// In how many triangles is each vertex?  Edges point from the smaller to the larger number,
// lists are sorted, one thread intersects the lists of an edge's two ends.
#include <cstdio>
#include <cstdlib>

#define GAP 4

#define E(x) { cudaError_t rc = x; if (rc) { printf("error %d in line %d\n", rc, __LINE__); exit(1); } }

__global__ void tri(const int *row, const int *adj, const int *from, int edges, unsigned *cnt)
{
  int e = blockDim.x * blockIdx.x + threadIdx.x;
  if (e >= edges) return;
  int u = from[e], v = adj[e];
  int i = row[u], iend = row[u+1];
  int j = row[v], jend = row[v+1];
  while (i < iend && j < jend) {
    if (adj[i] < adj[j]) i++;
    else if (adj[i] > adj[j]) j++;
    else {
      atomicAdd(&cnt[u], 1);
      atomicAdd(&cnt[v], 1);
      atomicAdd(&cnt[adj[i]], 1);
      i++; j++;
    }
  }
}

int main(int c, char **v)
{
  int n = c > 1 ? atoi(v[1]) : 1000;     // vertices with edges going out
  int d = c > 2 ? atoi(v[2]) : 8;        // as many each
  int all = n + GAP * d;                 // the last ones only receive
  int m = n * d;

  int *row = (int *)malloc((all + 1) * sizeof(int));
  int *adj = (int *)malloc(m * sizeof(int));
  int *from = (int *)malloc(m * sizeof(int));
  unsigned *cnt = (unsigned *)malloc(all * sizeof(unsigned));
  unsigned h = 99;
  for (int i = 0; i <= all; i++) row[i] = i < n ? i * d : m;
  for (int i = 0; i < n; i++) {
    int w = i;
    for (int k = 0; k < d; k++) {
      h = h * 747796405u + 2891336453u;
      w += 1 + (h >> 28) % GAP;
      adj[i * d + k] = w;
      from[i * d + k] = i;
    }
  }

  int *row_d, *adj_d, *from_d;
  unsigned *cnt_d;
  E(cudaMalloc(&row_d, (all + 1) * sizeof(int)));
  E(cudaMalloc(&adj_d, m * sizeof(int)));
  E(cudaMalloc(&from_d, m * sizeof(int)));
  E(cudaMalloc(&cnt_d, all * sizeof(unsigned)));
  E(cudaMemcpy(row_d, row, (all + 1) * sizeof(int), cudaMemcpyHostToDevice));
  E(cudaMemcpy(adj_d, adj, m * sizeof(int), cudaMemcpyHostToDevice));
  E(cudaMemcpy(from_d, from, m * sizeof(int), cudaMemcpyHostToDevice));
  E(cudaMemset(cnt_d, 0, all * sizeof(unsigned)));

  tri<<<(m + 255) / 256, 256>>>(row_d, adj_d, from_d, m, cnt_d);
  E(cudaGetLastError());
  E(cudaMemcpy(cnt, cnt_d, all * sizeof(unsigned), cudaMemcpyDeviceToHost));

  unsigned long long sum = 0;
  unsigned most = 0;
  for (int i = 0; i < all; i++) {
    sum += cnt[i];
    if (cnt[i] > most) most = cnt[i];
  }
  printf("triangles: %llu, most at one vertex: %u, at vertex 5: %u\n", sum / 3, most, cnt[5]);

  cudaFree(row_d); cudaFree(adj_d); cudaFree(from_d); cudaFree(cnt_d);
  free(row); free(adj); free(from); free(cnt);
  return 0;
}
