// kernel=erode line=14 finding=KO108
#include <cstdio>
#define RAD 3

__global__ void erode(unsigned char *mask, unsigned char *out, int rows, int cols)
{
	int c = threadIdx.x + blockIdx.x*blockDim.x;
	int r = threadIdx.y + blockIdx.y*blockDim.y;
	if (r < rows && c < cols)
	{
		unsigned char m = 255;
		for (int i = -RAD; i <= RAD; i++)
		{
			for (int j = -RAD; j <= RAD; j++)
			{
				int rr = min(max(r + i, 0), rows - 1);
				int cc = min(max(c + j, 0), cols - 1);
				if (mask[rr*cols + cc] < m) m = mask[rr*cols + cc];
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
