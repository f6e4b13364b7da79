/* driver_codes: the errors of both APIs, without the calls that return them. */
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
