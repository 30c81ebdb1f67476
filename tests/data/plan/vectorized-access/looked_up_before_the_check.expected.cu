// kernel=finish line=10 finding=KO118
#define BLOCK 256

__global__ void finish(float *e, const float *part, int N)
{
	int t = threadIdx.x;
	float before = part[blockIdx.x];  // of the blocks before
	const bool aligned = reinterpret_cast<size_t>(e) % 16 == 0;
	const int first = t * 4 + blockIdx.x * BLOCK;
	if (aligned && first + 4 <= N) {
		alignas(16) float e4[4];
		*reinterpret_cast<float4 *>(e4) = *reinterpret_cast<const float4 *>(e + first);
		#pragma unroll
		for (int lane = 0; lane < 4; ++lane)
			e4[lane] = e4[lane] + before;
		*reinterpret_cast<float4 *>(e + first) = *reinterpret_cast<float4 *>(e4);
	} else {
		for (int k = first; k < N && k < first + 4; ++k)
			e[k] = e[k] + before;
	}
}

void run(float *e, const float *part, float *x, int N)
{
	dim3 grid((N + BLOCK - 1) / BLOCK), block(BLOCK);
	cudaMemcpy(e, x, grid.x * block.x * sizeof(float), cudaMemcpyDeviceToDevice);
	finish<<<grid, block.x / 4>>>(e, part, N);
}
