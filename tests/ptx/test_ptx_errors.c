/* Protects the PTX parser on invalid input: each error names its position, shows the line with a caret, and says what
 * was expected. */
#include "ptx/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"

/* Returns the parser's messages about a text; the caller frees them. */
static char *messages(const char *text, uint32_t *errors)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("e.ptx", text, strlen(text), &diag);
	assert_null(module);
	*errors = diag.errors;
	return diag.text;
}

/* Checks that this text has exactly this one message. */
static void check_text(const char *text, const char *expected)
{
	uint32_t errors;
	char *said = messages(text, &errors);
	assert_string_equal(said, expected);
	assert_int_equal(errors, 1);
	free(said);
}

/* A kernel whose line 13 is `line`; the message must be "e.ptx:13:COLUMN: error: MESSAGE" with line and caret. */
static void check_line(const char *line, uint32_t column, const char *message)
{
	char text[2048], expected[1024];
	snprintf(text, sizeof text,
	         HEAD
	         ".global .u32 word;\n.func (.param .b32 r) f(.param .b32 a);\n.visible .entry k(.param .u64 p)\n{\n"
	         ".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n.reg .f32 %%f<8>;\n.reg .b16 %%h<4>;\n"
	         "%s\nret;\n}\n",
	         line);
	snprintf(expected, sizeof expected, "e.ptx:13:%u: error: %s\n  13 | %s\n     | %*s^\n", column, message, line,
	         (int)column - 1, "");
	check_text(text, expected);
}

/* Protects the words and the position of messages about instructions. */
static void test_instructions(void **state)
{
	(void)state;
	check_line("fmaa.rn.f32 %f1, %f2, %f3, %f4;", 1, "unknown opcode 'fmaa'; expected 'fma'?");
	check_line("frobnicate %r1;", 1, "unknown opcode 'frobnicate'; expected an instruction");
	check_line("add.rnn.f32 %f1, %f2, %f3;", 4, "unknown suffix '.rnn' of 'add'; expected '.rn'?");
	check_line("and.f32 %f1, %f2, %f3;", 4, "unsuitable type '.f32' of 'and'; expected '.b32'?");
	check_line("ret.u32;", 4, "superfluous type '.u32' of 'ret'; expected a type or modifier of this instruction");
	check_line("add.u32.u32 %r1, %r2, %r3;", 8, "too many types for 'add'; expected 1");
	check_line("add.rn.rz.f32 %f1, %f2, %f3;", 7, "'.rz' after a suffix that excludes it; expected one of them");
	check_line("mul.s32 %r1, %r2, %r3;", 1, "there is no 'mul.s32'; expected 'mul(.lo|.hi|.wide).s32'");
	check_line("setp.s32 %p1, %r1, %r2;", 1,
	           "there is no 'setp.s32'; expected 'setp(.eq|.ne|.lt|.le|.gt|.ge).s32'");
	check_line("fma.f32 %f1, %f2, %f3, %f4;", 1,
	           "there is no 'fma.f32'; expected 'fma(.rn|.rz|.rm|.rp){.ftz}{.sat}.f32'");
	check_line("div.f32 %f1, %f2, %f3;", 1,
	           "there is no 'div.f32'; expected 'div(.rn|.rz|.rm|.rp|.approx|.full){.ftz}.f32'");
	check_line("cvt.f32 %f1, %r1;", 1, "'cvt' with one type; expected two");
	check_line("add.ftz.s32 %r1, %r2, %r3;", 4, "there is no 'add.ftz.s32'; expected 'add.s32'");
	check_line("mul.wide.u64 %rd1, %rd2, %rd3;", 9,
	           "there is no 'mul.wide.u64'; expected 'mul(.lo|.hi|.wide)(.u16|.u32|.s16|.s32)'");
	check_line("mul24.wide.u32 %r1, %r2, %r3;", 6, "there is no 'mul24.wide.u32'; expected 'mul24(.lo|.hi).u32'");
	check_line("shl [%rd1], %r1;", 1, "there is no 'shl'; expected 'shl(.b16|.b32|.b64)'");
}

/* Protects the words and the position of messages about operands. */
static void test_operands(void **state)
{
	(void)state;
	check_line("add.s32 %r1, %f2, %r3;", 14,
	           "%f2 is a .f32 register; expected a .s32 register or constant as operand 2 of 'add'");
	check_line("add.s32 %r1, %rd2, %r3;", 14,
	           "%rd2 is a .b64 register; expected a .s32 register or constant as operand 2 of 'add'");
	check_line("add.s32 %r1, %r2;", 17,
	           "'add' ends after 2 operands; expected a .s32 register or constant as operand 3");
	check_line("add.s32 %r1, %r2, %r3, %r4;", 24, "too many operands for 'add'; expected 3");
	check_line("add.s32 5, %r2, 1;", 9, "5 is an integer; expected a .s32 register as operand 1 of 'add'");
	check_line("add.s32 %r1, %r2, %r99;", 19, "unknown name '%r99'; expected a declared register or symbol");
	check_line("add.s32 %r1, %r2, 4294967296;", 19,
	           "4294967296 is too large; expected a .s32 register or constant as operand 3 of 'add'");
	check_line("add.f32 %f1, %f2, 1;", 19,
	           "1 is an integer; expected a .f32 register or constant as operand 3 of 'add'");
	check_line("selp.b32 %r1, 1, 0, %r2;", 21,
	           "%r2 is a .b32 register; expected a predicate register as operand 4 of 'selp'");
	check_line("ld.global.u32 %r1, %rd1;", 20,
	           "%rd1 is a .b64 register; expected an address in .global such as [%rd1+4] as operand 2 of 'ld'");
	check_line(
		"ld.shared.u32 %r1, [word];", 20,
		"'word' is a .global variable; expected an address in .shared such as [%rd1+4] as operand 2 of 'ld'");
	check_line("ld.u32 %r1, [%f1];", 13,
	           "[%f1] is an address in a .f32 register; expected an address such as [%rd1+4] as operand 2 of 'ld'");
	check_line("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", 18,
	           "this is a vector of 3 elements; expected a vector of 2 .u32 registers as operand 1 of 'ld'");
	check_line("mov.u32 %r1, %tid.w;", 18, "unexpected '.w'; expected '.x', '.y' or '.z'");
	check_line("mov.u16 %h1, word;", 14,
	           "'word' is a .global variable; expected a .u16 register or constant as operand 2 of 'mov'");
	check_line("not.b32 %r1, !%r2;", 14,
	           "!%r2 is a negated .b32 register; expected a .b32 register or constant as operand 2 of 'not'");
	check_line("mov.f32 %f1, 0f3F8000;", 14, "6 hexadecimal digits after '0f'; expected 8");
	check_line("mov.u32 %r1, 08;", 14, "a number with a bad digit; expected a number of base 8");
	check_line("mov.u64 %rd1, 1 / 0;", 17, "division by zero; expected another divisor");
}

/* Protects the words and the position of messages about control flow and statements. */
static void test_statements(void **state)
{
	(void)state;
	check_line("bra nowhere;", 5, "unknown label 'nowhere'; expected a label of this function");
	check_line("{ inner: } bra inner;", 16, "unknown label 'inner'; expected a label of this function");
	check_line("@%r1 bra x; x:", 2, "%r1 is a .b32 register; expected a predicate register");
	check_line("@%q bra x; x:", 2, "unknown register '%q'; expected a declared predicate register");
	check_line(".reg .b32 %r1;", 11, "'%r1' is declared twice, first in line 9; expected another name");
	check_line("x: x:", 4, "'x' is declared twice, first in line 13; expected another name");
	check_line("add.s32 %r1, %r2, 1", 20, "the statement has no end; expected ';'");
	check_line("add.s32 %r1 %r2, %r3;", 13, "unexpected '%r2'; expected ',' or ';'");
	check_line("call undeclared, (%r1);", 6, "unknown name 'undeclared'; expected a declared register or symbol");
	check_line("call (%r1), f, (%r1, %r2);", 1, "a call with 2 arguments; expected 1");
	check_line("call %rd1, (%r1);", 6, "an indirect call without a prototype; expected one after the arguments");
	check_line(".bogus .b32 x;", 1, "unexpected '.bogus'; expected an instruction or a declaration");
	check_line(".shared .pred x;", 9, "a variable of type .pred; expected a type that memory can hold");
	check_line(".shared .align 3 .b8 x;", 16, "alignment 3; expected a power of two");
}

/* Protects messages outside functions. */
static void test_module(void **state)
{
	(void)state;
	check_text("", "e.ptx:1:1: error: unexpected end of the file; expected '.version' at the start of the module\n"
	               "  1 | \n    | ^\n");
	check_text(HEAD ".global .u8 many[2] = {1, 2, 3};\n",
	           "e.ptx:4:30: error: too many values; expected at most 2 in these braces\n"
	           "  4 | .global .u8 many[2] = {1, 2, 3};\n    |                              ^\n");
	check_text(HEAD ".gobal .u32 x;\n.global .u32 y;\n",
	           "e.ptx:4:1: error: unexpected '.gobal'; expected a directive, a variable or a function\n"
	           "  4 | .gobal .u32 x;\n    | ^\n");
	check_text(HEAD ".global .u64 x = y;\n",
	           "e.ptx:4:18: error: unknown symbol 'y'; expected a variable or function declared before\n"
	           "  4 | .global .u64 x = y;\n    |                  ^\n");
	check_text(HEAD ".entry k()\n{\n\tret;\n",
	           "e.ptx:7:1: error: unexpected end of the file; expected '}'\n  7 | \n    | ^\n");
	check_text(HEAD "/* no end\n", "e.ptx:4:1: error: a comment without end; expected '*/'\n"
	                               "  4 | /* no end\n    | ^\n");
	check_text(".version 6.0\n.target sm_70\n.address_size 48\n",
	           "e.ptx:3:15: error: address size 48; expected 32 or 64\n"
	           "  3 | .address_size 48\n    |               ^\n");
}

/* Protects the parser's recovery: after an error it finds the other errors, and only those. */
static void test_several(void **state)
{
	(void)state;
	uint32_t errors;
	char *said = messages(HEAD ".entry a()\n{\n.reg .b32 %r<4>;\nfoo %r1;\nadd.s32 %r1, %r2, %r3;\n"
	                           "add.s32 %r1, {%r2, %r3};\nbra x;\n}\n.entry b()\n{\nmov.u32 %r1, 0;\nret;\n}\n",
	                      &errors);
	assert_int_equal(errors, 4);
	assert_non_null(strstr(said, "e.ptx:7:1:"));
	assert_non_null(strstr(said, "e.ptx:9:14:"));
	assert_non_null(strstr(said, "e.ptx:10:5:"));
	assert_non_null(strstr(said, "e.ptx:14:9:")); /* the registers of one kernel are not visible in the other */
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_operands), cmocka_unit_test(test_statements),
		cmocka_unit_test(test_module),       cmocka_unit_test(test_several),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
