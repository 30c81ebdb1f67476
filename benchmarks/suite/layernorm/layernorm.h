#ifndef LAYERNORM_H
#define LAYERNORM_H

/* What one forward pass needs; all pointers are device memory. */
struct LayerNorm {
    int rows;
    int features;
    const float *gamma;   /* [features] */
    const float *beta;    /* [features] */
    float *average;       /* [rows], kept for the backward pass */
    float *inv_std;       /* [rows], kept for the backward pass */
};

void layer_norm(const LayerNorm &layer, const float *x, float *y);

#endif
