/* driver_codes: the error numbers of both APIs, without the declarations of their calls. */
#ifndef SLUICE_CUDART_DRIVER_CODES_H
#define SLUICE_CUDART_DRIVER_CODES_H

enum driver_code {
#define D(name, number) name = number,
#include <sluice/driver_errors.def>
#undef D
};
enum runtime_code {
#define E(name, number, text) name = number,
#include <sluice/errors.def>
#undef E
};

#endif
