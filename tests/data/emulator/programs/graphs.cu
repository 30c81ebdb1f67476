// Graphs: captured with branches, put together by hand, launched again and updated; nothing runs before the launch.
#include <cstdio>
#include <vector>

#define OK(call) do { cudaError_t e = (call); if (e) { printf("line %d: %s\n", __LINE__, cudaGetErrorString(e)); failures++; } } while (0)
static int failures = 0;

__global__ void scale(float* x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
__global__ void add(float* o, const float* a, const float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = a[i] + b[i]; }
static void count(void* p) { ++*static_cast<int*>(p); }
static void expect(bool is_right, int line) { if (!is_right) { printf("line %d\n", line); failures++; } }

const int N = 1000;

int main() {
  std::vector<float> in(N), out(N);
  float *a, *b, *o;
  cudaMalloc(&a, N * 4), cudaMalloc(&b, N * 4), cudaMalloc(&o, N * 4);
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreate(&two);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork), cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  int called = 0;

  cudaStreamCaptureStatus status;
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  OK(cudaStreamIsCapturing(one, &status));
  expect(status == cudaStreamCaptureStatusActive, __LINE__);
  OK(cudaMemcpyAsync(a, in.data(), N * 4, cudaMemcpyHostToDevice, one));
  OK(cudaEventRecord(fork, one));
  OK(cudaStreamWaitEvent(two, fork, 0));
  OK(cudaMemcpyAsync(b, in.data(), N * 4, cudaMemcpyHostToDevice, two));
  float factor = 2;
  scale<<<4, 256, 0, one>>>(a, factor, N);
  factor = 3;  // a launch keeps its arguments
  scale<<<4, 256, 0, two>>>(b, factor, N);
  OK(cudaEventRecord(join, two));
  OK(cudaStreamWaitEvent(one, join, 0));
  add<<<4, 256, 0, one>>>(o, a, b, N);
  OK(cudaLaunchHostFunc(one, count, &called));
  OK(cudaMemcpyAsync(out.data(), o, N * 4, cudaMemcpyDeviceToHost, one));
  expect(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported, __LINE__);
  cudaGetLastError();
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(one, &graph));
  expect(called == 0 && out[5] == 0, __LINE__);
  cudaGraphExec_t ready;
  OK(cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < N; i++) in[i] = i + turn;
    OK(cudaGraphLaunch(ready, one));
    OK(cudaStreamSynchronize(one));
    for (int i = 0; i < N; i++) expect(out[i] == 5.f * (i + turn), __LINE__);
  }
  expect(called == 3, __LINE__);
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  expect(nodes == 7, __LINE__);
  cudaEventRecord(fork, one);  // behind the capture: an ordinary event again
  OK(cudaStreamWaitEvent(two, fork, 0));

  // Work of another stream that nothing joins.
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  OK(cudaEventRecord(fork, one));
  OK(cudaStreamWaitEvent(two, fork, 0));
  scale<<<4, 256, 0, two>>>(b, 1, N);
  cudaGraph_t broken;
  expect(cudaStreamEndCapture(one, &broken) == cudaErrorStreamCaptureUnjoined && broken == nullptr, __LINE__);
  cudaGetLastError();

  // By hand; the copy is added first and waits for the rest.
  cudaGraph_t made;
  OK(cudaGraphCreate(&made, 0));
  cudaGraphNode_t copy, fill, first, second, called_node, empty;
  OK(cudaGraphAddMemcpyNode1D(&copy, made, nullptr, 0, out.data(), o, N * 4, cudaMemcpyDeviceToHost));
  cudaMemsetParams zeros = {0};
  zeros.dst = a, zeros.value = 0x40000000u /* 2.0f */, zeros.elementSize = 4, zeros.width = N, zeros.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, made, nullptr, 0, &zeros));
  float by = 10;
  int n = N;
  void* scale_arguments[] = {&a, &by, &n};
  cudaKernelNodeParams launch = {0};
  launch.func = (void*)scale, launch.gridDim = dim3(4), launch.blockDim = dim3(256), launch.kernelParams = scale_arguments;
  OK(cudaGraphAddKernelNode(&first, made, &fill, 1, &launch));
  void* add_arguments[] = {&o, &a, &a, &n};
  cudaKernelNodeParams sum = launch;
  sum.func = (void*)add, sum.kernelParams = add_arguments;
  OK(cudaGraphAddKernelNode(&second, made, &first, 1, &sum));
  cudaHostNodeParams function = {count, &called};
  OK(cudaGraphAddHostNode(&called_node, made, &second, 1, &function));
  OK(cudaGraphAddEmptyNode(&empty, made, &called_node, 1));
  OK(cudaGraphAddDependencies(made, &empty, &copy, 1));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(fill, &type));
  expect(type == cudaGraphNodeTypeMemset, __LINE__);
  cudaGraphExec_t by_hand;
  OK(cudaGraphInstantiate(&by_hand, made, 0));
  OK(cudaGraphLaunch(by_hand, 0));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < N; i++) expect(out[i] == 40, __LINE__);
  by = 100;
  OK(cudaGraphExecKernelNodeSetParams(by_hand, first, &launch));
  OK(cudaGraphLaunch(by_hand, one));
  OK(cudaStreamSynchronize(one));
  for (int i = 0; i < N; i++) expect(out[i] == 400, __LINE__);
  expect(called == 5, __LINE__);

  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphExecDestroy(by_hand));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(made));
  printf("graphs %s\n", failures ? "FAIL" : "PASS");
}
