// kernel=reduceRows line=19 finding=KO113
#include <cstdio>
#include <vector>

template <typename T>
__device__ T dot(const T *a, const T *b, int count)
{
	T sum = 0;
	for (int i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

template <typename T>
__global__ void reduceRows(const T *__restrict__ matrix, const T *__restrict__ vector, T *__restrict__ result, int columns)
{
	const T *row = matrix + blockIdx.x * columns;
	if (threadIdx.x == 0)
		result[blockIdx.x] = dot(row, vector, columns);
}

template __global__ void reduceRows<float>(const float *, const float *, float *, int);
template __global__ void reduceRows<double>(const double *__restrict__ matrix, const double *__restrict__ vector, double *__restrict__ result, int columns);

template <typename T>
struct Buffers {
	T *matrix;
	T *vector;
	T *result;
};

int main()
{
	const int rows = 6, columns = 7;
	Buffers<double> d;
	cudaMalloc(&d.matrix, rows * columns * sizeof(double));
	cudaMalloc(&d.vector, columns * sizeof(double));
	cudaMalloc(&d.result, rows * sizeof(double));
	std::vector<double> ones(rows * columns, 1.0), result(rows);
	cudaMemcpy(d.matrix, ones.data(), rows * columns * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(d.vector, ones.data(), columns * sizeof(double), cudaMemcpyHostToDevice);
	reduceRows<double><<<rows, 32>>>(d.matrix, d.vector, d.result, columns);
	cudaMemcpy(result.data(), d.result, rows * sizeof(double), cudaMemcpyDeviceToHost);
	for (double value : result)
		if (value != columns) {
			puts("FAIL");
			return 1;
		}
	puts("PASS");
	return 0;
}
