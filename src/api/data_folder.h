/* data_folder: where files that belong to this code lie: machines, tables of energies. */
#ifndef SLUICE_API_DATA_FOLDER_H
#define SLUICE_API_DATA_FOLDER_H

#include <limits.h>

/* The folder `installed` below the installation that this code belongs to, however it was moved (it lies in bin, in lib, or at most two
 * folders further down), else `source`, of the source tree. */
void data_folder(const char *installed, const char *source, char path[PATH_MAX]);

#endif
