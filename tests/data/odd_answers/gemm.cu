#include <cuda_runtime.h>
#include <iostream>
#include <cmath>
#define TILE 16
struct Matrix { int rows, cols; float *data; };
__global__ void matmul(Matrix A, Matrix B, Matrix C)
{
	int r = blockIdx.y * TILE + threadIdx.y;
	int c = blockIdx.x * TILE + threadIdx.x;
	if (r < C.rows && c < C.cols) {
		float v = 0.0;
		for (int k = 0; k < A.cols; k++)
			v += A.data[r * A.cols + k] * B.data[k * B.cols + c];
		C.data[r * C.cols + c] = v;
	}
}
void multiply(Matrix A, Matrix B, Matrix C)
{
	dim3 dimBlock(TILE, TILE);
	dim3 dimGrid((C.cols + TILE - 1) / TILE, (C.rows + TILE - 1) / TILE);
	matmul<<<dimGrid, dimBlock>>>(A, B, C);
	cudaDeviceSynchronize();
}
int main()
{
	const int n = 96, m = 80, p = 112;
	Matrix A{n, m}, B{m, p}, C{n, p};
	cudaMallocManaged(&A.data, n * m * 4); cudaMallocManaged(&B.data, m * p * 4); cudaMallocManaged(&C.data, n * p * 4);
	for (int i = 0; i < n * m; i++) A.data[i] = (i % 13) * 0.5f - 3;
	for (int i = 0; i < m * p; i++) B.data[i] = (i % 7) * 0.25f - 1;
	multiply(A, B, C);
	double s = 0;
	for (int i = 0; i < n * p; i++) s += C.data[i];
	std::cout << "checksum " << s << std::endl;
	return 0;
}
