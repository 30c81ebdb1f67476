// Coulomb matrix over contracted-free s Gaussians:
//   J_ab = sum_cd (ab|cd) D_cd,   (ab|cd) by the closed formula with the Boys function F0.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

struct Pair {            // product of two s Gaussians
    double p;            // exponent sum
    double x, y, z;      // centre
    double k;            // prefactor
};

// F0 on a grid in t; beyond the grid erf(sqrt t) is 1 to double precision.
constexpr int    BOYS_PER_UNIT = 16;
constexpr int    BOYS_TMAX     = 36;
constexpr int    BOYS_N        = BOYS_PER_UNIT * BOYS_TMAX + 1;
__device__ double boys_grid[BOYS_N];

static void init_boys()
{
    static double h[BOYS_N];
    h[0] = 1.0;
    for (int i = 1; i < BOYS_N; ++i) {
        double s = sqrt((double)i / BOYS_PER_UNIT);
        h[i] = 0.88622692545275801365 * erf(s) / s;
    }
    HANDLE_ERROR(cudaMemcpyToSymbol(boys_grid, h, sizeof h));
}

__device__ __forceinline__ double boys0(double t, const double *tab)
{
    if (t >= BOYS_TMAX) return 0.88622692545275801365 * rsqrt(t);
    double f = t * BOYS_PER_UNIT;
    int i = min((int)f, BOYS_N - 2);
    return fma(f - i, tab[i + 1] - tab[i], tab[i]);
}

__global__ void __launch_bounds__(128) coulomb(const Pair *__restrict__ pr, const double *__restrict__ dens,
                                               int npair, double *__restrict__ J)
{
    __shared__ double tab[BOYS_N];
    __shared__ double red[4];
    for (int i = threadIdx.x; i < BOYS_N; i += 128) tab[i] = boys_grid[i];
    __syncthreads();

    const Pair a = pr[blockIdx.x];
    const double pa = 34.986836655249725 * a.k / a.p;                      // 2 pi^(5/2)
    double acc = 0.0;
    for (int c = threadIdx.x; c < npair; c += 128) {
        const Pair q = pr[c];
        double dx = a.x - q.x, dy = a.y - q.y, dz = a.z - q.z;
        double inv = 1.0 / (a.p + q.p);
        double t = a.p * q.p * inv * (dx * dx + dy * dy + dz * dz);
        acc += q.k / q.p * sqrt(inv) * boys0(t, tab) * dens[c];
    }
    acc *= pa;
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) J[blockIdx.x] = red[0] + red[1] + red[2] + red[3];
}

int main()
{
    const int nbas = 36, npair = nbas * nbas;
    double ax[nbas], cx[nbas], cy[nbas], cz[nbas];
    for (int i = 0; i < nbas; ++i) {
        ax[i] = 0.15 * pow(1.9, i % 6);
        int atom = i / 6;
        cx[i] = 1.4 * (atom % 3);
        cy[i] = 1.8 * (atom / 3);
        cz[i] = 0.3 * atom;
    }
    std::vector<Pair> pr(npair);
    std::vector<double> D(npair), J(npair);
    for (int i = 0; i < nbas; ++i)
        for (int j = 0; j < nbas; ++j) {
            Pair &q = pr[i * nbas + j];
            double dx = cx[i] - cx[j], dy = cy[i] - cy[j], dz = cz[i] - cz[j];
            q.p = ax[i] + ax[j];
            q.x = (ax[i] * cx[i] + ax[j] * cx[j]) / q.p;
            q.y = (ax[i] * cy[i] + ax[j] * cy[j]) / q.p;
            q.z = (ax[i] * cz[i] + ax[j] * cz[j]) / q.p;
            q.k = exp(-ax[i] * ax[j] / q.p * (dx * dx + dy * dy + dz * dz));
            D[i * nbas + j] = (i == j ? 1.0 : 0.2) * cos(0.3 * (i - j));
        }

    Pair *dp;
    double *dD, *dJ;
    HANDLE_ERROR(cudaMalloc(&dp, npair * sizeof(Pair)));
    HANDLE_ERROR(cudaMalloc(&dD, npair * sizeof(double)));
    HANDLE_ERROR(cudaMalloc(&dJ, npair * sizeof(double)));
    HANDLE_ERROR(cudaMemcpy(dp, pr.data(), npair * sizeof(Pair), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dD, D.data(), npair * sizeof(double), cudaMemcpyHostToDevice));

    init_boys();
    coulomb<<<npair, 128>>>(dp, dD, npair, dJ);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(J.data(), dJ, npair * sizeof(double), cudaMemcpyDeviceToHost));

    double e = 0;
    for (int i = 0; i < npair; ++i) e += 0.5 * D[i] * J[i];
    printf("E_coulomb = %.10f Hartree, J[0] = %.10f, J[last] = %.10f\n", e, J[0], J[npair - 1]);
    HANDLE_ERROR(cudaFree(dp));
    HANDLE_ERROR(cudaFree(dD));
    HANDLE_ERROR(cudaFree(dJ));
    return 0;
}
