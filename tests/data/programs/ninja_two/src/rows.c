#include "rows.h"

int row_count(const char *text)
{
    int new = 0;
    while (text && *text >= '0' && *text <= '9') new = 10 * new + (*text++ - '0');
    return new > 0 ? new : 200;
}
