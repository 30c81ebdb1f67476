// kernel=decay line=12 finding=KO101
struct Cell { float charge, leak; };

__global__ void decay(Cell *cells, const int *__restrict__ spikes, int neurons, int steps)
{
    const int neuron = threadIdx.x + blockIdx.x * 96;
    if (neuron < neurons) {
        const int first = neuron * steps;
        float charge = 0.0f; // of this neuron
        for (int s = 0; s < steps; s++) {
            const int at = first + s;
            charge = charge * cells[at].leak + spikes[at];
            if (charge > 1.0f)
                charge = 0.0f;
            cells[at].charge = charge;
        }
    }
}

int main()
{
    Cell *cells;
    int *spikes;
    cudaMalloc(&cells, 1000 * 90 * sizeof(Cell));
    cudaMalloc(&spikes, 1000 * 90 * sizeof(int));
    decay<<<11, 96>>>(cells, spikes, 1000, 90);
    cudaDeviceSynchronize();
}
