/* convert: converts libclang's expressions and statements into nodes. */
#include "cuda_source/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct node *tree_node(struct builder *builder, CXCursor cursor, enum node_kind kind)
{
	struct node *node = arena_alloc(builder->tree->arena, sizeof *node);
	node->kind = kind;
	if (clang_isExpression(clang_getCursorKind(cursor)))
		tree_type(builder, clang_getCursorType(cursor), &node->type);
	uint32_t begin, end;
	tree_extent(cursor, &begin, &end);
	if (end > builder->length || begin > end)
		begin = end = 0;
	node->text = builder->text + begin;
	node->length = end - begin;
	CXString file;
	unsigned line, column;
	clang_getPresumedLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), &file, &line, &column);
	node->file = tree_string(builder, file);
	node->line = line;
	node->column = column;
	return node;
}

void tree_adopt(struct builder *builder, struct node *parent, struct node *child)
{
	struct node **grown = arena_array(builder->tree->arena, parent->count + 1, sizeof *grown);
	if (parent->count)
		memcpy(grown, parent->children, parent->count * sizeof *grown);
	grown[parent->count++] = child;
	parent->children = grown;
}

/* Reads the operator between two positions of the text. A preprocessor line marker may be between them too. */
static void read_operator(const char *from, const char *to, char *op)
{
	static const struct {
		const char *word, *op;
	} words[] = {
		{"and", "&&"},    {"or", "||"},     {"bitand", "&"}, {"bitor", "|"},   {"xor", "^"},
		{"not_eq", "!="}, {"and_eq", "&="}, {"or_eq", "|="}, {"xor_eq", "^="},
	};
	uint32_t count = 0;
	for (; from < to && count < 3; from++) {
		if (!count && isalpha((unsigned char)*from)) { /* some operators have names */
			size_t length = strspn(from, "abcdefghijklmnopqrstuvwxyz_");
			for (size_t i = 0; i < sizeof words / sizeof *words; i++)
				if (strlen(words[i].word) == length && strncmp(from, words[i].word, length) == 0)
					count = (uint32_t)strlen(strcpy(op, words[i].op));
			break;
		}
		if (*from == '#') {
			from = memchr(from, '\n', (size_t)(to - from));
			if (!from)
				break;
		} else if (ispunct((unsigned char)*from) && *from != '(' && *from != ')') {
			op[count++] = *from;
		} else if (count) {
			break;
		}
	}
	op[count] = '\0';
}

/* Computes the value of a constant expression. */
static bool evaluate(CXCursor cursor, int64_t *value)
{
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	if (!result)
		return false;
	bool whole = clang_EvalResult_getKind(result) == CXEval_Int;
	if (whole)
		*value = clang_EvalResult_getAsLongLong(result);
	clang_EvalResult_dispose(result);
	return whole;
}

static bool is_code(CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	return clang_isExpression(kind) || clang_isStatement(kind);
}

static void adopt_expressions(struct builder *builder, struct node *node, CXCursor cursor)
{
	struct cursors children = tree_children(cursor);
	for (uint32_t i = 0; i < children.count; i++)
		if (is_code(children.list[i]))
			tree_adopt(builder, node, tree_expression(builder, children.list[i]));
	free(children.list);
}

static struct node *constant(struct node *node, int64_t value)
{
	node->kind = NODE_CONSTANT;
	node->value = value;
	return node;
}

static struct node *reference(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_OTHER);
	CXCursor target = clang_getCursorReferenced(cursor);
	enum CXCursorKind kind = clang_getCursorKind(target);
	int64_t value;
	if (clang_Cursor_isNull(target) && evaluate(cursor, &value)) /* a template argument, in an instantiation */
		return constant(node, value);
	node->name = tree_string(builder, clang_getCursorSpelling(target));
	if (kind == CXCursor_EnumConstantDecl)
		return constant(node, clang_getEnumConstantDeclValue(target));
	if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_NonTypeTemplateParameter)
		return node;
	node->kind = NODE_VARIABLE;
	node->decl = tree_decl(builder, target);
	bool depends = (builder->in_template && node->decl->kind != DECL_GLOBAL) ||
	               !clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(target)));
	if (kind == CXCursor_VarDecl && !depends && node->type.kind == TYPE_INTEGER && evaluate(cursor, &value))
		return constant(node, value);
	return node;
}

static struct node *member(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_MEMBER);
	CXCursor target = clang_getCursorReferenced(cursor);
	node->name = tree_string(builder, clang_getCursorSpelling(cursor));
	node->value = -1;
	if (clang_getCursorKind(target) == CXCursor_FieldDecl && !builder->in_template) {
		long long bits = clang_Cursor_getOffsetOfField(target);
		node->value = bits >= 0 && bits % 8 == 0 ? bits / 8 : -1;
	}
	bool bit_field = clang_getCursorKind(target) == CXCursor_FieldDecl && clang_Cursor_isBitField(target);
	CXType held = clang_getCanonicalType(clang_getCursorType(target));
	bool reference = held.kind == CXType_LValueReference || held.kind == CXType_RValueReference;
	if (bit_field || reference || clang_CXXField_isMutable(target)) {
		node->op[0] = reference ? 'r' : 's';
		node->value = -1;
	}
	adopt_expressions(builder, node, cursor);
	if (node->count != 1)
		node->kind = NODE_OTHER;
	return node;
}

static struct node *operation(struct builder *builder, CXCursor cursor, enum node_kind kind)
{
	struct node *node = tree_node(builder, cursor, kind);
	adopt_expressions(builder, node, cursor);
	if (node->count != (kind == NODE_UNARY ? 1 : 2)) {
		node->kind = NODE_OTHER;
		return node;
	}
	const struct node *first = node->children[0], *last = node->children[node->count - 1];
	if (kind == NODE_UNARY && first->text > node->text) {
		read_operator(node->text, first->text, node->op);
	} else if (kind == NODE_UNARY) {
		node->op[0] = 'p';
		read_operator(first->text + first->length, node->text + node->length, node->op + 1);
	} else {
		read_operator(first->text + first->length, last->text, node->op);
	}
	if (strcmp(node->op, "=") == 0)
		node->kind = NODE_ASSIGN;
	if (kind == NODE_ASSIGN) /* "+=" is '+' */
		node->op[strlen(node->op) - (node->op[0] != '\0')] = '\0';
	else if (node->kind == NODE_ASSIGN)
		node->op[0] = '\0';
	tree_expose_operand(node);
	return node;
}

/* Returns the function that a call refers to. In a template's body, a name with a single meaning is resolved. */
static CXCursor called(CXCursor call)
{
	CXCursor target = clang_getCursorReferenced(call);
	if (clang_Cursor_isNull(target) || clang_getCursorKind(target) == CXCursor_InvalidFile) {
		struct cursors children = tree_children(call);
		if (children.count)
			target = clang_getCursorReferenced(children.list[0]);
		free(children.list);
	}
	if (clang_getCursorKind(target) == CXCursor_OverloadedDeclRef && clang_getNumOverloadedDecls(target) == 1)
		target = clang_getOverloadedDecl(target, 0);
	return target;
}

/* Marks arguments that a function may write: those taken by a non-const reference, or all if the function is
 * unknown. */
static void note_references(struct node *node, CXCursor target, uint32_t first, bool known)
{
	CXType type = clang_getCursorType(target);
	for (uint32_t i = first; i < node->count; i++) {
		CXType argument = clang_getCanonicalType(clang_getArgType(type, i - first));
		bool reference = argument.kind == CXType_LValueReference || argument.kind == CXType_RValueReference;
		bool constant = reference && clang_isConstQualifiedType(clang_getPointeeType(argument));
		if (known && argument.kind != CXType_Invalid && (!reference || constant))
			continue;
		tree_expose(node->children[i]);
		if (i < 32)
			node->references |= 1u << i;
	}
}

/* Adds the object of "object.method(...)", which is not among the arguments. */
static void adopt_object(struct builder *builder, struct node *node, CXCursor cursor)
{
	struct cursors children = tree_children(cursor);
	if (children.count && clang_getCursorKind(children.list[0]) == CXCursor_MemberRefExpr) {
		struct node *callee = tree_node(builder, children.list[0], NODE_OTHER);
		adopt_expressions(builder, callee, children.list[0]);
		if (callee->count == 1)
			tree_adopt(builder, node, callee->children[0]);
	}
	free(children.list);
}

/* A compiler-generated constructor has no body in the program: its location is that of its class. */
static bool is_written(CXCursor constructor)
{
	return !clang_CXXMethod_isDefaulted(constructor) &&
	       !clang_equalLocations(clang_getCursorLocation(constructor),
	                             clang_getCursorLocation(clang_getCursorSemanticParent(constructor)));
}

/* A structure copied from another one unchanged. libclang does not know a lambda's constructor. */
static bool is_copy(const struct node *node, CXCursor constructor, bool known)
{
	const struct node *from = node->children[0];
	bool same = node->type.kind == TYPE_RECORD && from->type.kind == TYPE_RECORD &&
	            strcmp(node->type.name, from->type.name) == 0;
	if (!known)
		return same && from->text == node->text && from->length == node->length;
	return same && !is_written(constructor) &&
	       (clang_CXXConstructor_isCopyConstructor(constructor) ||
	        clang_CXXConstructor_isMoveConstructor(constructor));
}

static struct node *call(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_CALL);
	CXCursor target = called(cursor);
	enum CXCursorKind kind = clang_getCursorKind(target);
	int arguments = clang_Cursor_getNumArguments(cursor);
	bool method = (kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(target)) ||
	              kind == CXCursor_ConversionFunction;
	if (method && arguments == clang_Cursor_getNumArguments(target))
		adopt_object(builder, node, cursor);
	for (int i = 0; i < arguments; i++)
		tree_adopt(builder, node, tree_expression(builder, clang_Cursor_getArgument(cursor, (unsigned)i)));
	bool function = kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate || method ||
	                kind == CXCursor_CXXMethod;
	bool known = function || kind == CXCursor_Constructor;
	uint32_t first = method && (int)node->count > clang_Cursor_getNumArguments(target);
	note_references(node, target, first, known);
	if (node->count == 1 && is_copy(node, target, known)) {
		node->kind = NODE_CONSTRUCT; /* a copy */
		return node;
	}
	if (!function) {
		for (uint32_t i = 0; i < node->count; i++) /* members may be references */
			tree_expose(node->children[i]);
		return node;
	}
	node->name = tree_string(builder, clang_getCursorSpelling(target));
	if (first && !clang_CXXMethod_isConst(target)) {
		node->references |= 1;
		tree_expose(node->children[0]);
	}
	CXCursor definition = clang_getCursorDefinition(target);
	if (clang_Cursor_isNull(definition)) /* a template that is not instantiated yet */
		definition = clang_getCursorDefinition(clang_getSpecializedCursorTemplate(target));
	if (!clang_Cursor_isNull(definition) && !clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
		node->callee = tree_function(builder, definition);
	if (method && node->count == 2 && strcmp(node->name, "operator=") == 0 && clang_CXXMethod_isDefaulted(target))
		node->kind = NODE_ASSIGN; /* the compiler-generated assignment of a structure */
	return node;
}

/* Returns a node with one child, the cursor's last one: casts also have a child that names their type. */
static struct node *around(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_CAST);
	adopt_expressions(builder, node, cursor);
	if (node->count != 1)
		node->kind = NODE_OTHER;
	return node;
}

/* An explicit cast. A cast to a reference names the same place. */
static struct node *written_cast(struct builder *builder, CXCursor cursor)
{
	struct node *node = around(builder, cursor);
	if (node->kind != NODE_CAST)
		return node;
	ptrdiff_t before = node->children[0]->text - node->text;
	node->op[0] = before > 0 && memchr(node->text, '&', (size_t)before) ? 'r' : 'x';
	if (node->op[0] == 'r')
		tree_expose(node->children[0]);
	return node;
}

/* Values in braces. If they form a structure, its members may be references to them. */
static struct node *braces(struct builder *builder, CXCursor cursor)
{
	struct node *node = around(builder, cursor);
	if (node->type.kind == TYPE_INTEGER || node->type.kind == TYPE_POINTER)
		return node;
	for (uint32_t i = 0; i < node->count; i++)
		tree_expose(node->children[i]);
	node->kind = NODE_OTHER;
	return node;
}

static bool is_among(struct node *const *nodes, uint32_t count, const struct decl *decl)
{
	for (uint32_t i = 0; i < count; i++)
		if (nodes[i]->decl == decl)
			return true;
	return false;
}

/* The variables that a lambda captures: all that it names. This includes its own variables, which is harmless. */
static void adopt_captures(struct builder *builder, struct node *lambda, struct node *node)
{
	if (node->kind == NODE_VARIABLE && node->decl->kind != DECL_GLOBAL && node->decl->kind != DECL_TEMPLATE &&
	    !is_among(lambda->children, lambda->count, node->decl))
		tree_adopt(builder, lambda, node);
	for (uint32_t i = 0; i < node->count; i++)
		adopt_captures(builder, lambda, node->children[i]);
}

static struct node *lambda(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_LAMBDA);
	node->callee = tree_function(builder, cursor);
	if (!node->callee->body) {
		node->kind = NODE_LOST;
		return node;
	}
	ptrdiff_t head = node->callee->body->text - node->text;
	const char *close = memchr(node->text, ']', node->length);
	bool copies = !close || !memchr(node->text, '&', (size_t)(close - node->text));
	adopt_captures(builder, node, node->callee->body);
	for (uint32_t i = 0; i < node->count && !copies; i++)
		tree_expose(node->children[i]);
	if (head > 0 && memmem(node->text, (size_t)head, "mutable", strlen("mutable")))
		node->op[0] = 'm';
	return node;
}

static struct node *with_children(struct builder *builder, CXCursor cursor, enum node_kind kind);

/* One case per kind of expression. */
struct node *tree_expression(struct builder *builder, CXCursor cursor)
{
	struct node *node;
	int64_t value;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
		node = tree_node(builder, cursor, NODE_OTHER);
		return evaluate(cursor, &value) ? constant(node, value) : node;
	case CXCursor_UnaryExpr: /* sizeof */
		node = tree_node(builder, cursor, NODE_OTHER);
		return !builder->in_template && evaluate(cursor, &value) ? constant(node, value) : node;
	case CXCursor_DeclRefExpr:
		return reference(builder, cursor);
	case CXCursor_MemberRefExpr:
		return member(builder, cursor);
	case CXCursor_ArraySubscriptExpr:
		node = tree_node(builder, cursor, NODE_SUBSCRIPT);
		adopt_expressions(builder, node, cursor);
		node->kind = node->count == 2 ? NODE_SUBSCRIPT : NODE_OTHER;
		return node;
	case CXCursor_BinaryOperator:
		return operation(builder, cursor, NODE_BINARY);
	case CXCursor_CompoundAssignOperator:
		return operation(builder, cursor, NODE_ASSIGN);
	case CXCursor_UnaryOperator:
		return operation(builder, cursor, NODE_UNARY);
	case CXCursor_ConditionalOperator:
		node = tree_node(builder, cursor, NODE_CHOICE);
		adopt_expressions(builder, node, cursor);
		node->kind = node->count == 3 ? NODE_CHOICE : NODE_OTHER;
		return node;
	case CXCursor_CallExpr:
		return call(builder, cursor);
	case CXCursor_LambdaExpr:
		return lambda(builder, cursor);
	case CXCursor_UnexposedExpr:
	case CXCursor_ParenExpr:
		return around(builder, cursor);
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXReinterpretCastExpr:
	case CXCursor_CXXConstCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		return written_cast(builder, cursor);
	case CXCursor_InitListExpr:
		return braces(builder, cursor);
	case CXCursor_GotoStmt:
	case CXCursor_IndirectGotoStmt:
	case CXCursor_CXXForRangeStmt:
	case CXCursor_CXXTryStmt:
	case CXCursor_StmtExpr:
		return with_children(builder, cursor, NODE_LOST);
	case CXCursor_GCCAsmStmt:
		node = tree_node(builder, cursor, NODE_ASSEMBLY);
		adopt_expressions(builder, node, cursor);
		return node;
	default:
		node = tree_node(builder, cursor, NODE_OTHER);
		adopt_expressions(builder, node, cursor);
		return node;
	}
}

static struct node *declaration(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_DECLARE);
	node->decl = tree_decl(builder, cursor);
	struct cursors children = tree_children(cursor);
	CXCursor start = clang_Cursor_getVarDeclInitializer(cursor);
	for (uint32_t i = 0; i < children.count; i++)
		if (clang_getCursorKind(children.list[i]) == CXCursor_CUDASharedAttr)
			node->decl->kind = DECL_GLOBAL;
	if (!clang_Cursor_isNull(start) && is_code(start))
		tree_adopt(builder, node, tree_expression(builder, start));
	if (node->count && node->decl->type.reference)
		tree_expose(node->children[0]);
	free(children.list);
	return node;
}

/* A declaration that binds several names. */
static struct node *binding(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_OTHER);
	adopt_expressions(builder, node, cursor);
	for (uint32_t i = 0; i < node->count; i++)
		tree_expose(node->children[i]);
	return node;
}

/* Finds the offsets of a for's two semicolons and of its closing parenthesis. */
static void find_header(const struct builder *builder, uint32_t begin, uint32_t end, uint32_t stops[3])
{
	uint32_t found = 0;
	int depth = 0;
	for (uint32_t i = begin; i < end && found < 3; i++) {
		char c = builder->text[i];
		bool separates = c == '\'' && i && isalnum((unsigned char)builder->text[i - 1]); /* 1'000 */
		if ((c == '"' || c == '\'') && !separates) {                                     /* skip to its end */
			for (i++; i < end && builder->text[i] != c; i++)
				i += builder->text[i] == '\\';
			continue;
		}
		if (c == '#' && i && builder->text[i - 1] == '\n') { /* a line marker */
			while (i < end && builder->text[i] != '\n')
				i++;
			continue;
		}
		if (c == '(' || c == '[' || c == '{')
			depth++;
		if (c == ')' || c == ']' || c == '}')
			depth--;
		if ((c == ';' && depth == 1) || (c == ')' && depth == 0))
			stops[found++] = i;
	}
	while (found < 3)
		stops[found++] = end;
}

static struct node *for_statement(struct builder *builder, CXCursor cursor)
{
	struct node *node = tree_node(builder, cursor, NODE_FOR);
	uint32_t begin, end, stops[3];
	tree_extent(cursor, &begin, &end);
	find_header(builder, begin, end, stops);
	struct node *parts[4];
	for (int i = 0; i < 4; i++)
		parts[i] = tree_node(builder, cursor, NODE_NOTHING);
	struct cursors children = tree_children(cursor);
	for (uint32_t i = 0; i < children.count; i++) {
		uint32_t at;
		tree_extent(children.list[i], &at, &end);
		int part = at < stops[0] ? 0 : at < stops[1] ? 1 : at < stops[2] ? 2 : 3;
		struct node *statement = tree_statement(builder, children.list[i]);
		if (parts[part]->kind == NODE_NOTHING) {
			parts[part] = statement;
			continue;
		}
		struct node *both = tree_node(builder, cursor, NODE_BLOCK); /* a variable, and its test */
		tree_adopt(builder, both, parts[part]);
		tree_adopt(builder, both, statement);
		parts[part] = both;
	}
	free(children.list);
	for (int i = 0; i < 4; i++)
		tree_adopt(builder, node, parts[i]);
	return node;
}

/* "if (statements; condition)" */
static struct node *if_statement(struct builder *builder, CXCursor cursor)
{
	struct node *node = with_children(builder, cursor, NODE_IF);
	uint32_t begin, end, stops[3];
	tree_extent(cursor, &begin, &end);
	find_header(builder, begin, end, stops);
	/* the closing parenthesis is the second stop when a statement ends before it */
	uint32_t close = stops[0];
	for (int i = 1; i < 3 && close < end && builder->text[close] == ';'; i++)
		close = stops[i];
	for (uint32_t i = 0; i < node->count; i++)
		node->value += node->children[i]->text < builder->text + close;
	node->value -= node->value > 0;
	return node;
}

static struct node *with_children(struct builder *builder, CXCursor cursor, enum node_kind kind)
{
	struct node *node = tree_node(builder, cursor, kind);
	struct cursors children = tree_children(cursor);
	for (uint32_t i = 0; i < children.count; i++)
		if (is_code(children.list[i]) || clang_getCursorKind(children.list[i]) == CXCursor_VarDecl)
			tree_adopt(builder, node, tree_statement(builder, children.list[i]));
		else if (clang_getCursorKind(cursor) == CXCursor_DeclStmt &&
		         clang_getCursorKind(children.list[i]) == CXCursor_UnexposedDecl)
			tree_adopt(builder, node, binding(builder, children.list[i]));
	free(children.list);
	return node;
}

struct node *tree_statement(struct builder *builder, CXCursor cursor)
{
	struct node *node;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_CompoundStmt:
	case CXCursor_DeclStmt:
	case CXCursor_UnexposedStmt:
	case CXCursor_LabelStmt:
		return with_children(builder, cursor, NODE_BLOCK);
	case CXCursor_VarDecl:
		return declaration(builder, cursor);
	case CXCursor_IfStmt:
		return if_statement(builder, cursor);
	case CXCursor_ForStmt:
		return for_statement(builder, cursor);
	case CXCursor_WhileStmt:
		return with_children(builder, cursor, NODE_WHILE);
	case CXCursor_DoStmt:
		return with_children(builder, cursor, NODE_DO);
	case CXCursor_SwitchStmt:
		return with_children(builder, cursor, NODE_SWITCH);
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		node = with_children(builder, cursor, NODE_CASE);
		node->op[0] = clang_getCursorKind(cursor) == CXCursor_DefaultStmt ? 'd' : 'c';
		return node;
	case CXCursor_BreakStmt:
		return tree_node(builder, cursor, NODE_BREAK);
	case CXCursor_ContinueStmt:
		return tree_node(builder, cursor, NODE_CONTINUE);
	case CXCursor_ReturnStmt:
		node = with_children(builder, cursor, NODE_RETURN);
		for (uint32_t i = 0; i < node->count && builder->returns_reference; i++)
			tree_expose(node->children[i]);
		return node;
	default:
		return tree_expression(builder, cursor);
	}
}
