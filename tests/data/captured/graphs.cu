// Graphs: captured from a stream, updated, launched again, with a child graph and a copy to the host; and a graph that calls the host.
#include <cstdio>

constexpr int N = 256;

__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}

__global__ void plus(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

static void CUDART_CB called(void* counter) { ++*static_cast<int*>(counter); }

int main() {
  float *x, *y, host[N];
  for (int i = 0; i < N; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host), cudaMalloc(&y, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t child, graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  plus<<<2, 128, 0, stream>>>(x, 0.5f, N);
  cudaStreamEndCapture(stream, &child);

  cudaGraphNode_t fill, first, inside, last;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams zero{};
  zero.dst = y, zero.elementSize = 4, zero.width = N, zero.height = 1;
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero);
  int n = N;
  float by = 1.0f;
  void *twice_arguments[] = {&x, &n}, *plus_arguments[] = {&y, &by, &n};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(twice), kernel.gridDim = dim3(2), kernel.blockDim = dim3(128), kernel.kernelParams = twice_arguments;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
  cudaGraphAddChildGraphNode(&inside, graph, &first, 1, child);
  kernel.func = reinterpret_cast<void*>(plus), kernel.kernelParams = plus_arguments;
  cudaGraphAddKernelNode(&last, graph, &fill, 1, &kernel);
  cudaGraphNode_t copy;
  cudaGraphNode_t both[] = {inside, last};
  cudaGraphAddMemcpyNode1D(&copy, graph, both, 2, host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaGraphExec_t instance;
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);
  float before = host[1];
  by = 3.0f;
  cudaGraphExecKernelNodeSetParams(instance, last, &kernel);
  cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);

  int calls = 0;
  cudaGraph_t calling;
  cudaGraphExec_t calling_instance;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  twice<<<1, 64, 0, stream>>>(y, 64);
  cudaLaunchHostFunc(stream, called, &calls);
  cudaStreamEndCapture(stream, &calling);
  cudaGraphInstantiate(&calling_instance, calling, 0);
  cudaGraphLaunch(calling_instance, stream);
  cudaDeviceSynchronize();
  float second[N];
  cudaMemcpy(second, y, sizeof second, cudaMemcpyDeviceToHost);
  printf("%.2f %.2f %.2f %.2f %d %s\n", before, host[1], second[0], second[100], calls, cudaGetErrorString(cudaGetLastError()));
}
