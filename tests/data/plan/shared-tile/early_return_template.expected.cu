// kernel=gemm line=14 finding=KO108
#include <cstdio>

template <typename T>
__global__ void gemm(T *__restrict__ C, const T *__restrict__ A, const T *__restrict__ B, int M, int N, int K, T alpha)
{
	const int x = threadIdx.x + blockIdx.x * 8;
	const int y = threadIdx.y + blockIdx.y * 8;
	T value = T(0);
	__shared__ T a_tile[8][8];
	__shared__ T b_tile[8][8];
	for (int tile = 0; tile < K; tile += 8) {
		a_tile[threadIdx.y][threadIdx.x] = y < M && tile + threadIdx.x < K ? A[tile + threadIdx.x + y * K] : T{};
		b_tile[threadIdx.y][threadIdx.x] = x < N && tile + threadIdx.y < K ? B[(tile + threadIdx.y) * N + x] : T{};
		__syncthreads();
		for (int i = tile; i < tile + 8 && i < K; i++) {
			T left = a_tile[threadIdx.y][i - tile];
			value += left * b_tile[i - tile][threadIdx.x];
		}
		__syncthreads();
	}
	if (y >= M || x >= N)
		return;
	C[y * N + x] = alpha * value;
}

template <typename T>
static void launch(T *C, const T *A, const T *B, int M, int N, int K)
{
	const dim3 threads(8, 8);
	const dim3 blocks((N + 7) / 8, (M + 7) / 8);
	gemm<T><<<blocks, threads>>>(C, A, B, M, N, K, T(2));
}

int main()
{
	const int M = 13, N = 21, K = 10;
	double *A, *B, *C;
	cudaMallocManaged(&A, M * K * sizeof(double));
	cudaMallocManaged(&B, K * N * sizeof(double));
	cudaMallocManaged(&C, M * N * sizeof(double));
	for (int i = 0; i < M * K; i++) A[i] = 1;
	for (int i = 0; i < K * N; i++) B[i] = i % N;
	launch(C, A, B, M, N, K);
	cudaDeviceSynchronize();
	for (int i = 0; i < M * N; i++)
		if (C[i] != 2.0 * K * (i % N)) return puts("FAIL"), 1;
	puts("PASS");
	return 0;
}
