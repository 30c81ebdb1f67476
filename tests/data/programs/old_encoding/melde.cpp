#include <stdio.h>
/* Ausgabe fürs Protokoll */
void melde(int falsch)
{
    printf("quadrat: %d falsch\n", falsch);
}
