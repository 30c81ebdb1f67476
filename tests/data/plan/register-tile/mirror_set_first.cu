// kernel=similarity line=25 finding=KO108
#include <iostream>
#include <vector>
#include <cmath>

#define TPB 16

struct Matrix { int rows, cols; };

// cosine similarity of every pair of documents (lower triangle and diagonal), weights in double
__global__ void similarity(const double *tf, const double *norm, double *sim, const int docs, const int terms)
{
	const int d1 = blockIdx.y * TPB + threadIdx.y;
	const int d2 = blockIdx.x * TPB + threadIdx.x;

	if (d1 < docs && d2 <= d1)
	{
		// the upper half mirrors the lower one
		sim[d2 * docs + d1] = -1.0;
		if (d1 == d2)
			sim[d1 * docs + d1] = 1.0;

		double s = 0.0;
		for (int t = 0; t < terms; ++t)
			s += tf[d1 * terms + t] * tf[d2 * terms + t];
		sim[d1 * docs + d2] = s / (norm[d1] * norm[d2]);
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
	const dim3 grid((docs + TPB - 1) / TPB, (docs + TPB - 1) / TPB), block(TPB, TPB);
	similarity<<<grid, block>>>(dtf, dnorm, dsim, docs, terms);
	cudaMemcpy(sim.data(), dsim, sim.size() * sizeof(double), cudaMemcpyDeviceToHost);
	double total = 0;
	for (double v : sim) total += v;
	std::cout << total << std::endl;
	cudaFree(dtf); cudaFree(dnorm); cudaFree(dsim);
	return 0;
}
