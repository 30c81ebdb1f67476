// kernel=pairwise line=17 finding=KO101
#include <cstdio>
#include <vector>

// squared distances between every query and every point, dim numbers each
__global__ void pairwise(const double *__restrict__ queries, const double *__restrict__ points, double *__restrict__ out,
                         int queryCount, int pointCount, int dim) {
    __shared__ double queryTile[16][68];
    __shared__ double pointTile[16][68];
    const int thread = threadIdx.y * 32 + threadIdx.x;
    double sum[8][2] = {};  // of squares
    double queryNext[4];
    double pointNext[4];
    const auto loadNext = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int q = blockIdx.y * 64 + e / 16;
            const int d = start + e % 16;
            const double *query = queries + q * dim;
            queryNext[l] = q < queryCount && d < dim ? query[d] : 0.0;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int p = blockIdx.x * 64 + e / 16;
            const int d = start + e % 16;
            const double *point = points + p * dim;
            pointNext[l] = p < pointCount && d < dim ? point[d] : 0.0;
        }
    };
    loadNext(0);
    for (int start = 0; start < dim; start += 16) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            queryTile[e % 16][e / 16] = queryNext[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            pointTile[e % 16][e / 16] = pointNext[l];
        }
        __syncthreads();
        if (start + 16 < dim) loadNext(start + 16);
        const int length = min(16, dim - start);
        for (int step = 0; step < length; ++step) {
            double queryReg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                queryReg[i] = queryTile[step][i / 2 * 16 + threadIdx.y * 2 + i % 2];
            }
            double pointReg[2];
            #pragma unroll
            for (int j = 0; j < 2; ++j) {
                pointReg[j] = pointTile[step][threadIdx.x * 2 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                    // one coordinate
                    double diff = queryReg[i] - pointReg[j];
                    sum[i][j] += diff * diff;
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int q = blockIdx.y * 64 + i / 2 * 16 + threadIdx.y * 2 + i % 2;
        #pragma unroll
        for (int j = 0; j < 2; ++j) {
            const int p = blockIdx.x * 64 + threadIdx.x * 2 + j;
            if (q < queryCount && p < pointCount) {
                out[(size_t)q * pointCount + p] = sum[i][j];
            }
        }
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
    pairwise<<<dim3((np + 63) / 64, (nq + 63) / 64), dim3(32, 8)>>>(dq, dp, dout, nq, np, dim);
    cudaMemcpy(ho.data(), dout, ho.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double total = 0;
    for (double v : ho) total += v;
    printf("total %.3f\n", total);
    return 0;
}
