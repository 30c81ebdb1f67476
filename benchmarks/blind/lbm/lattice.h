#ifndef LATTICE_H
#define LATTICE_H

// D2Q9. Order of directions: rest, E, N, W, S, NE, NW, SW, SE
#define Q 9

struct Cell
{
    float f[Q];
};

struct Box
{
    int nx, ny;
    float omega;        // 1 / relaxation time
};

void collide(Cell *cells, const Box &box);
void stream(const Cell *from, Cell *to, const Box &box);

#endif
