// usage : pic NX NY PAR_CELLULE PAS
#include "pic.h"
#include <math.h>
#include <string.h>

static unsigned long long graine = 12345;
static double alea(void)
{
    graine = graine * 6364136223846793005ULL + 1442695040888963407ULL;
    return (graine >> 40) / 16777216.0;
}

int main(int argc, char **argv)
{
    int nx = 64, ny = 64, ppc = 16, npas = 5;
    if (argc > 1) nx = atoi(argv[1]);
    if (argc > 2) ny = atoi(argv[2]);
    if (argc > 3) ppc = atoi(argv[3]);
    if (argc > 4) npas = atoi(argv[4]);
    int np = nx * ny * ppc;
    real dt = 0.1;

    // 3/4 d'électrons froids, 1/4 de faisceau selon x ; positions au hasard
    Particule *h = (Particule *)malloc(np * sizeof(Particule));
    for (int k = 0; k < np; k++) {
        h[k].x = alea() * nx;
        h[k].y = alea() * ny;
        if (h[k].x >= nx) h[k].x = 0; // arrondi
        if (h[k].y >= ny) h[k].y = 0;
        h[k].espece = k % 4 == 3;
        h[k].vx = 0.05 * (alea() - 0.5) + (h[k].espece ? 0.8 : 0.0);
        h[k].vy = 0.05 * (alea() - 0.5);
        h[k].q = -1.0 / ppc;
    }

    Particule *p;
    real *rho, *phi, *phi2, *ex, *ey;
    double *tampon;
    size_t m = nx * ny * sizeof(real);
    CUDA(cudaMalloc((void **)&p, np * sizeof(Particule)));
    CUDA(cudaMalloc((void **)&rho, m));
    CUDA(cudaMalloc((void **)&phi, m));
    CUDA(cudaMalloc((void **)&phi2, m));
    CUDA(cudaMalloc((void **)&ex, m));
    CUDA(cudaMalloc((void **)&ey, m));
    CUDA(cudaMalloc((void **)&tampon, ((np + 255) / 256) * sizeof(double)));
    CUDA(cudaMemcpy(p, h, np * sizeof(Particule), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(phi, 0, m));

    double e0 = energieCinetique(p, tampon, np);
    for (int t = 0; t < npas; t++) {
        depot(p, rho, np, nx, ny);
        poisson(rho, phi, phi2, nx, ny);
        champ(phi, ex, ey, nx, ny);
        pousser(p, ex, ey, np, nx, ny, dt);
    }
    double e1 = energieCinetique(p, tampon, np);

    real *hphi = (real *)malloc(m), *hrho = (real *)malloc(m);
    CUDA(cudaMemcpy(hphi, phi, m, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(hrho, rho, m, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(h, p, np * sizeof(Particule), cudaMemcpyDeviceToHost));
    double charge = 0, ep = 0, xm = 0;
    for (int c = 0; c < nx * ny; c++) {
        charge += hrho[c];
        ep += 0.5 * (hrho[c] + 1.0) * hphi[c];
    }
    for (int k = 0; k < np; k++)
        if (h[k].espece) xm += h[k].vx;
    printf("%d particules, charge totale %.2f\n", np, charge);
    printf("énergie cinétique %.4g -> %.4g, potentielle %.4g\n", e0, e1, ep);
    printf("vitesse moyenne du faisceau %.4f\n", xm / (np / 4));

    free(h); free(hphi); free(hrho);
    cudaFree(p); cudaFree(rho); cudaFree(phi); cudaFree(phi2);
    cudaFree(ex); cudaFree(ey); cudaFree(tampon);
    return 0;
}
