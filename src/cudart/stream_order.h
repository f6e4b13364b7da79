/* stream_order: the order that streams, events, graphs and waits of the host give to works, for --check global-race.
 * The works run at once, in the order of the calls. All calls do nothing without that check, or before a stream exists.
 *
 * Each stream is a chain of works. A vector clock has, by chain, the number of its works that have ended. The works of
 * a stream, the host, and marks such as events' records each have a clock. Where CUDA orders two of them, the later one
 * takes over what the earlier one knows. All host threads have one clock, because the order that they give to each
 * other is not known. When the host knows all works, they are forgotten.
 */
#ifndef SLUICE_CUDART_STREAM_ORDER_H
#define SLUICE_CUDART_STREAM_ORDER_H

#include "cudart/runtime.h"

#include "sluice_runtime.h"

/* True when works are compared. */
bool order_is_kept(const struct runtime *runtime);

/* The stream's next work begins, and ends. `call`: its name, if it is no launch. `host_waits`: the host waits for it.
 */
void order_begin(struct runtime *runtime, cudaStream_t stream, const char *call);
void order_end(struct runtime *runtime, cudaStream_t stream, bool host_waits);

/* Marks the end of the stream's work so far. 0: nothing to wait for. */
uint64_t order_mark(struct runtime *runtime, cudaStream_t stream);
/* The stream's next work follows the mark; 0: none. */
void order_follow(struct runtime *runtime, cudaStream_t stream, uint64_t mark);

/* The host has waited for a mark, for the stream's work so far, or for all work. */
void order_waited_for(struct runtime *runtime, uint64_t mark);
void order_waited(struct runtime *runtime, cudaStream_t stream);
void order_all(struct runtime *runtime);

/* Later works of this stream do not follow its earlier ones: another branch of a graph uses it now. */
void order_begin_chain(struct runtime *runtime, cudaStream_t stream);
void order_free(struct runtime *runtime);

#endif
