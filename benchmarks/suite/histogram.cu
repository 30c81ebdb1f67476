#include <stdio.h>
#include <stdlib.h>

#define NUM_BINS 256

/* Byte histogram. */
__global__ void histogram_kernel(const unsigned char *buffer, long size, unsigned int *histo)
{
	long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
	long stride = (long)blockDim.x * gridDim.x;

	while (i < size) {
		atomicAdd(&histo[buffer[i]], 1);
		i += stride;
	}
}

static void fail(const char *msg, cudaError_t err)
{
	fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(err));
	exit(1);
}

int main(int argc, char **argv)
{
	long size = argc > 1 ? atol(argv[1]) : 100000;
	unsigned char *buffer = (unsigned char *)malloc(size);
	unsigned int histo[NUM_BINS], *d_histo;
	unsigned char *d_buffer;
	cudaError_t err;
	unsigned int s = 99;
	long total = 0, i;
	int b, top = 0;

	/* something like text: small values are much more frequent */
	for (i = 0; i < size; i++) {
		s = s * 1664525u + 1013904223u;
		buffer[i] = ((s >> 24) * ((s >> 16) & 255)) >> 8;
	}

	if ((err = cudaMalloc((void **)&d_buffer, size)))
		fail("cudaMalloc buffer", err);
	if ((err = cudaMalloc((void **)&d_histo, sizeof(histo))))
		fail("cudaMalloc histo", err);
	if ((err = cudaMemcpy(d_buffer, buffer, size, cudaMemcpyHostToDevice)))
		fail("cudaMemcpy", err);
	if ((err = cudaMemset(d_histo, 0, sizeof(histo))))
		fail("cudaMemset", err);

	long blocks = (size + 255) / 256;
	if (blocks > 1056)
		blocks = 1056;
	histogram_kernel<<<blocks, 256>>>(d_buffer, size, d_histo);
	if ((err = cudaGetLastError()))
		fail("launch", err);
	if ((err = cudaMemcpy(histo, d_histo, sizeof(histo), cudaMemcpyDeviceToHost)))
		fail("cudaMemcpy back", err);

	for (b = 0; b < NUM_BINS; b++) {
		total += histo[b];
		if (histo[b] > histo[top])
			top = b;
	}
	printf("%ld bytes counted, most frequent %d (%u times)\n", total, top, histo[top]);

	cudaFree(d_buffer);
	cudaFree(d_histo);
	free(buffer);
	return total == size ? 0 : 1;
}
