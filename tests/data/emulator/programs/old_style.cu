/* C-like code of 2010: prototypes, globals, goto-style clean-up, unqualified calls. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <sys/time.h>
#include <cuda.h>
#define N 1024
#define THREADS 128
typedef float DATA_TYPE;
__device__ __constant__ DATA_TYPE weight[5];
__global__ void stencil(DATA_TYPE *in, DATA_TYPE *out, unsigned int n);
void check(const char *msg) { cudaError_t err = cudaGetLastError(); if (cudaSuccess != err) { fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(err)); exit(-1); } }
double rtclock() { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + t.tv_usec * 1.0e-6; }
__global__ void stencil(DATA_TYPE *in, DATA_TYPE *out, unsigned int n)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, j; DATA_TYPE acc = 0.;
	__shared__ DATA_TYPE tile[THREADS + 4];
	tile[threadIdx.x + 2] = in[i];
	if (threadIdx.x < 2) { tile[threadIdx.x] = i >= 2 ? in[i - 2] : 0; tile[threadIdx.x + THREADS + 2] = i + THREADS < n ? in[i + THREADS] : 0; }
	__syncthreads();
	for (j = 0; j < 5; j++) acc += weight[j] * tile[threadIdx.x + j];
	if (isnan(acc) || acc == INFINITY) acc = 0;
	out[i] = acc;
}
int main(int argc, char *argv[])
{
	DATA_TYPE *h = (DATA_TYPE *)malloc(N * sizeof(DATA_TYPE)), *in = NULL, *out = NULL, w[5] = {1, 2, 3, 2, 1}; int i, errors = 0; double start = rtclock(); cudaEvent_t begin, end; float ms;
	for (i = 0; i < N; i++) h[i] = i % 7;
	cudaMalloc((void **)&in, N * sizeof(DATA_TYPE)); cudaMalloc((void **)&out, N * sizeof(DATA_TYPE)); cudaMemcpyToSymbol(weight, w, sizeof(w)); cudaMemcpy(in, h, N * sizeof(DATA_TYPE), cudaMemcpyHostToDevice); check("set-up");
	cudaEventCreate(&begin); cudaEventCreate(&end); cudaEventRecord(begin, 0); stencil<<<(unsigned int)ceil((float)N / (float)THREADS), THREADS>>>(in, out, N); cudaThreadSynchronize(); cudaEventRecord(end, 0); cudaEventSynchronize(end); cudaEventElapsedTime(&ms, begin, end); check("kernel");
	DATA_TYPE *r = (DATA_TYPE *)malloc(N * sizeof(DATA_TYPE)); cudaMemcpy(r, out, N * sizeof(DATA_TYPE), cudaMemcpyDeviceToHost);
	for (i = 2; i < N - 2; i++) if (fabs(r[i] - (h[i - 2] + 2 * h[i - 1] + 3 * h[i] + 2 * h[i + 1] + h[i + 2])) > 1e-5) errors++;
	if (errors || rtclock() < start) printf("old_style FAIL %d\n", errors); else printf("old_style PASS\n"); cudaFree(in); cudaFree(out); free(h); free(r); return errors;
}
