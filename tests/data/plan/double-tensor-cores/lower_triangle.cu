// kernel=syrk_lower line=12 finding=KO108
// A factor in each product, a sum that starts at what is there, and only the lower triangle.
__global__ void syrk_lower(const double *A, double *C, double alpha, double beta, int n, int m)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < n && j <= i)
	{
		double acc = beta * C[i * n + j];
		for (int k = 0; k < m; k++)
			acc += alpha * A[i * m + k] * A[j * m + k];
		C[i * n + j] = acc;
	}
}

int main()
{
	const int n = 150, m = 70;
	static double a[n * m], c[n * n];
	for (int e = 0; e < n * m; e++)
		a[e] = e % 19 / 7.0 - 1;
	for (int e = 0; e < n * n; e++)
		c[e] = e % 11 / 3.0;
	double *A, *C;
	cudaMalloc(&A, sizeof(a));
	cudaMalloc(&C, sizeof(c));
	cudaMemcpy(A, a, sizeof(a), cudaMemcpyHostToDevice);
	cudaMemcpy(C, c, sizeof(c), cudaMemcpyHostToDevice);
	dim3 block(32, 8);
	dim3 grid((n + 31) / 32, (n + 7) / 8);
	syrk_lower<<<grid, block>>>(A, C, 1.5, 1.2, n, m);
	cudaMemcpy(c, C, sizeof(c), cudaMemcpyDeviceToHost);
	return c[n] > 1e9;
}
