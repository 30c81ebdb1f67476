// kernel=erode line=14 finding=KO108
#include <cstdio>
#define RAD 3

__global__ void erode(unsigned char *mask, unsigned char *out, int rows, int cols)
{
	int c = threadIdx.x + blockIdx.x*blockDim.x;
	int r = threadIdx.y + blockIdx.y*blockDim.y;
	__shared__ unsigned char mask_tile[16 + 2 * RAD][16 + 2 * RAD];
	for (int cell = threadIdx.y * 16 + threadIdx.x; cell < (16 + 2 * RAD) * (16 + 2 * RAD); cell += 256) {
		const int row = cell / (16 + 2 * RAD), col = cell % (16 + 2 * RAD);
		const int r_in = row + blockIdx.y*blockDim.y - RAD;
		const int c_in = col + blockIdx.x*blockDim.x - RAD;
		const int rr = min(max(r_in, 0), rows - 1);
		const int cc = min(max(c_in, 0), cols - 1);
		mask_tile[row][col] = mask[rr*cols + cc];
	}
	__syncthreads();
	if (r < rows && c < cols)
	{
		unsigned char m = 255;
		#pragma unroll
		for (int i = -RAD; i <= RAD; i++)
		{
			for (int j = -RAD; j <= RAD; j++)
			{
				if (mask_tile[threadIdx.y + i + RAD][threadIdx.x + j + RAD] < m) m = mask_tile[threadIdx.y + i + RAD][threadIdx.x + j + RAD];
			}
		}
		out[r*cols + c] = m;
	}
}

int main()
{
	const int rows = 21, cols = 35;
	unsigned char *mask, *out;
	cudaMallocManaged(&mask, rows*cols);
	cudaMallocManaged(&out, rows*cols);
	for (int i = 0; i < rows*cols; i++) mask[i] = i*i*31 % 201 + 20;
	erode<<<dim3((cols + 15)/16, (rows + 15)/16), dim3(16, 16)>>>(mask, out, rows, cols);
	cudaDeviceSynchronize();
	long sum = 0;
	for (int i = 0; i < rows*cols; i++) sum += out[i]*(i % 9 + 1);
	printf("%ld\n", sum);
	return 0;
}
