/* Protects mechanisms that use other libraries: seam/mech.h and its companions compile after system headers that define
 * short names, and next to a program's own names. Compiling is the test. */
#include <argp.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <link.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* A program's own names, which these headers once used. */
struct counter {
	int value;
};
struct packet {
	int value;
};
struct source {
	int value;
};
struct place {
	int value;
};
struct pass {
	int value;
};
struct facts {
	int value;
};
struct prefetch {
	int value;
};
struct line_set {
	int value;
};
struct dram_queue {
	int value;
};
enum fact { FACT };
enum access_kind { ACCESS_LOAD, ACCESS_STORE, OPTION_U32, SCOPE_SM, COMBINE_SUM };
typedef int option_type;
typedef int vector;
typedef int table;
static int option_find(void);
static int counter_value(void);
static int xmalloc(int size);
#define PACKET_LOAD     hostile
#define PREFETCH_USEFUL hostile
#define DRAM_READ       hostile
#define LINE_USED       hostile
#define VECTOR_LINEAR   hostile
#define X               hostile
#define LOOK            hostile
#define VETO            hostile
#define ROW             hostile

#include "seam/mech.h"

#include "seam/mech_bulk.h"
#include "seam/mech_levels.h"
#include "seam/mech_lines.h"
#include "seam/mech_listed.h"
#include "seam/mech_numbers.h"
#include "seam/mech_strides.h"
#include "seam/mech_table.h"

#if !defined(X) || !defined(LOOK) || !defined(VETO)
#error "a header has taken a program's macro away"
#endif

static int option_find(void)
{
	return FACT + ACCESS_LOAD;
}

static int counter_value(void)
{
	const struct counter counter = {1};
	const struct packet packet = {2};
	return counter.value + packet.value + option_find();
}

static int xmalloc(int size)
{
	return size + counter_value();
}

static uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	(void)sm;
	(void)options;
	return xmalloc(1) ? mech_youngest(warps, candidates) : mech_oldest(warps, candidates);
}

static const struct mech mine = {
	.version = MECH_VERSION,
	.name = "youngest",
	.summary = "warp order: the youngest first",
	.citation = "a test",
	.sm_size = 1,
	.policies = MECH_POLICY_WARP_ORDER,
	.pick_warp = pick_warp,
};
MECHANISM(mine);
