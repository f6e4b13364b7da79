#include "plate.h"

#include <sys/time.h>

double seconds_now(void)
{
	struct timeval time;
	gettimeofday(&time, 0);
	return time.tv_sec + 1e-6 * time.tv_usec;
}

void host_step(const float *from, float *to, int rows, int columns, const float *weights)
{
	int row, column, this; /* a keyword in C++ */
	for (row = 0; row < rows; row++)
		for (column = 0; column < columns; column++) {
			this = row * columns + column;
			if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1)
				to[this] = from[this];
			else
				to[this] = weights[0] * from[this] + weights[1] * (from[this - 1] + from[this + 1]) +
				           weights[2] * (from[this - columns] + from[this + columns]);
		}
}
