// Two branches of a graph; with an argument, nothing makes the second wait for the first.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void add(int* x, const int* y) { x[threadIdx.x] += y[threadIdx.x]; }

int main(int count, char**) {
    int *x, *y, result[32];
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    cudaStream_t one, other;
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    cudaEvent_t begun, ready, done;
    cudaEventCreate(&begun);
    cudaEventCreate(&ready);
    cudaEventCreate(&done);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(begun, one);
    cudaStreamWaitEvent(other, begun, 0);
    set<<<1, 32, 0, other>>>(y, 2);
    set<<<1, 32, 0, one>>>(x, 5);
    cudaEventRecord(ready, one);
    if (count == 1) cudaStreamWaitEvent(other, ready, 0);
    add<<<1, 32, 0, other>>>(y, x);
    cudaEventRecord(done, other);
    cudaStreamWaitEvent(one, done, 0);
    cudaGraph_t graph;
    cudaGraphExec_t ready_to_run;
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&ready_to_run, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaMemset(x, 0, 128);
        cudaGraphLaunch(ready_to_run, one);
        cudaStreamSynchronize(one);
        cudaMemcpy(result, y, 128, cudaMemcpyDeviceToHost);
        printf("%d\n", result[0]);
    }
}
