/*
 * Filtro da mediana para imagens em tons de cinza com ruido "sal e pimenta".
 * Compara o resultado com a imagem limpa (PSNR).
 *
 *   median largura altura raio      (raio = 1, 2 ou 3)
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t e = (call);                                                       \
        if (e != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

template <int R>
__global__ void filtro_mediana(const unsigned char *entrada, unsigned char *saida, int largura, int altura)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= largura || y >= altura)
        return;

    // janela em torno do pixel; nas bordas repete o pixel mais proximo
    unsigned char janela[(2 * R + 1) * (2 * R + 1)];
    int n = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx < 0) xx = 0;
            if (yy < 0) yy = 0;
            if (xx > largura - 1) xx = largura - 1;
            if (yy > altura - 1) yy = altura - 1;
            janela[n++] = entrada[yy * largura + xx];
        }

    // bubble sort
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1 - i; j++)
            if (janela[j] > janela[j + 1]) {
                unsigned char t = janela[j];
                janela[j] = janela[j + 1];
                janela[j + 1] = t;
            }

    saida[y * largura + x] = janela[n / 2];
}

// soma dos quadrados das diferencas e quantos pixels mudaram
__global__ void comparar(const unsigned char *a, const unsigned char *b, int n, unsigned long long *soma, int *diferentes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int d = a[i] - b[i];
        if (d != 0) {
            atomicAdd(soma, (unsigned long long)(d * d));
            atomicAdd(diferentes, 1);
        }
    }
}

static unsigned int semente = 2023;
static unsigned int aleatorio()
{
    semente = semente * 1664525u + 1013904223u;
    return semente >> 8;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        printf("uso: %s largura altura raio\n", argv[0]);
        return 1;
    }
    int w = atoi(argv[1]), h = atoi(argv[2]), raio = atoi(argv[3]);
    int n = w * h;

    std::vector<unsigned char> limpa(n), ruidosa(n), filtrada(n);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int v = (x * 3 + y * 2) / 7 % 160 + 40;
            if ((x / 24 + y / 24) % 2)
                v = 235 - v;
            limpa[y * w + x] = v;
            unsigned int s = aleatorio() % 100;
            ruidosa[y * w + x] = s < 6 ? 0 : s < 12 ? 255 : v;
        }

    unsigned char *dLimpa, *dRuidosa, *dFiltrada;
    unsigned long long *dSoma;
    int *dDif;
    CHECK(cudaMalloc(&dLimpa, n));
    CHECK(cudaMalloc(&dRuidosa, n));
    CHECK(cudaMalloc(&dFiltrada, n));
    CHECK(cudaMalloc(&dSoma, 2 * sizeof(unsigned long long)));
    CHECK(cudaMalloc(&dDif, 2 * sizeof(int)));
    CHECK(cudaMemcpy(dLimpa, limpa.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dRuidosa, ruidosa.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dSoma, 0, 2 * sizeof(unsigned long long)));
    CHECK(cudaMemset(dDif, 0, 2 * sizeof(int)));

    dim3 bloco(16, 16);
    dim3 grade((w + bloco.x - 1) / bloco.x, (h + bloco.y - 1) / bloco.y);
    switch (raio) {
    case 1: filtro_mediana<1><<<grade, bloco>>>(dRuidosa, dFiltrada, w, h); break;
    case 2: filtro_mediana<2><<<grade, bloco>>>(dRuidosa, dFiltrada, w, h); break;
    case 3: filtro_mediana<3><<<grade, bloco>>>(dRuidosa, dFiltrada, w, h); break;
    default: printf("raio invalido\n"); return 1;
    }
    CHECK(cudaGetLastError());

    comparar<<<(n + 255) / 256, 256>>>(dLimpa, dRuidosa, n, dSoma, dDif);
    comparar<<<(n + 255) / 256, 256>>>(dLimpa, dFiltrada, n, dSoma + 1, dDif + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    unsigned long long soma[2];
    int dif[2];
    CHECK(cudaMemcpy(soma, dSoma, sizeof(soma), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(dif, dDif, sizeof(dif), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(filtrada.data(), dFiltrada, n, cudaMemcpyDeviceToHost));

    printf("antes:  %d pixels diferentes, PSNR %.2f dB\n", dif[0], 10 * log10(255.0 * 255.0 * n / soma[0]));
    printf("depois: %d pixels diferentes, PSNR %.2f dB\n", dif[1], 10 * log10(255.0 * 255.0 * n / soma[1]));
    unsigned int verif = 0;
    for (int i = 0; i < n; i++)
        verif = verif * 31 + filtrada[i];
    printf("verificacao %08x, centro %d\n", verif, filtrada[(h / 2) * w + w / 2]);

    CHECK(cudaFree(dLimpa));
    CHECK(cudaFree(dRuidosa));
    CHECK(cudaFree(dFiltrada));
    CHECK(cudaFree(dSoma));
    CHECK(cudaFree(dDif));
    return 0;
}
