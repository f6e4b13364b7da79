#include "lab/run_energy.h"

#include "sluice_runtime.h"

#include <stdlib.h>
#include <string.h>

char **run_objects(const char *mechanisms)
{
	size_t count = 0;
	char **objects = base_calloc(strlen(mechanisms) / 2 + 2, sizeof *objects);
	for (const char *word = mechanisms; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " "), path = sluice_mechanism_path(word);
		if (path)
			objects[count++] = strndup(word, path < length ? path : length);
		word += length;
	}
	return objects;
}

void run_objects_free(char **objects)
{
	for (char **object = objects; *object; object++)
		free(*object);
	free(objects);
}

bool run_energy(struct energies *energies, json_t *stats, const char *mechanisms, char message[ENERGY_MESSAGE])
{
	char **objects = run_objects(mechanisms);
	bool fine = energies_annotate(energies, stats, (const char *const *)objects, message);
	run_objects_free(objects);
	return fine;
}
