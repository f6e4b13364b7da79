/* Fuzz target for fat binaries: reads stay inside the input, and results lie in it or in their own allocation. */
#include "cudart/fat_binary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a separate allocation, so that the sanitizer sees reads past its end */
	char *bytes = malloc(size ? size : 1);
	struct fat_code code;
	memcpy(bytes, data, size);
	size_t container = fat_container_bytes(bytes, size);
	if (container > size)
		abort();
	for (unsigned newest = 20; newest <= 90; newest += 70) {
		enum fat_result result = fat_find(bytes, size, newest, &code);
		if (result == FAT_PTX && !code.owned && (code.text < bytes || code.text + code.length > bytes + size))
			abort();
		if (result == FAT_PTX && memchr(code.text, '\0', code.length))
			abort();
		free(code.owned);
	}
	free(bytes);
	return 0;
}
