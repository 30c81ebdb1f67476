// Größe der Felder: siehe main.cu   (© 1998 B. Müller)
#define FELD 512
__global__ void quadrat(float *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = f[i] * f[i];   // Quadrat für alle
}

extern void melde(int falsch);
