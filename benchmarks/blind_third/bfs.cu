// Breitensuche (BFS) auf der GPU, Ebene für Ebene
// Praktikum Parallele Programmierung, Aufgabe 6
#include <iostream>
#include <vector>
#include <cstdlib>
using namespace std;

struct Knoten {
    int start;   // erste Kante
    int anzahl;  // Anzahl Kanten
};

#define THREADS 512

// Kernel 1: alle Knoten der aktuellen Front besuchen ihre Nachbarn
__global__ void besuche(Knoten* knoten, int* kanten, bool* front, bool* naechste, bool* besucht, int* abstand, int n)
{
    int tid = blockIdx.x * THREADS + threadIdx.x;
    if (tid < n && front[tid]) {
        front[tid] = false;
        for (int i = knoten[tid].start; i < knoten[tid].start + knoten[tid].anzahl; i++) {
            int id = kanten[i];
            if (!besucht[id]) {
                abstand[id] = abstand[tid] + 1;
                naechste[id] = true;
            }
        }
    }
}

// Kernel 2: neue Front übernehmen
__global__ void uebernehme(bool* front, bool* naechste, bool* besucht, bool* weiter, int n)
{
    int tid = blockIdx.x * THREADS + threadIdx.x;
    if (tid < n && naechste[tid]) {
        front[tid] = true;
        besucht[tid] = true;
        *weiter = true;
        naechste[tid] = false;
    }
}

// Kernel 3: wie viele Knoten hat jede Ebene?
__global__ void zaehleEbenen(int* abstand, int* ebenen, int n)
{
    int tid = blockIdx.x * THREADS + threadIdx.x;
    if (tid < n && abstand[tid] >= 0 && abstand[tid] < 64)
        atomicAdd(&ebenen[abstand[tid]], 1);
}

unsigned long long zustand = 88172645463325252ull;
unsigned int zufall()
{
    zustand ^= zustand << 13;
    zustand ^= zustand >> 7;
    zustand ^= zustand << 17;
    return (unsigned int)(zustand >> 11);
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    int grad = argc > 2 ? atoi(argv[2]) : 6;

    // Zufallsgraph: jeder Knoten hat zwischen 1 und 2*grad-1 gerichtete Kanten
    vector<Knoten> knoten(n);
    vector<int> kanten;
    for (int i = 0; i < n; i++) {
        knoten[i].start = kanten.size();
        knoten[i].anzahl = 1 + zufall() % (2 * grad - 1);
        for (int k = 0; k < knoten[i].anzahl; k++)
            kanten.push_back(zufall() % n);
    }
    int m = kanten.size();
    int quelle = n / 3;

    Knoten* dKnoten;
    int *dKanten, *dAbstand, *dEbenen;
    bool *dFront, *dNaechste, *dBesucht, *dWeiter;
    cudaMalloc(&dKnoten, n * sizeof(Knoten));
    cudaMalloc(&dKanten, m * sizeof(int));
    cudaMalloc(&dAbstand, n * sizeof(int));
    cudaMalloc(&dEbenen, 64 * sizeof(int));
    cudaMalloc(&dFront, n * sizeof(bool));
    cudaMalloc(&dNaechste, n * sizeof(bool));
    cudaMalloc(&dBesucht, n * sizeof(bool));
    cudaMalloc(&dWeiter, sizeof(bool));

    cudaMemcpy(dKnoten, knoten.data(), n * sizeof(Knoten), cudaMemcpyHostToDevice);
    cudaMemcpy(dKanten, kanten.data(), m * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dAbstand, 0xff, n * sizeof(int));   // -1
    cudaMemset(dEbenen, 0, 64 * sizeof(int));
    cudaMemset(dFront, 0, n * sizeof(bool));
    cudaMemset(dNaechste, 0, n * sizeof(bool));
    cudaMemset(dBesucht, 0, n * sizeof(bool));

    bool wahr = true;
    int null = 0;
    cudaMemcpy(dFront + quelle, &wahr, sizeof(bool), cudaMemcpyHostToDevice);
    cudaMemcpy(dBesucht + quelle, &wahr, sizeof(bool), cudaMemcpyHostToDevice);
    cudaMemcpy(dAbstand + quelle, &null, sizeof(int), cudaMemcpyHostToDevice);

    int bloecke = (n + THREADS - 1) / THREADS;
    bool weiter;
    int ebene = 0;
    do {
        weiter = false;
        cudaMemcpy(dWeiter, &weiter, sizeof(bool), cudaMemcpyHostToDevice);
        besuche<<<bloecke, THREADS>>>(dKnoten, dKanten, dFront, dNaechste, dBesucht, dAbstand, n);
        uebernehme<<<bloecke, THREADS>>>(dFront, dNaechste, dBesucht, dWeiter, n);
        cudaMemcpy(&weiter, dWeiter, sizeof(bool), cudaMemcpyDeviceToHost);
        ebene++;
    } while (weiter);

    zaehleEbenen<<<bloecke, THREADS>>>(dAbstand, dEbenen, n);

    vector<int> abstand(n), ebenen(64);
    cudaMemcpy(abstand.data(), dAbstand, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(ebenen.data(), dEbenen, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaError_t fehler = cudaGetLastError();
    if (fehler != cudaSuccess) {
        cerr << "CUDA-Fehler: " << cudaGetErrorString(fehler) << endl;
        return 1;
    }

    long long summe = 0;
    int erreicht = 0;
    for (int i = 0; i < n; i++)
        if (abstand[i] >= 0) {
            summe += abstand[i];
            erreicht++;
        }
    cout << n << " Knoten, " << m << " Kanten, erreicht " << erreicht << ", Ebenen " << ebene << ", Abstandssumme " << summe << endl;
    for (int e = 0; e < ebene; e++)
        cout << (e ? " " : "je Ebene: ") << ebenen[e];
    cout << endl;

    cudaFree(dKnoten); cudaFree(dKanten); cudaFree(dAbstand); cudaFree(dEbenen);
    cudaFree(dFront); cudaFree(dNaechste); cudaFree(dBesucht); cudaFree(dWeiter);
    return 0;
}
