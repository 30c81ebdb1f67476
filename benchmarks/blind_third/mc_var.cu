// mc_var.cu
//
// Monte Carlo Value-at-Risk (99%) and expected shortfall of a delta-gamma book on correlated assets, one-day horizon.
// Quick version for the intraday report. Full revaluation is done elsewhere.
//
// usage: mc_var PATHS ASSETS

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define MAX_ASSETS 64
#define NBINS 8192

struct Asset {
    double spot;
    double vol;    // annual
    double delta;  // position, units
    double gamma;
    char ticker[8];
};

struct Report {
    double sumLoss;
    double sumTail;
    unsigned int inTail;
};

__device__ Asset gAssets[MAX_ASSETS];
__device__ double gChol[MAX_ASSETS][MAX_ASSETS];

__device__ unsigned int hash(unsigned int a)
{
    a = (a ^ 61) ^ (a >> 16);
    a = a + (a << 3);
    a = a ^ (a >> 4);
    a = a * 0x27d4eb2d;
    a = a ^ (a >> 15);
    return a;
}

// standard normal number 'k' of path 'p' (Box-Muller)
__device__ double normal(unsigned int p, unsigned int k)
{
    unsigned int s = hash(p * 2654435761u + k * 40503u + 12345u);
    unsigned int t = hash(s ^ 0x9e3779b9u);
    double u1 = (s + 0.5) / 4294967296.0;
    double u2 = (t + 0.5) / 4294967296.0;
    return sqrt(-2.0 * log(u1)) * cos(2.0 * 3.14159265358979323846 * u2);
}

__global__ void simulate(double *loss, int paths, int assets, double dt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;

    double z[MAX_ASSETS];
    for (int i = 0; i < assets; i++)
        z[i] = normal(p, i);

    double pnl = 0.0;
    for (int i = 0; i < assets; i++) {
        double e = 0.0;
        for (int j = 0; j <= i; j++)
            e += gChol[i][j] * z[j];
        Asset a = gAssets[i];
        double s1 = a.spot * exp(-0.5 * pow(a.vol, 2.0) * dt + a.vol * sqrt(dt) * e);
        double ds = s1 - a.spot;
        pnl += a.delta * ds + 0.5 * a.gamma * pow(ds, 2.0);
    }
    loss[p] = -pnl;
}

__global__ void binLosses(const double *loss, unsigned int *bins, int paths, double lo, double width, Report *rep)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    int b = (int)floor((loss[p] - lo) / width);
    if (b < 0) b = 0;
    if (b >= NBINS) b = NBINS - 1;
    atomicAdd(&bins[b], 1);
    atomicAdd(&rep->sumLoss, loss[p]);
}

__global__ void tail(const double *loss, int paths, double var, Report *rep)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < paths && loss[p] >= var) {
        atomicAdd(&rep->sumTail, loss[p]);
        atomicAdd(&rep->inTail, 1);
    }
}

#define CU(x) if ((x) != cudaSuccess) { fprintf(stderr, "CUDA failure at line %d\n", __LINE__); exit(2); }

int main(int argc, char **argv)
{
    int paths = argc > 1 ? atoi(argv[1]) : 100000;
    int assets = argc > 2 ? atoi(argv[2]) : 16;
    if (assets > MAX_ASSETS) {
        fprintf(stderr, "at most %d assets\n", MAX_ASSETS);
        return 2;
    }

    std::vector<Asset> book(assets);
    for (int i = 0; i < assets; i++) {
        book[i].spot = 20.0 + (i * 37) % 180;
        book[i].vol = 0.12 + 0.01 * ((i * 7) % 29);
        book[i].delta = (i % 3 == 2 ? -1 : 1) * (100.0 + 13 * (i % 11));
        book[i].gamma = 0.5 * ((i % 5) - 2);
        snprintf(book[i].ticker, sizeof(book[i].ticker), "A%d", i);
    }

    // correlation 0.3 + 0.6 exp(-|i-j|/4), factorised
    static double chol[MAX_ASSETS][MAX_ASSETS];
    for (int i = 0; i < assets; i++)
        for (int j = 0; j <= i; j++) {
            double s = i == j ? 1.0 : 0.3 + 0.6 * exp(-abs(i - j) / 4.0);
            for (int k = 0; k < j; k++)
                s -= chol[i][k] * chol[j][k];
            chol[i][j] = i == j ? sqrt(s) : s / chol[j][j];
        }

    CU(cudaMemcpyToSymbol(gAssets, book.data(), assets * sizeof(Asset)));
    CU(cudaMemcpyToSymbol(gChol, chol, sizeof(chol)));

    double *dLoss;
    unsigned int *dBins;
    Report *dRep, rep = {0, 0, 0};
    CU(cudaMalloc(&dLoss, paths * sizeof(double)));
    CU(cudaMalloc(&dBins, NBINS * sizeof(unsigned int)));
    CU(cudaMalloc(&dRep, sizeof(Report)));
    CU(cudaMemset(dBins, 0, NBINS * sizeof(unsigned int)));
    CU(cudaMemcpy(dRep, &rep, sizeof(Report), cudaMemcpyHostToDevice));

    // range of the histogram from the linear standard deviation
    double dt = 1.0 / 252, var1 = 0;
    for (int i = 0; i < assets; i++)
        for (int j = 0; j < assets; j++) {
            double rho = i == j ? 1.0 : 0.3 + 0.6 * exp(-abs(i - j) / 4.0);
            var1 += rho * book[i].delta * book[i].spot * book[i].vol * book[j].delta * book[j].spot * book[j].vol * dt;
        }
    double sd = sqrt(var1), lo = -6 * sd, width = 12 * sd / NBINS;

    int block = 256;
    simulate<<<(paths + block - 1) / block, block>>>(dLoss, paths, assets, dt);
    CU(cudaGetLastError());
    binLosses<<<(paths + block - 1) / block, block>>>(dLoss, dBins, paths, lo, width, dRep);
    CU(cudaGetLastError());

    std::vector<unsigned int> bins(NBINS);
    CU(cudaMemcpy(bins.data(), dBins, NBINS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    long long need = std::max(1LL, (long long)(0.01 * paths)), seen = 0;
    int b = NBINS;
    while (b > 0 && seen < need)
        seen += bins[--b];
    double var99 = lo + b * width;

    tail<<<(paths + block - 1) / block, block>>>(dLoss, paths, var99, dRep);
    CU(cudaGetLastError());
    CU(cudaMemcpy(&rep, dRep, sizeof(Report), cudaMemcpyDeviceToHost));

    printf("%d paths, %d assets (%s to %s)\n", paths, assets, book[0].ticker, book[assets - 1].ticker);
    printf("linear std dev %.2f, mean loss %.2f\n", sd, rep.sumLoss / paths);
    printf("VaR 99%% %.2f, shortfall %.2f (%u paths)\n", var99, rep.sumTail / rep.inTail, rep.inTail);

    cudaFree(dLoss);
    cudaFree(dBins);
    cudaFree(dRep);
    return 0;
}
