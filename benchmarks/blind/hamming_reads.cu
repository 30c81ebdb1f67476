// Which barcode does each read carry? Brute force, mismatches only (no indels).
// args: nreads nbarcodes length
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void demultiplex(char *reads, char *barcodes, int nreads, int nbarcodes, int len, int *best_barcode, int *mismatches)
{
    int r = blockIdx.x*blockDim.x+threadIdx.x;
    if (r < nreads) {
        int best = -1;
        int best_mm = len + 1;
        for (int b = 0; b < nbarcodes; b++) {
            int mm = 0;
            for (int k = 0; k < len; k++) {
                if (reads[r*len+k] != barcodes[b*len+k]) mm++;
            }
            if (mm < best_mm) {
                best_mm = mm;
                best = b;
            }
        }
        best_barcode[r] = best;
        mismatches[r] = best_mm;
    }
}

void die_if_error(const char *where)
{
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        fprintf(stderr, "[%s] %s\n", where, cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) { printf("need 3 arguments\n"); return 1; }
    int nreads = atoi(argv[1]);
    int nbarcodes = atoi(argv[2]);
    int len = atoi(argv[3]);

    char *barcodes = (char*)malloc(nbarcodes*len);
    char *reads = (char*)malloc(nreads*len);
    int *best = (int*)malloc(nreads*sizeof(int));
    int *mm = (int*)malloc(nreads*sizeof(int));

    unsigned int rng = 31337;
    for (int i = 0; i < nbarcodes*len; i++) {
        rng = rng*1103515245u+12345u;
        barcodes[i] = "ACGT"[(rng>>20)&3];
    }
    // a read is a barcode with about one base in sixteen wrong
    for (int r = 0; r < nreads; r++) {
        int b = (r*7919)%nbarcodes;
        memcpy(reads+r*len, barcodes+b*len, len);
        for (int k = 0; k < len; k++) {
            rng = rng*1103515245u+12345u;
            if (((rng>>16)&15) == 0) reads[r*len+k] = "ACGT"[(rng>>24)&3];
        }
    }

    char *d_reads, *d_barcodes;
    int *d_best, *d_mm;
    cudaMalloc((void**)&d_reads, nreads*len);
    cudaMalloc((void**)&d_barcodes, nbarcodes*len);
    cudaMalloc((void**)&d_best, nreads*sizeof(int));
    cudaMalloc((void**)&d_mm, nreads*sizeof(int));
    die_if_error("malloc");
    cudaMemcpy(d_reads, reads, nreads*len, cudaMemcpyHostToDevice);
    cudaMemcpy(d_barcodes, barcodes, nbarcodes*len, cudaMemcpyHostToDevice);
    die_if_error("copy in");

    demultiplex<<<(nreads+31)/32, 32>>>(d_reads, d_barcodes, nreads, nbarcodes, len, d_best, d_mm);
    die_if_error("launch");
    cudaDeviceSynchronize();
    die_if_error("kernel");

    cudaMemcpy(best, d_best, nreads*sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(mm, d_mm, nreads*sizeof(int), cudaMemcpyDeviceToHost);
    die_if_error("copy out");

    int right = 0;
    long total = 0;
    for (int r = 0; r < nreads; r++) {
        if (best[r] == (r*7919)%nbarcodes) right++;
        total += mm[r];
    }
    printf("%d of %d reads assigned right, %ld mismatches\n", right, nreads, total);

    cudaFree(d_reads);
    cudaFree(d_barcodes);
    cudaFree(d_best);
    cudaFree(d_mm);
    free(barcodes);
    free(reads);
    free(best);
    free(mm);
    return 0;
}
