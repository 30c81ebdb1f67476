// kernel=syrk_lower line=12 finding=KO108
// A factor in each product, a sum that starts at what is there, and only the lower triangle.
__global__ void syrk_lower(const double *A, double *C, double alpha, double beta, int n, int m)
{
	if (blockIdx.x * 64 > blockIdx.y * 64 + 63) return;
	__shared__ double a_i_tile[64][20];
	__shared__ double a_j_tile[64][20];
	const int thread = threadIdx.y * 16 + threadIdx.x;
	const int lane = thread % 32;
	const int warp_i = thread / 64 * 32, warp_j = thread / 32 % 2 * 32;
	// a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
	double acc[2][4][4] = {};
	#pragma unroll
	for (int r = 0; r < 2; ++r) {
		#pragma unroll
		for (int c = 0; c < 4; ++c) {
			#pragma unroll
			for (int e = 0; e < 4; ++e) {
				const int i = blockIdx.y * 64 + warp_i + r * 16 + lane / 4 + e / 2 * 8;
				const int j = blockIdx.x * 64 + warp_j + c * 8 + lane % 4 * 2 + e % 2;
				if (i < n && j <= i) {
					acc[r][c][e] = beta * C[i * n + j];
				}
			}
		}
	}
	// each round loads a tile while it multiplies the one before; the last round only multiplies
	for (int start = 0; start < m + 16; start += 16) {
		double a_i_next[8];
		#pragma unroll
		for (int e = 0; e < 64; e += 8) {
			const int i = blockIdx.y * 64 + e + thread / 16;
			const int k = start + thread % 16;
			a_i_next[e / 8] = i < n && k < m ? alpha * A[i * m + k] : 0.0;
		}
		double a_j_next[8];
		#pragma unroll
		for (int e = 0; e < 64; e += 8) {
			const int j = blockIdx.x * 64 + e + thread / 16;
			const int k = start + thread % 16;
			a_j_next[e / 8] = j < n && k < m ? A[j * m + k] : 0.0;
		}
		if (start > 0) {
			#pragma unroll
			for (int p = 0; p < 16; p += 4) {
				double a_i_reg[2][2];
				#pragma unroll
				for (int r = 0; r < 2; ++r) {
					a_i_reg[r][0] = a_i_tile[warp_i + r * 16 + lane / 4][p + lane % 4];
					a_i_reg[r][1] = a_i_tile[warp_i + r * 16 + lane / 4 + 8][p + lane % 4];
				}
				double a_j_reg[4];
				#pragma unroll
				for (int c = 0; c < 4; ++c)
					a_j_reg[c] = a_j_tile[warp_j + c * 8 + lane / 4][p + lane % 4];
				#pragma unroll
				for (int r = 0; r < 2; ++r) {
					#pragma unroll
					for (int c = 0; c < 4; ++c) {
						asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
							: "+d"(acc[r][c][0]), "+d"(acc[r][c][1]), "+d"(acc[r][c][2]), "+d"(acc[r][c][3])
							: "d"(a_i_reg[r][0]), "d"(a_i_reg[r][1]), "d"(a_j_reg[c]));
					}
				}
			}
		}
		__syncthreads();
		#pragma unroll
		for (int e = 0; e < 64; e += 8)
			a_i_tile[e + thread / 16][thread % 16] = a_i_next[e / 8];
		#pragma unroll
		for (int e = 0; e < 64; e += 8)
			a_j_tile[e + thread / 16][thread % 16] = a_j_next[e / 8];
		__syncthreads();
	}
	#pragma unroll
	for (int r = 0; r < 2; ++r) {
		#pragma unroll
		for (int c = 0; c < 4; ++c) {
			#pragma unroll
			for (int e = 0; e < 4; ++e) {
				const int i = blockIdx.y * 64 + warp_i + r * 16 + lane / 4 + e / 2 * 8;
				const int j = blockIdx.x * 64 + warp_j + c * 8 + lane % 4 * 2 + e % 2;
				if (i < n && j <= i) {
					C[i * n + j] = acc[r][c][e];
				}
			}
		}
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
	dim3 block(16, 8);
	dim3 grid((n + 63) / 64, (n + 63) / 64);
	syrk_lower<<<grid, block>>>(A, C, 1.5, 1.2, n, m);
	cudaMemcpy(c, C, sizeof(c), cudaMemcpyDeviceToHost);
	return c[n] > 1e9;
}
