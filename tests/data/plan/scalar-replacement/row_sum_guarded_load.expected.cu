// kernel=rowSums line=13 finding=KO107
#include <cstdio>
#include <vector>

template <typename T>
__global__ void rowSums(const T *__restrict__ values, T *__restrict__ sums, int rows, int columns)
{
	const int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	/* sums may hold the result of an earlier call */
	T sums_acc = columns > 0 ? sums[row] : T{};
	for (int column = 0; column < columns; column++)
		sums_acc = sums_acc + values[row * columns + column];
	if (columns > 0) sums[row] = sums_acc;
}

template <typename T>
void launchRowSums(const T *values, T *sums, int rows, int columns)
{
	rowSums<T><<<(rows + 63) / 64, 64>>>(values, sums, rows, columns);
}

int main()
{
	const int rows = 100, columns = 9;
	std::vector<double> values(rows * columns, 0.5), sums(rows, 1.0);
	double *dValues, *dSums;
	cudaMalloc(&dValues, values.size() * sizeof(double));
	cudaMalloc(&dSums, sums.size() * sizeof(double));
	cudaMemcpy(dValues, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(dSums, sums.data(), sums.size() * sizeof(double), cudaMemcpyHostToDevice);
	launchRowSums(dValues, dSums, rows, columns);
	launchRowSums(dValues, dSums, rows, columns);
	cudaMemcpy(sums.data(), dSums, sums.size() * sizeof(double), cudaMemcpyDeviceToHost);
	for (double sum : sums)
		if (sum != 1.0 + 2 * columns * 0.5)
			return puts("FAIL"), 1;
	return puts("PASS"), 0;
}
