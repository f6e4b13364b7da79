/* write_back: arithmetic results are written in the cycle that was booked on the result bus. Data of loads are
 * written through one port, one instruction per cycle, when no result of that cycle uses their banks. */
#include "sm/sm.h"

/* The clients with data of loads, in the order of GPGPU-Sim 3.2.2's load/store unit. They take turns:
 * tests/sm/test_sm_turns.c. */
enum client { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONSTANT, CLIENT_BYPASS_L1, CLIENT_L1, CLIENTS };

/* Inlined where results are written, because most instructions need only this. */
__attribute__((always_inline)) static inline void complete(struct sm *sm, struct op *op)
{
	struct sm_warp *warp = &sm->warp[op->warp];
	invariant(!op->accesses && !op->unanswered && !op->bank_cycles);
	scoreboard_release(&warp->scoreboard, &sm->scoreboards, op->inst);
	scheduler_results_written(sm, warp, op->inst);
	op_free(&sm->ops, op);
	warp_instruction_completed(sm, warp);
}

void instruction_complete(struct sm *sm, struct op *op)
{
	if (sm->profile && op->space != PTX_REG && op->inst->kind != SIMT_STORE)
		profile_completed(sm->profile, op, sm->cycle);
	complete(sm, op);
}

void instruction_answered(struct sm *sm, struct op *op)
{
	if (UNLIKELY(op->bank_cycles))
		async_copy_answered(sm, op);
	else
		instruction_complete(sm, op);
}

void access_answered(struct sm *sm, struct op *op, uint32_t level)
{
	invariant(op->unanswered > op->accesses); /* an access that has been made */
	if (op->level < level)
		op->level = (uint8_t)level;
	if (--op->unanswered == 0) {
		bool from_texture = op->space == PTX_TEX && op->level == LEVEL_L1;
		cpi_resolve(sm, &sm->warp[op->warp], op, from_texture ? (uint32_t)LEVEL_TEXTURE : op->level);
		instruction_answered(sm, op);
	}
}

void write_back_results(struct sm *sm)
{
	struct op *next;
	for (struct op *op = units_take_results(sm); op; op = next) {
		next = op->next;
		invariant(op->space == PTX_REG); /* a profile records no times of arithmetic */
		register_file_write(&sm->registers, register_result_banks(&sm->registers, op));
		complete(sm, op);
	}
}

/* Mask of the clients that have an answer. */
static uint32_t clients_with_answers(const struct sm *sm)
{
	return (uint32_t)shared_has_answer(&sm->shared, sm->cycle) << CLIENT_SHARED |
	       (uint32_t)texture_unit_has_result(&sm->texture) << CLIENT_TEXTURE |
	       (uint32_t)l1_has_constant(&sm->l1) << CLIENT_CONSTANT |
	       (uint32_t)(sm->write_back.bypassing_l1 != NULL) << CLIENT_BYPASS_L1 |
	       (uint32_t)l1_has_data(&sm->l1) << CLIENT_L1;
}

/* Moves a request's data into the write-back register. */
static void take_answer(struct sm *sm, struct request *request)
{
	struct op *op = request->op;
	if (request->kind == REQUEST_L1_FILL) { /* nothing waits for it */
		request_release(sm->requests, request);
		return;
	}
	sm->stats.memory_requests++;
	sm->stats.memory_latency += sm->cycle - request->born;
	sm->write_back.load = op;
	if (op->level < request->level)
		op->level = request->level;
	request_release(sm->requests, request);
}

static void take_shared(struct sm *sm)
{
	struct op *op = sm->write_back.load = shared_take_answer(&sm->shared);
	if (UNLIKELY(sm->config.shared_atomics_hold) && op->inst->kind == SIMT_ATOMIC)
		warp_atomic_answered(sm, &sm->warp[op->warp]);
}

static void take_past_l1(struct sm *sm)
{
	struct request *request = sm->write_back.bypassing_l1;
	sm->write_back.bypassing_l1 = NULL;
	if (request->kind == REQUEST_ATOMIC)
		warp_atomic_answered(sm, &sm->warp[request->warp]);
	take_answer(sm, request);
}

/* Takes the next answer of a client, which must have one. */
static void grant(struct sm *sm, enum client client)
{
	switch (client) {
	case CLIENT_SHARED:
		take_shared(sm);
		break;
	case CLIENT_TEXTURE:
		sm->write_back.load = texture_unit_take_result(&sm->texture);
		break;
	case CLIENT_CONSTANT:
		take_answer(sm, l1_take_constant(&sm->l1));
		break;
	case CLIENT_BYPASS_L1:
		take_past_l1(sm);
		break;
	default:
		take_answer(sm, l1_take_data(&sm->l1));
	}
}

/* Serves the first client that has an answer, starting after the last served one. */
static void arbitrate(struct sm *sm)
{
	struct write_back *write_back = &sm->write_back;
	invariant(!write_back->load);
	uint32_t clients = clients_with_answers(sm);
	if (!clients)
		return;
	uint32_t in_turn = clients >> write_back->turn | clients << (CLIENTS - write_back->turn);
	uint32_t client = (write_back->turn + (uint32_t)__builtin_ctz(in_turn)) % CLIENTS;
	grant(sm, client);
	write_back->turn = (client + 1) % CLIENTS;
}

void write_back_loads(struct sm *sm)
{
	struct op *op = sm->write_back.load;
	if (op) {
		uint32_t banks = register_result_banks(&sm->registers, op);
		if (!register_file_takes(&sm->registers, banks))
			return;
		register_file_write(&sm->registers, banks);
		sm->write_back.load = NULL;
		access_answered(sm, op, op->space == PTX_SHARED ? (uint32_t)LEVEL_SHARED : op->level);
	}
	arbitrate(sm);
}

uint64_t write_back_next_load(const struct sm *sm)
{
	const struct write_back *write_back = &sm->write_back;
	if (write_back->load || write_back->bypassing_l1 || l1_has_data(&sm->l1) || l1_has_constant(&sm->l1))
		return sm->cycle + 1;
	return shared_next_answer(&sm->shared, sm->cycle);
}
