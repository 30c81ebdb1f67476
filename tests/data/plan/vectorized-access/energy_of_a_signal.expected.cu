// kernel=energy line=16 finding=KO118
/* energy and mean of a recorded signal */
#include <stdio.h>
#include <stdlib.h>

#define NTHREADS 192

__global__ void energy(const double *sig, unsigned int n, double *result)
{
	__shared__ double part[NTHREADS];
	__shared__ double sums[NTHREADS];
	unsigned int tid = threadIdx.x;
	unsigned int stride = gridDim.x * blockDim.x;
	double e = 0, m = 0;

	const bool aligned = reinterpret_cast<size_t>(sig) % 16 == 0;
	const unsigned int vector_end = aligned ? n - n % 2 : 0;
	for (unsigned int first = (blockIdx.x * blockDim.x + tid) * 2; first < vector_end; first += stride * 2) {
		alignas(16) double sig2[2];
		*reinterpret_cast<double2 *>(sig2) = *reinterpret_cast<const double2 *>(sig + first);
		#pragma unroll
		for (int k = 0; k < 2; ++k) {
			e += sig2[k] * sig2[k];
			m += sig2[k];
		}
	}
	for (unsigned int i = vector_end + blockIdx.x * blockDim.x + tid; i < n; i += stride) {
		e += sig[i] * sig[i];
		m += sig[i];
	}
	part[tid] = e;
	sums[tid] = m;
	__syncthreads();
	if (tid < 64) {
		part[tid] += part[tid + 64] + part[tid + 128];
		sums[tid] += sums[tid + 64] + sums[tid + 128];
	}
	__syncthreads();
	for (unsigned int s = 32; s > 0; s >>= 1) {
		if (tid < s) {
			part[tid] += part[tid + s];
			sums[tid] += sums[tid + s];
		}
		__syncthreads();
	}
	if (tid == 0) {
		atomicAdd(&result[0], part[0]);
		atomicAdd(&result[1], sums[0]);
	}
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? strtoul(argv[1], NULL, 10) : 70001;
	double *h = (double *)malloc(n * sizeof(double)), r[2];
	double *d, *dr;

	for (unsigned int i = 0; i < n; i++)
		h[i] = (double)((i * 2654435761u) % 2001) / 1000.0 - 1.0;
	cudaMalloc((void **)&d, n * sizeof(double));
	cudaMalloc((void **)&dr, 2 * sizeof(double));
	cudaMemcpy(d, h, n * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemset(dr, 0, 2 * sizeof(double));
	energy<<<64, NTHREADS>>>(d, n, dr);
	cudaMemcpy(r, dr, 2 * sizeof(double), cudaMemcpyDeviceToHost);
	printf("energy %.6f mean %.6f\n", r[0], r[1] / n);
	cudaFree(d);
	cudaFree(dr);
	free(h);
	return 0;
}
