#include <stdio.h>
#include "quadrat.h"

/* Prüft alle Werte. */
int main(int argc, char *argv[])
{
    float h[FELD], *d;
    int i, falsch = 0;
    for (i = 0; i < FELD; i++)
        h[i] = (float)(i % 10);
    cudaMalloc((void **)&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    quadrat<<<FELD / 64, 64>>>(d, FELD);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (i = 0; i < FELD; i++)
        if (h[i] != (float)((i % 10) * (i % 10)))
            falsch++;
    melde(falsch);
    cudaFree(d);
    return falsch;
}
