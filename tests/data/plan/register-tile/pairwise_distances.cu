// kernel=pairwise line=17 finding=KO101
#include <cstdio>
#include <vector>

// squared distances between every query and every point, dim numbers each
__global__ void pairwise(const double *__restrict__ queries, const double *__restrict__ points, double *__restrict__ out,
                         int queryCount, int pointCount, int dim) {
    const int q = blockIdx.y * blockDim.y + threadIdx.y;
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < queryCount && p < pointCount) {
        const double *query = queries + q * dim;
        const double *point = points + p * dim;
        double sum = 0.0;  // of squares
        #pragma unroll 4
        for (int d = 0; d < dim; d++) {
            // one coordinate
            double diff = query[d] - point[d];
            sum += diff * diff;
        }
        out[(size_t)q * pointCount + p] = sum;
    }
}

int main() {
    const int nq = 70, np = 90, dim = 21;
    std::vector<double> hq(nq * dim), hp(np * dim), ho(nq * np);
    for (size_t i = 0; i < hq.size(); ++i) hq[i] = (i % 17) * 0.5;
    for (size_t i = 0; i < hp.size(); ++i) hp[i] = (i % 13) * 0.25;
    double *dq, *dp, *dout;
    cudaMalloc(&dq, hq.size() * sizeof(double));
    cudaMalloc(&dp, hp.size() * sizeof(double));
    cudaMalloc(&dout, ho.size() * sizeof(double));
    cudaMemcpy(dq, hq.data(), hq.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dp, hp.data(), hp.size() * sizeof(double), cudaMemcpyHostToDevice);
    pairwise<<<dim3((np + 31) / 32, (nq + 7) / 8), dim3(32, 8)>>>(dq, dp, dout, nq, np, dim);
    cudaMemcpy(ho.data(), dout, ho.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double total = 0;
    for (double v : ho) total += v;
    printf("total %.3f\n", total);
    return 0;
}
