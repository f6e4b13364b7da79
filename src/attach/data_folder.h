/* data_folder: finds the folders of installed data files: machines and energy tables. */
#ifndef SLUICE_ATTACH_DATA_FOLDER_H
#define SLUICE_ATTACH_DATA_FOLDER_H

#include <limits.h>

/* Writes to `path` the folder `installed` of the installation that holds this code, or `source` in the source tree when
 * there is none. The installation may have been moved. The code lies in its bin or lib, or at most two folders
 * deeper. */
void data_folder(const char *installed, const char *source, char path[PATH_MAX]);

#endif
