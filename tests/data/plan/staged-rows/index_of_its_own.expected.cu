// kernel=decay line=12 finding=KO101
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
    Cell *cells;
    int *spikes;
    float *charges;
    cudaMalloc(&cells, 1000 * 90 * sizeof(Cell));
    cudaMalloc(&spikes, 1000 * 90 * sizeof(int));
    cudaMalloc(&charges, 1000 * 90 * sizeof(float));
    decay<<<11, 96>>>(cells, charges, spikes, 1000, 90);
    cudaDeviceSynchronize();
}
