/* table: a file of energies/, which states the energies of events and the powers that are drawn. docs/how-to/energy.md
 * explains each key. */
#ifndef SLUICE_ENERGY_TABLE_H
#define SLUICE_ENERGY_TABLE_H

#include "base/document.h"
#include "base/formula.h"

/* Each struct begins with its name, as document_read_named() requires. */

/* A part of the machine for which energy is reported. */
struct energy_component {
	const char *name, *meaning;
	struct diag_place place;
};

struct energy_event {
	const char *name, *component, *source;
	const char *text;             /* a formula over a launch's counters and the machine's keys */
	const struct formula *events; /* the parsed formula: the number of events */
	double picojoules;            /* per event, at `node` */
	uint64_t node;                /* nm; 0 in the file: the table's */
	struct diag_place place;
};

struct energy_power {
	const char *name, *component, *source;
	const char *text;           /* a formula over the machine's keys */
	const struct formula *each; /* the parsed formula: number of instances; NULL: 1 */
	double watts;               /* of each instance, at `node` */
	uint64_t node;
	bool always; /* also drawn when no kernel runs */
	struct diag_place place;
};

/* Factors for numbers of another technology node. */
struct energy_scale {
	const char *name; /* the node as text */
	uint64_t node;
	double energy, power;
	const char *source;
	struct diag_place place;
};

struct energy_table {
	const char *name; /* as requested by the user */
	const char *title;
	uint64_t node; /* nm */
	struct energy_component *components;
	struct energy_event *events;
	struct energy_power *powers;
	struct energy_scale *scales;
	size_t component_count, event_count, power_count, scale_count;
};

/* Reads the text of the file into the document's arena. False when its diag got errors. */
bool energy_table_read(struct energy_table *table, struct document *document);

/* The index of a component; component_count: there is none of that name. */
size_t energy_table_find(const struct energy_table *table, const char *component);

/* The scale from a node to the table's node; NULL: the table has none. */
const struct energy_scale *energy_table_scale(const struct energy_table *table, uint64_t node);

/* True for words that cannot be components, because metrics and JSON use them for something else. */
bool energy_is_reserved(const char *component);

#endif
