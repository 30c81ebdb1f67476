// kernel=decay line=13 finding=KO101
#include <cstdio>
struct Cell { float gain, leak; };

__global__ void decay(const Cell *cells, float *__restrict__ charges, const int *__restrict__ spikes, int neurons, int steps)
{
    const int neuron = threadIdx.x + blockIdx.x * 96;
    const bool is_inside = neuron < neurons;
    const int first = neuron * steps;
    float charge = 0.0f; // of this neuron
    __shared__ Cell cells_tile[96][16 + 1];
    __shared__ int spikes_tile[96][16 + 1];
    __shared__ float charges_tile[96][16 + 1];
    for (int chunk = 0; chunk < steps; chunk += 16) {
        const int column = threadIdx.x % 16;
        const int at2 = chunk + column;
        const int chunk_end = min(chunk + 16, steps);
        if (at2 < chunk_end)
            for (int r = threadIdx.x / 16; r < 96; r += 6) {
                const int other_neuron = r + blockIdx.x * 96;
                const int other_first = other_neuron * steps;
                if (other_neuron < neurons) {
                    cells_tile[r][column] = cells[other_first + at2];
                    spikes_tile[r][column] = spikes[other_first + at2];
                }
            }
        __syncthreads();
        if (is_inside)
            for (int s = chunk; s < chunk_end; s++) {
                charge = charge * cells_tile[threadIdx.x][s - chunk].leak + spikes_tile[threadIdx.x][s - chunk] * cells_tile[threadIdx.x][s - chunk].gain;
                if (charge > 1.0f)
                    charge = 0.0f;
                charges_tile[threadIdx.x][s - chunk] = charge;
            }
        __syncthreads();
        if (at2 < chunk_end)
            for (int r = threadIdx.x / 16; r < 96; r += 6) {
                const int other_neuron = r + blockIdx.x * 96;
                const int other_first = other_neuron * steps;
                if (other_neuron < neurons)
                    charges[other_first + at2] = charges_tile[r][column];
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
