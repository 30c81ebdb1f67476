// gesummv: y = alpha*A*x + beta*B*x
#include <cstdio>
#include <cstdlib>

const float ALPHA = 0.75f;
const float BETA  = 0.25f;

__global__ void gesummv(const float* A, const float* B, const float* x, float* y, int n)
{
	int i = blockIdx.x*blockDim.x + threadIdx.x;
	if (i >= n) return;

	float ta = 0, tb = 0;
	for (int j = 0; j < n; j++)
	{
		ta += A[i*n + j] * x[j];
		tb += B[i*n + j] * x[j];
	}
	y[i] = ALPHA*ta + BETA*tb;
}

int main(int argc, char** argv)
{
	int n = 128;
	if (argc > 1) n = atoi(argv[1]);
	size_t mat = sizeof(float)*n*n;
	size_t vec = sizeof(float)*n;

	float *A, *B, *x, *y;
	// unified memory keeps this short
	cudaMallocManaged(&A, mat);
	cudaMallocManaged(&B, mat);
	cudaMallocManaged(&x, vec);
	cudaMallocManaged(&y, vec);

	for (int i = 0; i < n; i++)
	{
		x[i] = (i % 16) / 16.0f;
		for (int j = 0; j < n; j++)
		{
			A[i*n + j] = ((i*j + 1) % 64) / 64.0f;
			B[i*n + j] = ((i*j + 2) % 64) / 64.0f;
		}
	}

	gesummv<<<(n + 255)/256, 256>>>(A, B, x, y, n);
	cudaError_t err = cudaDeviceSynchronize();
	if (err != cudaSuccess)
	{
		printf("gesummv: %s\n", cudaGetErrorString(err));
		return 1;
	}

	double sum = 0;
	for (int i = 0; i < n; i++) sum += y[i];
	printf("y[1] = %.4f, sum = %.4f\n", y[1], sum);

	cudaFree(A);
	cudaFree(B);
	cudaFree(x);
	cudaFree(y);
	return 0;
}
