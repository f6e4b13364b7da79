/* machine_random: random machines, from the table of their options, and random mechanisms on them. */
#ifndef SLUICE_TESTS_MACHINE_RANDOM_H
#define SLUICE_TESTS_MACHINE_RANDOM_H

#include "gpu/machine.h"
#include "ptx_random.h"

enum { MACHINE_SETTINGS = 256, MACHINE_MECHANISMS = 8, MACHINE_TEXT = 320 };

struct machine_random {
	const char *machine; /* the file on which it is based */
	char option[MACHINE_SETTINGS][MACHINE_TEXT], mechanism[MACHINE_MECHANISMS][MACHINE_TEXT];
	uint32_t options, mechanisms;
};

/* True for options that stay as in the file: names, sizes of memories, and the limit after which a kernel counts as
 * stalled. */
static inline bool machine_is_fixed(const struct base_option *option)
{
	static const char *const fixed[] = {"name", "mechanisms", "launch.sleep", "launch.window", "launch.watchdog", "launch.livelock", "launch.max_instructions", "sm.warp_order", "memory.", "compute."};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (strncmp(option->name, fixed[i], strlen(fixed[i])) == 0)
			return true;
	return false;
}

/* The largest value to try: a machine must end its kernels within a moment of host time. */
static inline double machine_most(const struct base_option *option)
{
	static const struct {
		const char *prefix;
		double most;
	} limits[] = {{"clock.", 3000},       {"sm.count", 20},          {"sm.registers_per", 64}, {"sm.registers", 1048576},
	              {"sm.register_u", 64},  {"sm.shared_b", 1048576}, {"sm.shared_p", 1048576}, {"map.interleave", 65536},
	              {"map.", 16},           {"latency.", 508},        {"initiation.", 64},       {"l2.delay", 300},
	              {"dram.latency", 300},  {"dram.t", 60},           {"network.flit", 256},     {"l1d.sets", 256},
	              {"l2.sets", 256},       {"", 4096}};
	for (size_t i = 0;; i++)
		if (strncmp(option->name, limits[i].prefix, strlen(limits[i].prefix)) == 0)
			return option->max < limits[i].most ? option->max : limits[i].most;
}

/* Draws small values as often as large ones, the ends of the range often, and most often a power of two. */
static inline uint32_t machine_value(struct random_text *text, const struct base_option *option)
{
	double most = machine_most(option), least = option->min;
	if (strncmp(option->name, "clock.", 6) == 0)
		least = 100;
	uint32_t bits = 1 + (uint32_t)__builtin_clz(1) - (uint32_t)__builtin_clz((uint32_t)most);
	uint32_t value = 1u << random_below(text, bits);
	switch (random_below(text, 6)) {
	case 0:
		value = (uint32_t)least;
		break;
	case 1:
		value = (uint32_t)least + 1;
		break;
	case 2:
		value = value / 2 + random_below(text, value);
		break;
	default:
		break;
	}
	return value < least ? (uint32_t)least : value > most ? (uint32_t)most : value;
}

static inline void machine_option(struct random_text *text, const struct base_option *option, char *into)
{
	static const char *const carve_outs[] = {"", "0,16,48", "0,8,16,32,64,96"};
	uint32_t choices = 0;
	switch (option->type) {
	case BASE_OPTION_BOOL:
		snprintf(into, MACHINE_TEXT, "%s=%s", option->name, random_below(text, 2) ? "true" : "false");
		break;
	case BASE_OPTION_ENUM:
		while (option->choices[choices])
			choices++;
		snprintf(into, MACHINE_TEXT, "%s=%s", option->name, option->choices[random_below(text, choices)]);
		break;
	case BASE_OPTION_TEXT: /* the only text option that is not fixed: sm.carve_outs */
		snprintf(into, MACHINE_TEXT, "%s=%s", option->name, carve_outs[random_below(text, 3)]);
		break;
	default:
		snprintf(into, MACHINE_TEXT, "%s=%u", option->name, machine_value(text, option));
		break;
	}
}

static inline void machine_warp_order(struct random_text *text, struct machine_random *m)
{
	static const char *const orders[] = {"lrr", "gto", "two_level", "spread_groups"};
	uint32_t order = random_below(text, 5);
	char *into = m->option[m->options];
	if (order == 4)
		return;
	int length = snprintf(into, MACHINE_TEXT, "sm.warp_order=%s", orders[order]);
	if (order >= 2)
		length += snprintf(into + length, MACHINE_TEXT - (size_t)length, ":ready=%u", 1 + random_below(text, 8));
	if (order == 2 && random_below(text, 2))
		snprintf(into + length, MACHINE_TEXT - (size_t)length, ",pick=oldest");
	if (order == 3)
		snprintf(into + length, MACHINE_TEXT - (size_t)length, ",apart=%u", 1 + random_below(text, 5));
	m->options++;
}

/* Replaces the warp order by CAPS' scheduler. */
static inline void machine_pas(struct random_text *text, struct machine_random *m)
{
	static const char *const orders[] = {"two_level", "two_level", "lrr", "gto"};
	if (random_below(text, 4) == 0)
		snprintf(m->option[m->options++], MACHINE_TEXT,
		         "sm.warp_order=pas:order=%s,ready=%u,leader=%s,marker=%s,pick=%s,wake_up=%s",
		         orders[random_below(text, 4)], 1 + random_below(text, 8), random_below(text, 2) ? "first" : "spread",
		         random_below(text, 2) ? "life" : "first_load", random_below(text, 2) ? "round_robin" : "oldest",
		         random_below(text, 4) ? "yes" : "no");
}

/* CAPS' prefetcher, also for loads whose addresses come from memory. */
static inline void machine_cap(struct random_text *text, char *into)
{
	snprintf(into, MACHINE_TEXT,
	         "cap:indirect=yes,block_entries=%u,stride_entries=%u,accesses=%u,threshold=%u,runs=%u,case_a=%s,loops=%s,"
	         "full=%s,retry=%s,keep_strides=%s",
	         1 + random_below(text, 8), 1 + random_below(text, 8), 1 + random_below(text, 32), random_below(text, 256),
	         1 + random_below(text, 32), random_below(text, 2) ? "same_warp" : "whole_block",
	         random_below(text, 3) ? "follow" : "verify", random_below(text, 3) ? "replace" : "ignore",
	         random_below(text, 2) ? "yes" : "no", random_below(text, 2) ? "yes" : "no");
}

static inline void machine_teleport(struct random_text *text, char *into)
{
	static const char *const models[] = {"real", "real", "R", "S", "I"};
	static const char *const loops[] = {"none", "code", "launch"};
	static const char *const arbitrations[] = {"teleport", "core", "alternate"};
	snprintf(into, MACHINE_TEXT,
	         "teleport:model=%s,loops=%s,arbitration=%s,sets=%u,buffer_kb=%u,table_entries=%u,overlap=%s,request=%s,urgent=%s,rate=%u,field_bits=%u,look_stale=%s",
	         models[random_below(text, 5)], loops[random_below(text, 3)], arbitrations[random_below(text, 3)],
	         1u << random_below(text, 5), 1u << random_below(text, 7), 1 + random_below(text, 100),
	         random_below(text, 2) ? "yes" : "no", random_below(text, 2) ? "line" : "packet",
	         random_below(text, 2) ? "yes" : "no", 1 + random_below(text, 16),
	         8 + random_below(text, 57), random_below(text, 2) ? "yes" : "no");
}

static inline void machine_mthwp(struct random_text *text, char *into)
{
	snprintf(into, MACHINE_TEXT,
	         "mthwp:promote=1,pws_entries=%u,gs_entries=%u,ip_entries=%u,distance=%u,degree=%u,throttle=%s,period=%u",
	         1 + random_below(text, 20), 1 + random_below(text, 20), 1 + random_below(text, 20),
	         1 + random_below(text, 16), 1 + random_below(text, 8), random_below(text, 2) ? "yes" : "no",
	         1 + random_below(text, 5000));
}

/* Prefetchers into L1, with tables that are too small for some kernels. */
static inline void machine_prefetcher(struct random_text *text, char *into)
{
	static const char *const names[] = {"intra", "inter", "mta", "nlp", "lap"};
	uint32_t kind = random_below(text, 5), rows = 1 + random_below(text, 40), distance = 1 + random_below(text, 8);
	uint32_t degree = 1 + random_below(text, 4), lines = 2 + random_below(text, 8);
	const char *retry = random_below(text, 2) ? "yes" : "no", *early = random_below(text, 2) ? "yes" : "no";
	int length = snprintf(into, MACHINE_TEXT, "%s:retry=%s,", names[kind], retry);
	size_t room = MACHINE_TEXT - (size_t)length;
	into += length;
	if (kind < 2)
		snprintf(into, room, "early=%s,entries=%u,distance=%u,degree=%u,transactions=%u", early, rows, distance, degree,
		         1 + random_below(text, 64));
	else if (kind == 2)
		snprintf(into, room, "early=%s,intra_entries=%u,inter_entries=%u,intra_distance=%u,inter_degree=%u", early,
		         rows, 1 + rows / 4, distance, degree);
	else if (kind == 3)
		snprintf(into, room, "degree=%u,tagged=%s", degree, early);
	else
		snprintf(into, room, "lines=%u,misses=%u,entries=%u", lines, 1 + random_below(text, lines - 1), rows);
}

static inline void machine_prefetchers(struct random_text *text, struct machine_random *m)
{
	if (random_below(text, 3) == 0)
		machine_mthwp(text, m->mechanism[m->mechanisms++]);
	if (random_below(text, 2))
		machine_prefetcher(text, m->mechanism[m->mechanisms++]);
	if (random_below(text, 3) == 0)
		machine_cap(text, m->mechanism[m->mechanisms++]);
	if (random_below(text, 4) == 0)
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT, "evicted_prefetches");
}

/* At most one mechanism that owns the buffer in front of L1, together with others. */
static inline void machine_mechanisms(struct random_text *text, struct machine_random *m)
{
	uint32_t owner = random_below(text, 8), seed = random_below(text, 1000000);
	char *into = m->mechanism[0];
	if (random_below(text, 3) == 0)
		return;
	if (owner < 3)
		machine_teleport(text, into);
	else if (owner == 3)
		snprintf(into, MACHINE_TEXT, BUILD_DIR "/tests/sender.so");
	else if (owner < 6)
		snprintf(into, MACHINE_TEXT, BUILD_DIR "/tests/chance_policies.so:seed=%u,rate=%u,near=%u,hold=%u", seed,
		         1 + random_below(text, 4), 1u << random_below(text, 12), 1 + random_below(text, 4));
	m->mechanisms += owner < 6;
	machine_prefetchers(text, m);
	if (owner < 4 && random_below(text, 4) == 0) /* chance_policies owns L1's replacement */
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT, "keep_prefetches");
	if (random_below(text, 3) == 0)
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT, BUILD_DIR "/tests/vetoes.so:seed=%u", seed);
	if (random_below(text, 3) == 0)
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT,
		         BUILD_DIR "/tests/chance.so:seed=%u,rate=%u,near=%u,hold=%u,buffer=%s", seed,
		         1 + random_below(text, 4), 1u << random_below(text, 12), 1 + random_below(text, 4),
		         owner < 6 ? "yes" : "no");
}

/* Only mechanisms that see or touch an SM at the SM's own time. */
static inline void machine_local_mechanisms(struct random_text *text, struct machine_random *m)
{
	bool buffer = random_below(text, 3) == 0;
	if (random_below(text, 3) == 0)
		return;
	if (buffer)
		machine_teleport(text, m->mechanism[m->mechanisms++]);
	machine_prefetchers(text, m);
	if (random_below(text, 2))
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT,
		         BUILD_DIR "/tests/chance_step.so:seed=%u,rate=%u,near=%u,hold=%u,buffer=%s",
		         random_below(text, 1000000), 1 + random_below(text, 4), 1u << random_below(text, 12),
		         1 + random_below(text, 4), buffer ? "yes" : "no");
}

/* A few options, or many, or most of one part of the machine. */
static inline void machine_settings(struct random_text *text, struct machine_random *m)
{
	static const char *const parts[] = {"l1d.", "l2.", "dram.", "network.", "sm.", "map.", "l1", "latency.", "clock."};
	const char *part = parts[random_below(text, sizeof parts / sizeof *parts)];
	static const uint32_t most[] = {8, 40, 160};
	for (uint32_t count = random_below(text, most[random_below(text, 3)]); count; count--) {
		const struct base_option *option = &machine_options[random_below(text, (uint32_t)machine_option_count)];
		if (!machine_is_fixed(option))
			machine_option(text, option, m->option[m->options++]);
	}
	if (random_below(text, 3))
		return;
	for (size_t i = 0; i < machine_option_count; i++) {
		const struct base_option *option = &machine_options[i];
		if (strncmp(option->name, part, strlen(part)) == 0 && !machine_is_fixed(option) &&
		    random_below(text, 4))
			machine_option(text, option, m->option[m->options++]);
	}
}

static inline void machine_drop_key(struct machine_random *m, const char *key)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->options; i++)
		if (strncmp(m->option[i], key, strlen(key)) != 0 || m->option[i][strlen(key)] != '=')
			memmove(m->option[kept++], m->option[i], sizeof *m->option);
	m->options = kept;
}

/* Chooses the number of SMs. */
static inline uint32_t machine_ports(struct random_text *text)
{
	return 1 + random_below(text, random_below(text, 3) ? 4 : 20);
}

/* In two of five machines in clusters, with queues down to one packet. */
static inline void machine_sms(struct random_text *text, struct machine_random *m)
{
	uint32_t ports = machine_ports(text);
	uint32_t sms = random_below(text, 5) < 2 ? 2 + random_below(text, random_below(text, 3) ? 2 : 6) : 1;
	if (ports * sms > 24)
		ports = 24 / sms;
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.count=%u", ports * sms);
	if (sms == 1)
		return;
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.per_cluster=%u", sms);
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.cluster_replies=%u", 1 + random_below(text, 8));
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.replies=%u", 1 + random_below(text, 3));
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.cluster_turns=%s", random_below(text, 2) ? "held" : "by_cycle");
}

static inline void machine_random(struct random_text *text, struct machine_random *m)
{
	static const char *const machines[] = {"gtx480", "gtx480-v4", "gtx480-teleport", "gtx480-d2ma", "gtx480-144sm",
	                                       "gtx480-caps", "sharing-14sm", "sharing-config-1", "sharing-sm-config-3",
	                                       "gtx480-teleport-zero-latency", "gtx480-teleport-perfect-l1", "qv100",
	                                       "rtx3070"};
	*m = (struct machine_random){.machine = machines[random_below(text, sizeof machines / sizeof *machines)]};
	machine_sms(text, m);
	machine_warp_order(text, m);
	machine_pas(text, m);
	machine_settings(text, m);
	machine_mechanisms(text, m);
}

/* A machine on which SMs may run ahead: each has its own port, its network takes time, and mechanisms, if any, stay
 * within one SM. */
static inline void machine_alone(struct random_text *text, struct machine_random *m)
{
	static const char *const machines[] = {"gtx480", "gtx480-v4", "gtx480-144sm", "qv100", "rtx3070"};
	*m = (struct machine_random){.machine = machines[random_below(text, sizeof machines / sizeof *machines)]};
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.count=%u", machine_ports(text));
	machine_warp_order(text, m);
	machine_settings(text, m);
	machine_drop_key(m, "sm.per_cluster");
	machine_drop_key(m, "sm.zero_latency_memory");
	machine_local_mechanisms(text, m);
}

/* Removes the setting or the mechanism with this text. */
static inline void machine_drop(struct machine_random *m, const char *text)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->options; i++)
		if (strcmp(m->option[i], text) != 0)
			memmove(m->option[kept++], m->option[i], sizeof *m->option);
	m->options = kept;
	kept = 0;
	for (uint32_t i = 0; i < m->mechanisms; i++)
		if (strcmp(m->mechanism[i], text) != 0)
			memmove(m->mechanism[kept++], m->mechanism[i], sizeof *m->mechanism);
	m->mechanisms = kept;
}

/* Removes the setting or the mechanism that the message names. Returns false if it names none. */
static inline bool machine_drop_named(struct machine_random *m, const char *message)
{
	if (strstr(message, "error: mechanism ") && m->mechanisms) {
		m->mechanisms--;
		return true;
	}
	for (uint32_t i = 0; i < m->options; i++) {
		char key[MACHINE_TEXT];
		snprintf(key, sizeof key, "%.*s", (int)strcspn(m->option[i], "="), m->option[i]);
		if (!strstr(message, key))
			continue;
		m->options--;
		memmove(m->option[i], m->option[i + 1], (m->options - i) * sizeof *m->option);
		return true;
	}
	return false;
}

#endif
