// Launches whose blocks form clusters and read each other's shared memory: by the launch, by the kernel, and in a graph.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
constexpr int N = 1024;

__device__ int of_cluster(int mine) {
  cg::cluster_group cluster = cg::this_cluster();
  __shared__ int kept;
  if (threadIdx.x == 0) kept = mine;
  cluster.sync();
  int sum = 0;
  for (unsigned b = 0; b < cluster.num_blocks(); ++b) sum += *cluster.map_shared_rank(&kept, b);
  cluster.sync();
  return sum;
}

__global__ void by_launch(int* x) {
  int sum = of_cluster(x[blockIdx.x * blockDim.x]);
  x[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

__global__ void __cluster_dims__(2, 1, 1) by_kernel(int* x) {
  int sum = of_cluster(x[blockIdx.x * blockDim.x]);
  x[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

int main() {
  int host[N], *x;
  for (int i = 0; i < N; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(128);
  config.stream = stream;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 4;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, by_launch, x);
  by_kernel<<<8, 128, 0, stream>>>(x);
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaLaunchKernelEx(&config, by_launch, x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", host[0], host[N - 1], cudaGetErrorString(cudaGetLastError()));
}
