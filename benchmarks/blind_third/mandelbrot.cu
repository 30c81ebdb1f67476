// mandelbrot.cu
// Trabajo practico 2 - Conjunto de Mandelbrot con CUDA
//
// uso: ./mandelbrot [ancho] [alto] [iteraciones]

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define XMIN -2.2
#define XMAX 1.0
#define YMIN -1.2
#define YMAX 1.2

// cada thread calcula un pixel
__global__ void mandel(int *iters, float *modulo, int ancho, int alto, int maxIter)
{
    int fila = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (fila < alto && col < ancho) {
        float cx = XMIN + (XMAX - XMIN) * col / ancho;
        float cy = YMIN + (YMAX - YMIN) * fila / alto;
        float x = 0, y = 0;
        int n = 0;
        // |z| <= 2
        while (sqrt(x * x + y * y) <= 2.0 && n < maxIter) {
            float xnuevo = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = xnuevo;
            n++;
        }
        iters[fila * ancho + col] = n;
        modulo[fila * ancho + col] = sqrt(x * x + y * y);
    }
}

// pinta la imagen: interior negro, exterior segun la velocidad de escape
__global__ void colorear(int *iters, float *modulo, unsigned char *rgb, int ancho, int alto, int maxIter)
{
    int fila = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;

    if (fila < alto && col < ancho) {
        int p = fila * ancho + col;
        int n = iters[p];
        if (n == maxIter) {
            rgb[3 * p + 0] = 0;
            rgb[3 * p + 1] = 0;
            rgb[3 * p + 2] = 0;
        } else {
            // color suave
            float v = n + 1 - log(log(modulo[p]) / log(2.0)) / log(2.0);
            float t = v / 40.0;
            t = t - floor(t);
            rgb[3 * p + 0] = (unsigned char)(255 * 9.0 * (1 - t) * t * t * t);
            rgb[3 * p + 1] = (unsigned char)(255 * 15.0 * (1 - t) * (1 - t) * t * t);
            rgb[3 * p + 2] = (unsigned char)(255 * 8.5 * (1 - t) * (1 - t) * (1 - t) * t);
        }
    }
}

int main(int argc, char **argv)
{
    int ancho = argc > 1 ? atoi(argv[1]) : 800;
    int alto = argc > 2 ? atoi(argv[2]) : 600;
    int maxIter = argc > 3 ? atoi(argv[3]) : 500;
    int N = ancho * alto;

    int *d_iters;
    float *d_modulo;
    unsigned char *d_rgb;
    cudaMalloc((void **)&d_iters, N * sizeof(int));
    cudaMalloc((void **)&d_modulo, N * sizeof(float));
    cudaMalloc((void **)&d_rgb, 3 * N);

    dim3 hilos(16, 16);
    dim3 bloques((alto + 15) / 16, (ancho + 15) / 16);
    mandel<<<bloques, hilos>>>(d_iters, d_modulo, ancho, alto, maxIter);
    cudaDeviceSynchronize();
    colorear<<<bloques, hilos>>>(d_iters, d_modulo, d_rgb, ancho, alto, maxIter);
    cudaDeviceSynchronize();

    int *iters = (int *)malloc(N * sizeof(int));
    unsigned char *rgb = (unsigned char *)malloc(3 * N);
    cudaMemcpy(iters, d_iters, N * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(rgb, d_rgb, 3 * N, cudaMemcpyDeviceToHost);

    long long adentro = 0;
    double suma = 0, r = 0, g = 0, b = 0;
    for (int i = 0; i < N; i++) {
        if (iters[i] == maxIter)
            adentro++;
        else
            suma += iters[i];
        r += rgb[3 * i];
        g += rgb[3 * i + 1];
        b += rgb[3 * i + 2];
    }
    printf("imagen %d x %d, %d iteraciones, area %.2f\n", ancho, alto, maxIter, (XMAX - XMIN) * (YMAX - YMIN) * adentro / N);
    printf("iteraciones medias afuera: %.1f, color medio: %.0f %.0f %.0f\n", suma / (N - adentro), r / N, g / N, b / N);
    printf("esquina: %d, borde izquierdo: %d\n", iters[0], iters[(alto / 2) * ancho]);

    free(iters);
    free(rgb);
    cudaFree(d_iters);
    cudaFree(d_modulo);
    cudaFree(d_rgb);
    return 0;
}
