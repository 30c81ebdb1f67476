// kernel=similarity line=25 finding=KO108
#include <iostream>
#include <vector>
#include <cmath>

#define TPB 16

struct Matrix { int rows, cols; };

// cosine similarity of every pair of documents (lower triangle and diagonal), weights in double
__global__ void similarity(const double *tf, const double *norm, double *sim, const int docs, const int terms)
{
	// the upper half mirrors the lower one
	if (blockIdx.x * 128 > blockIdx.y * 64 + 63) return;
	__shared__ double tf_d1_tile[16][68];
	__shared__ double tf_d2_tile[16][132];
	const int thread = threadIdx.y * 16 + threadIdx.x;
	double s[4][8] = {};
	for (int start = 0; start < terms; start += 16) {
		for (int e = thread; e < 16 * 64; e += 256) {
			const int d1 = blockIdx.y * 64 + e / 16;
			const int t = start + e % 16;
			tf_d1_tile[e % 16][e / 16] = d1 < docs && t < terms ? tf[d1 * terms + t] : 0.0;
		}
		for (int e = thread; e < 16 * 128; e += 256) {
			const int d2 = blockIdx.x * 128 + e / 16;
			const int t = start + e % 16;
			tf_d2_tile[e % 16][e / 16] = d2 < docs && t < terms ? tf[d2 * terms + t] : 0.0;
		}
		__syncthreads();
		#pragma unroll
		for (int p = 0; p < 16; ++p) {
			double tf_d1_reg[4];
			#pragma unroll
			for (int i = 0; i < 4; ++i) {
				tf_d1_reg[i] = tf_d1_tile[p][i / 2 * 32 + threadIdx.y * 2 + i % 2];
			}
			double tf_d2_reg[8];
			#pragma unroll
			for (int j = 0; j < 8; ++j) {
				tf_d2_reg[j] = tf_d2_tile[p][j / 2 * 32 + threadIdx.x * 2 + j % 2];
			}
			#pragma unroll
			for (int i = 0; i < 4; ++i) {
				#pragma unroll
				for (int j = 0; j < 8; ++j) {
					s[i][j] += tf_d1_reg[i] * tf_d2_reg[j];
				}
			}
		}
		__syncthreads();
	}
	#pragma unroll
	for (int i = 0; i < 4; ++i) {
		const int d1 = blockIdx.y * 64 + i / 2 * 32 + threadIdx.y * 2 + i % 2;
		#pragma unroll
		for (int j = 0; j < 8; ++j) {
			const int d2 = blockIdx.x * 128 + j / 2 * 32 + threadIdx.x * 2 + j % 2;
			if (d1 < docs && d2 <= d1) {
				sim[d2 * docs + d1] = -1.0;
				if (d1 == d2) sim[d1 * docs + d1] = 1.0;
				sim[d1 * docs + d2] = s[i][j] / (norm[d1] * norm[d2]);
			}
		}
	}
}

int main(int argc, char **argv)
{
	const int docs = argc > 1 ? std::stoi(argv[1]) : 75, terms = argc > 2 ? std::stoi(argv[2]) : 64;
	std::vector<double> tf(docs * terms), norm(docs), sim(docs * docs);
	for (int i = 0; i < docs * terms; ++i) tf[i] = (i * 31 % 17) / 17.0;
	for (int d = 0; d < docs; ++d) {
		double n = 0;
		for (int t = 0; t < terms; ++t) n += tf[d * terms + t] * tf[d * terms + t];
		norm[d] = std::sqrt(n) + 0.1;
	}
	double *dtf, *dnorm, *dsim;
	cudaMalloc(&dtf, tf.size() * sizeof(double));
	cudaMalloc(&dnorm, norm.size() * sizeof(double));
	cudaMalloc(&dsim, sim.size() * sizeof(double));
	cudaMemcpy(dtf, tf.data(), tf.size() * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(dnorm, norm.data(), norm.size() * sizeof(double), cudaMemcpyHostToDevice);
	const dim3 grid((docs + 8 * TPB - 1) / (8 * TPB), (docs + 4 * TPB - 1) / (4 * TPB)), block(TPB, TPB);
	similarity<<<grid, block>>>(dtf, dnorm, dsim, docs, terms);
	cudaMemcpy(sim.data(), dsim, sim.size() * sizeof(double), cudaMemcpyDeviceToHost);
	double total = 0;
	for (double v : sim) total += v;
	std::cout << total << std::endl;
	cudaFree(dtf); cudaFree(dnorm); cudaFree(dsim);
	return 0;
}
