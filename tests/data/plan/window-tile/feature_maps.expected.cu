// kernel=correlate line=23 finding=KO108
#include <cstdio>
#include <vector>

#define TAPS 5

// One map out of `depth` maps: 5 x 5 taps for each, only where the whole window fits.
__global__ void correlate(double *out, const double *maps, const double *taps, int rows, int cols, int depth, double offset)
{
	const int col = threadIdx.x + blockIdx.x * blockDim.x;
	const int row = threadIdx.y + blockIdx.y * blockDim.y;
	const int outRows = rows - TAPS + 1;
	const int outCols = cols - TAPS + 1;
	const bool isInside = row < outRows && col < outCols;
	double level = offset;
	__shared__ double planeTile[4 + TAPS - 1][32 + TAPS - 1];
	__shared__ double tapsTable[TAPS][TAPS];
	for (int map = 0; map < depth; map++)
	{
		const double *plane = maps + (size_t)map * rows * cols;
		double part = 0.0;
		for (int cell = threadIdx.y * 32 + threadIdx.x; cell < (4 + TAPS - 1) * (32 + TAPS - 1); cell += 128) {
			const int row2 = cell / (32 + TAPS - 1), col2 = cell % (32 + TAPS - 1);
			const int rowIn = row2 + blockIdx.y * blockDim.y;
			const int colIn = col2 + blockIdx.x * blockDim.x;
			if (rowIn < outRows + TAPS - 1 && colIn < outCols + TAPS - 1)
				planeTile[row2][col2] = plane[rowIn * cols + colIn];
		}
		for (int tap = threadIdx.y * 32 + threadIdx.x; tap < TAPS * TAPS; tap += 128) {
			const int i = tap / TAPS, j = tap % TAPS;
			tapsTable[i][j] = taps[(map * TAPS + i) * TAPS + j];
		}
		__syncthreads();
		if (isInside)
		{
			#pragma unroll
			for (int i = 0; i < TAPS; i++)
				for (int j = 0; j < TAPS; j++)
					part += planeTile[threadIdx.y + i][threadIdx.x + j] * tapsTable[i][j];
		}
		__syncthreads();
		level += part;
	}
	if (isInside) out[row * outCols + col] = level > 0.0 ? level : 0.0;
}

int main()
{
	const int rows = 41, cols = 77, depth = 6;
	const int outRows = rows - TAPS + 1, outCols = cols - TAPS + 1;
	std::vector<double> host(rows * cols * depth), taps(TAPS * TAPS * depth), result(outRows * outCols);
	for (size_t i = 0; i < host.size(); i++) host[i] = (i * 29 % 113) / 113.0 - 0.5;
	for (size_t i = 0; i < taps.size(); i++) taps[i] = (i * 17 % 31) / 31.0 - 0.4;
	double *maps, *weights, *out;
	cudaMalloc(&maps, host.size() * sizeof(double));
	cudaMalloc(&weights, taps.size() * sizeof(double));
	cudaMalloc(&out, result.size() * sizeof(double));
	cudaMemcpy(maps, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(weights, taps.data(), taps.size() * sizeof(double), cudaMemcpyHostToDevice);
	dim3 threads(32, 4), blocks((outCols + 31) / 32, (outRows + 3) / 4);
	correlate<<<blocks, threads>>>(out, maps, weights, rows, cols, depth, 0.125);
	cudaMemcpy(result.data(), out, result.size() * sizeof(double), cudaMemcpyDeviceToHost);
	double sum = 0;
	for (size_t i = 0; i < result.size(); i++) sum += result[i] * (i % 5 + 1);
	printf("%.9f\n", sum);
	return 0;
}
