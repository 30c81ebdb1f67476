// kernel=finish line=10 finding=KO118
#define BLOCK 256

__global__ void finish(float *e, const float *part, int N)
{
	int t = threadIdx.x;
	int k = t + blockIdx.x * BLOCK;
	float before = part[blockIdx.x];   // of the blocks before
	if (k < N)
		e[k] = e[k] + before;
}

void run(float *e, const float *part, float *x, int N)
{
	dim3 grid((N + BLOCK - 1) / BLOCK), block(BLOCK);
	cudaMemcpy(e, x, grid.x * block.x * sizeof(float), cudaMemcpyDeviceToDevice);
	finish<<<grid, block>>>(e, part, N);
}
