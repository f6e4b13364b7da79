/* Protects base/port.h: the times at which pushed items and freed space become visible, also with a producer that is
 * ahead, and the space of packets. */
#include "base/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Earliest time: an item pushed at t is not visible at t, but at t + 1, whatever the order in which the stages tick. */
static void port_earliest(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct port port;
	uint64_t wake = UINT64_MAX;
	int a, b, c;
	port_open(&port, &arena, 2, &wake);
	assert_true(port_empty(&port));
	port_push(&port, &a, 10);
	assert_int_equal(wake, 11);
	assert_null(port_front(&port, 10));
	assert_ptr_equal(port_front(&port, 11), &a);
	port_push(&port, &b, 12);
	assert_int_equal(wake, 11); /* an earlier wake-up stays */
	assert_int_equal(port_room(&port, 12), 0);

	/* The space that a pop frees at t can be used at t + 1, not at t. */
	port_pop(&port, 13);
	assert_int_equal(port_room(&port, 13), 0);
	assert_int_equal(port_room(&port, 14), 1);
	port_push(&port, &c, 14);
	assert_ptr_equal(port_front(&port, 14), &b);
	port_pop(&port, 14);
	assert_null(port_front(&port, 14));
	assert_ptr_equal(port_front(&port, 15), &c);
	assert_int_equal(port_room(&port, 14), 0);
	assert_int_equal(port_room(&port, 15), 1);
	arena_free(&arena);
}

/* The producer runs ahead. Its items become visible at their time. The space of items that the consumer takes is free
 * when both synchronize, but not in the step of the pop. */
static void port_of_a_producer_ahead(void **state)
{
	struct arena arena = {0};
	struct port port;
	uint64_t wake = UINT64_MAX;
	int a, b, c;
	(void)state;
	port_open(&port, &arena, 3, &wake);
	port.producer_may_be_ahead = true;
	port_push(&port, &a, 10);
	port_push(&port, &b, 12);
	port_push(&port, &c, 20);
	assert_int_equal(wake, 11);
	assert_int_equal(port_arrive(&port, 10), 11);
	assert_true(port_empty(&port));
	assert_int_equal(port_arrive(&port, 11), 13);
	assert_ptr_equal(port_front(&port, 11), &a);
	port_take(&port, 11);
	assert_int_equal(port_arrive(&port, 13), 21);
	port_take(&port, 13);
	assert_int_equal(port_room(&port, 14), 0);
	port_settle(&port);
	assert_int_equal(port_room(&port, 13), 1);
	assert_int_equal(port_room(&port, 14), 2);
	assert_int_equal(port_arrive(&port, 21), UINT64_MAX);
	assert_ptr_equal(port_front(&port, 21), &c);
	port_settle(&port);
	assert_int_equal(port_room(&port, 21), 2);
	arena_free(&arena);
}

/* A port with space for two carries one item every cycle, in order, around its ring. */
static void port_throughput(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct port port;
	int items[64];
	port_open(&port, &arena, 2, NULL);
	for (uint64_t now = 0; now < 64; now++) {
		/* Both orders of ticking within a cycle. */
		if (now % 3 == 0)
			port_push(&port, &items[now], now);
		if (now > 0) {
			assert_ptr_equal(port_front(&port, now), &items[now - 1]);
			port_pop(&port, now);
		}
		if (now % 3 != 0)
			port_push(&port, &items[now], now);
	}
	arena_free(&arena);
}

/* A packet holds the space of all its flits until each has left, one per step, and the last one until the step
 * after. */
static void port_packets(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct port port;
	int packet;
	port_open(&port, &arena, 5, NULL);
	port_push_packet(&port, &packet, 4, 0, 1);
	assert_int_equal(port_room(&port, 1), 1);
	assert_ptr_equal(port_front(&port, 2), &packet);
	port_drop(&port);
	assert_null(port_front(&port, 2));
	for (uint32_t flit = 0; flit < 4; flit++) {
		port_release(&port, 1, 2 + flit);
		assert_int_equal(port_room(&port, 2 + flit), 1 + flit);
		assert_int_equal(port_room(&port, 3 + flit), 2 + flit);
	}
	assert_true(port_empty(&port));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_earliest),
		cmocka_unit_test(port_of_a_producer_ahead),
		cmocka_unit_test(port_throughput),
		cmocka_unit_test(port_packets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
