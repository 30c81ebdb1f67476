// k nearest neighbour classifier, brute force
// 1. all distances  2. pick the k smallest  3. vote
// args: queries points dims k
#include <iostream>
#include <iomanip>
#include <cstdlib>
#include <cmath>

using namespace std;

const int CLASSES = 5;
const int MAX_K = 16;

// everything global, easier
int Q, P, D, K;
float *queries, *points, *distances, *nearest;
int *labels, *neighbours, *predicted;

__global__ void distanceKernel(float *queries, float *points, float *distances, int Q, int P, int D)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    if (p >= P || q >= Q) return;

    float sum = 0.0;
    for (int d = 0; d < D; d++)
        sum += pow(queries[q * D + d] - points[p * D + d], 2);
    distances[q * P + p] = sqrt(sum);
}

// one thread per query, sorted list of the k best
__global__ void selectKernel(float *distances, int *neighbours, float *nearest, int Q, int P, int K)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= Q) return;

    float bestDist[MAX_K];
    int bestIndex[MAX_K];
    for (int i = 0; i < K; i++) {
        bestDist[i] = 1e30;
        bestIndex[i] = -1;
    }
    for (int p = 0; p < P; p++) {
        float dist = distances[q * P + p];
        if (dist < bestDist[K - 1]) {
            int i = K - 1;
            while (i > 0 && bestDist[i - 1] > dist) {
                bestDist[i] = bestDist[i - 1];
                bestIndex[i] = bestIndex[i - 1];
                i--;
            }
            bestDist[i] = dist;
            bestIndex[i] = p;
        }
    }
    for (int i = 0; i < K; i++)
        neighbours[q * K + i] = bestIndex[i];
    nearest[q] = bestDist[0];
}

__global__ void voteKernel(int *neighbours, int *labels, int *predicted, int Q, int K)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= Q) return;
    int votes[CLASSES];
    for (int c = 0; c < CLASSES; c++) votes[c] = 0;
    for (int i = 0; i < K; i++) votes[labels[neighbours[q * K + i]]]++;
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (votes[c] > votes[best]) best = c;
    predicted[q] = best;
}

unsigned int seed = 31337;
float randomFloat()
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0f;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        cout << "args: queries points dims k" << endl;
        return 1;
    }
    Q = atoi(argv[1]);
    P = atoi(argv[2]);
    D = atoi(argv[3]);
    K = atoi(argv[4]);
    if (K > MAX_K) K = MAX_K;

    // managed memory, no copies needed
    cudaMallocManaged(&queries, sizeof(float) * Q * D);
    cudaMallocManaged(&points, sizeof(float) * P * D);
    cudaMallocManaged(&labels, sizeof(int) * P);
    cudaMallocManaged(&distances, sizeof(float) * Q * P);
    cudaMallocManaged(&neighbours, sizeof(int) * Q * K);
    cudaMallocManaged(&nearest, sizeof(float) * Q);
    cudaMallocManaged(&predicted, sizeof(int) * Q);

    // clusters around different centres
    for (int p = 0; p < P; p++) {
        labels[p] = p % CLASSES;
        for (int d = 0; d < D; d++)
            points[p * D + d] = 0.25f * ((labels[p] * 3 + d) % 4) + randomFloat();
    }
    for (int q = 0; q < Q; q++)
        for (int d = 0; d < D; d++)
            queries[q * D + d] = 0.25f * ((q % CLASSES * 3 + d) % 4) + randomFloat();

    dim3 block(32, 8);
    dim3 grid((P + 31) / 32, (Q + 7) / 8);
    distanceKernel<<<grid, block>>>(queries, points, distances, Q, P, D);
    selectKernel<<<(Q + 127) / 128, 128>>>(distances, neighbours, nearest, Q, P, K);
    voteKernel<<<(Q + 127) / 128, 128>>>(neighbours, labels, predicted, Q, K);
    cudaDeviceSynchronize();

    int correct = 0;
    double mean = 0;
    for (int q = 0; q < Q; q++) {
        if (predicted[q] == q % CLASSES) correct++;
        mean += nearest[q];
    }
    cout << fixed << setprecision(1) << "correct: " << 100.0 * correct / Q << " %" << endl;
    cout << setprecision(4) << "mean distance of the nearest: " << mean / Q << endl;
    cout << "neighbours of query 0:";
    for (int i = 0; i < K; i++) cout << " " << neighbours[i];
    cout << endl;

    cudaFree(queries);
    cudaFree(points);
    cudaFree(labels);
    cudaFree(distances);
    cudaFree(neighbours);
    cudaFree(nearest);
    cudaFree(predicted);
    return 0;
}
