#ifndef PIC_H
#define PIC_H
// code PIC électrostatique 2D, périodique en x et y (stage M2, plasma froid + faisceau)

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef float real;

typedef struct {
    real x, y;    // position, en cellules
    real vx, vy;  // vitesse
    real q;       // charge
    int  espece;  // 0 : électrons, 1 : faisceau
} Particule;

#define NSWEEP 30 /* balayages de Jacobi par pas */

#define CUDA(call) { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("erreur CUDA %s dans %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(1); } }

// particules.cu
void depot(Particule *p, real *rho, int np, int nx, int ny);
void pousser(Particule *p, real *ex, real *ey, int np, int nx, int ny, real dt);
double energieCinetique(Particule *p, double *tampon, int np);

// champ.cu
void poisson(real *rho, real *phi, real *phi2, int nx, int ny);
void champ(real *phi, real *ex, real *ey, int nx, int ny);

#endif
