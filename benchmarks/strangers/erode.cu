/* morphology on a mask: erode, then dilate, 7x7 */
#include <stdio.h>
#include <stdlib.h>
#define RAD 3
#define IDX(r,c,w) ((r)*(w)+(c))
__global__ void erode(unsigned char *in, unsigned char *out, int rows, int cols)
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
				if (in[rr*cols + cc] < m) m = in[rr*cols + cc];
			}
		}
		out[r*cols + c] = m;
	}
}
__global__ void dilate(unsigned char *in, unsigned char *out, int rows, int cols)
{
	int c = threadIdx.x + blockIdx.x*blockDim.x;
	int r = threadIdx.y + blockIdx.y*blockDim.y;
	unsigned char m = 0;
	if (r >= rows || c >= cols) return;
	for (int i = -RAD; i <= RAD; i++)
		for (int j = -RAD; j <= RAD; j++)
			if (r + i >= 0 && r + i < rows && c + j >= 0 && c + j < cols)
				m = max((int)m, (int)in[(r + i)*cols + c + j]);
	out[IDX(r,c,cols)] = m;
}
__global__ void count(unsigned char *m, int n, int *total)
{
	int i = blockIdx.x*blockDim.x + threadIdx.x;
	if (i < n && m[i]) atomicAdd(total, 1);
}
int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 119, cols = argc > 2 ? atoi(argv[2]) : 203, t = 0;
	unsigned char *h = (unsigned char*)malloc(rows*cols), *a, *b; int *d;
	unsigned s = 9; for (int i = 0; i < rows*cols; i++) { s = s*1103515245u + 12345u; h[i] = (s >> 16) % 29 ? 255 : 0; }
	cudaMalloc(&a, rows*cols); cudaMalloc(&b, rows*cols); cudaMalloc(&d, 4); cudaMemset(d, 0, 4);
	cudaMemcpy(a, h, rows*cols, cudaMemcpyHostToDevice);
	dim3 th(16,16), bl((cols+15)/16, (rows+15)/16);
	erode<<<bl,th>>>(a, b, rows, cols);
	dilate<<<bl,th>>>(b, a, rows, cols);
	count<<<(rows*cols+127)/128,128>>>(a, rows*cols, d);
	cudaMemcpy(&t, d, 4, cudaMemcpyDeviceToHost);
	printf("%d\n", t);
	return 0;
}
