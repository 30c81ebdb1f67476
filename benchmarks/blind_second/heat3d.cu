// Ecuacion del calor en 3D, diferencias finitas explicitas
// Practica 4, Computacion en GPU
// uso: ./heat3d NX NY NZ PASOS
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define IDX(i, j, k) ((i) + NX * ((j) + NY * (k)))
#define HILOS 256

int NX, NY, NZ, PASOS;

// parametros fisicos
#define ALFA 0.1      // difusividad
#define DX 0.5
#define DY 0.5
#define DZ 0.5
#define DT 0.2

__global__ void paso(float *T, float *Tnuevo, int NX, int NY, int NZ)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= NX * NY * NZ) return;

    // indice 1D -> 3D
    int i = id % NX;
    int j = (id / NX) % NY;
    int k = id / (NX * NY);

    if (i > 0 && i < NX - 1 && j > 0 && j < NY - 1 && k > 0 && k < NZ - 1) {
        float d2x = (T[IDX(i + 1, j, k)] - 2.0 * T[IDX(i, j, k)] + T[IDX(i - 1, j, k)]) / (DX * DX);
        float d2y = (T[IDX(i, j + 1, k)] - 2.0 * T[IDX(i, j, k)] + T[IDX(i, j - 1, k)]) / (DY * DY);
        float d2z = (T[IDX(i, j, k + 1)] - 2.0 * T[IDX(i, j, k)] + T[IDX(i, j, k - 1)]) / (DZ * DZ);
        Tnuevo[IDX(i, j, k)] = T[IDX(i, j, k)] + DT * ALFA * (d2x + d2y + d2z);
    } else {
        // frontera: temperatura fija
        Tnuevo[IDX(i, j, k)] = T[IDX(i, j, k)];
    }
}

// copiar Tnuevo en T para el siguiente paso
__global__ void copiar(float *T, float *Tnuevo, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n)
        T[id] = Tnuevo[id];
}

int main(int argc, char *argv[])
{
    if (argc != 5) {
        printf("uso: %s NX NY NZ PASOS\n", argv[0]);
        return 1;
    }
    NX = atoi(argv[1]);
    NY = atoi(argv[2]);
    NZ = atoi(argv[3]);
    PASOS = atoi(argv[4]);
    int n = NX * NY * NZ;

    // condicion inicial: cara caliente + bola caliente en el centro
    float *T = (float *)malloc(n * sizeof(float));
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                float x = (float)i / NX - 0.5f, y = (float)j / NY - 0.5f, z = (float)k / NZ - 0.5f;
                T[IDX(i, j, k)] = 20.0f + (i + 2 * j + 3 * k) % 7;
                if (x * x + y * y + z * z < 0.05f) T[IDX(i, j, k)] = 100.0f;
                if (k == 0) T[IDX(i, j, k)] = 80.0f;
            }

    float *d_T, *d_Tnuevo;
    cudaMalloc(&d_T, n * sizeof(float));
    cudaMalloc(&d_Tnuevo, n * sizeof(float));
    cudaMemcpy(d_T, T, n * sizeof(float), cudaMemcpyHostToDevice);

    int bloques = (n + HILOS - 1) / HILOS;
    for (int t = 0; t < PASOS; t++) {
        paso<<<bloques, HILOS>>>(d_T, d_Tnuevo, NX, NY, NZ);
        cudaDeviceSynchronize();
        copiar<<<bloques, HILOS>>>(d_T, d_Tnuevo, n);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(T, d_T, n * sizeof(float), cudaMemcpyDeviceToHost);

    // resultados
    double suma = 0;
    for (int id = 0; id < n; id++)
        suma += T[id];
    printf("Temperatura media: %.4f\n", suma / n);
    printf("Centro: %.3f\n", T[IDX(NX / 2, NY / 2, NZ / 2)]);
    printf("Cuarto: %.3f\n", T[IDX(NX / 4, NY / 4, NZ / 4)]);
    printf("Junto a la cara caliente: %.3f\n", T[IDX(NX / 2, NY / 2, 1)]);

    cudaFree(d_T);
    cudaFree(d_Tnuevo);
    free(T);
    return 0;
}
