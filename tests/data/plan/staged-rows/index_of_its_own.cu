// kernel=decay line=13 finding=KO101
#include <cstdio>
struct Cell { float gain, leak; };

__global__ void decay(const Cell *cells, float *__restrict__ charges, const int *__restrict__ spikes, int neurons, int steps)
{
    const int neuron = threadIdx.x + blockIdx.x * 96;
    if (neuron < neurons) {
        const int first = neuron * steps;
        float charge = 0.0f; // of this neuron
        for (int s = 0; s < steps; s++) {
            const int at = first + s;
            charge = charge * cells[at].leak + spikes[at] * cells[at].gain;
            if (charge > 1.0f)
                charge = 0.0f;
            charges[at] = charge;
        }
    }
}

int main()
{
    const int neurons = 130, steps = 90;
    Cell *cells;
    int *spikes;
    float *charges;
    cudaMallocManaged(&cells, neurons * steps * sizeof(Cell));
    cudaMallocManaged(&spikes, neurons * steps * sizeof(int));
    cudaMallocManaged(&charges, neurons * steps * sizeof(float));
    for (int i = 0; i < neurons * steps; i++) {
        cells[i] = {0.25f + i % 5 * 0.125f, 0.5f + i % 3 * 0.125f};
        spikes[i] = i * 7 % 3 == 0;
    }
    decay<<<(neurons + 95) / 96, 96>>>(cells, charges, spikes, neurons, steps);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < neurons * steps; i++) sum += charges[i] * (i % 4 + 1);
    printf("%.5f\n", sum);
}
