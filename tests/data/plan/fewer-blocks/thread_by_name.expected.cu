// kernel=exam_grades line=23 finding=KO110
#include <stdio.h>
#include <stdlib.h>

#define GRADES 11

__global__ void exam_grades(const float *points, int *grades, int students) {
    __shared__ int s_grades[GRADES];
    int tid = threadIdx.x;
    if (tid < GRADES)
        s_grades[tid] = 0;
    __syncthreads();

    int gid = blockIdx.x * blockDim.x + tid;
    int stride = gridDim.x * blockDim.x;
    while (gid < students) {
        atomicAdd(&s_grades[(int)(points[gid] / 10.0f)], 1);
        gid += stride;
    }

    __syncthreads();
    if (tid < GRADES)
        atomicAdd(&grades[tid], s_grades[tid]);
}

int main() {
    int students = 8000, grades[GRADES] = {0}, *d_grades;
    float *points = (float *)malloc(students * sizeof(float)), *d_points;
    for (int i = 0; i < students; i++) points[i] = (i * 7 % 201) * 0.5f;
    cudaMalloc(&d_points, students * sizeof(float));
    cudaMalloc(&d_grades, sizeof(grades));
    cudaMemcpy(d_points, points, students * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_grades, grades, sizeof(grades), cudaMemcpyHostToDevice);
    exam_grades<<<5, 512>>>(d_points, d_grades, students);
    cudaMemcpy(grades, d_grades, sizeof(grades), cudaMemcpyDeviceToHost);
    for (int g = 0; g < GRADES; g++) printf("%d%c", grades[g], g + 1 < GRADES ? ' ' : '\n');
    cudaFree(d_points);
    cudaFree(d_grades);
    free(points);
    return 0;
}
