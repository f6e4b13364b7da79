/* tree: extracts kernels, their functions, variables and types from a parsed file. */
#include "cuda_source/tree.h"

#include <stdlib.h>
#include <string.h>

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct cursors *cursors = data;
	(void)parent;
	if (cursors->count == cursors->capacity) {
		cursors->capacity = cursors->capacity ? 2 * cursors->capacity : 8;
		cursors->list = base_realloc(cursors->list, cursors->capacity * sizeof *cursors->list);
	}
	cursors->list[cursors->count++] = cursor;
	return CXChildVisit_Continue;
}

struct cursors tree_children(CXCursor cursor)
{
	struct cursors cursors = {0};
	clang_visitChildren(cursor, gather, &cursors);
	return cursors;
}

char *tree_string(struct builder *builder, CXString string)
{
	const char *text = clang_getCString(string);
	char *copy = arena_string(builder->tree->arena, text ? text : "", text ? strlen(text) : 0);
	clang_disposeString(string);
	return copy;
}

void tree_extent(CXCursor cursor, uint32_t *begin, uint32_t *end)
{
	CXSourceRange range = clang_getCursorExtent(cursor);
	clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, begin);
	clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, end);
}

/* Only for types that certainly have a size: libclang 14 crashes for overloaded and dependent names. */
static int64_t size_of(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);
	bool sized = (canonical.kind >= CXType_Bool && canonical.kind <= CXType_LongDouble) ||
	             canonical.kind == CXType_Pointer || canonical.kind == CXType_Record ||
	             canonical.kind == CXType_Enum || canonical.kind == CXType_ConstantArray ||
	             canonical.kind == CXType_Vector || canonical.kind == CXType_Half;
	long long size = sized ? clang_Type_getSizeOf(type) : 0;
	return size > 0 ? size : 0;
}

static enum type_kind kind_of(CXType canonical)
{
	switch (canonical.kind) {
	case CXType_Void:
		return TYPE_VOID;
	case CXType_Half:
	case CXType_Float:
	case CXType_Double:
	case CXType_LongDouble:
		return TYPE_FLOAT;
	case CXType_Enum:
		return TYPE_INTEGER;
	case CXType_Pointer:
		return TYPE_POINTER;
	case CXType_Record:
		return TYPE_RECORD;
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_DependentSizedArray:
		return TYPE_ARRAY;
	default:
		return canonical.kind >= CXType_Bool && canonical.kind <= CXType_Int128 ? TYPE_INTEGER : TYPE_OTHER;
	}
}

/* Returns the type's name without qualifiers. */
static const char *type_name(struct builder *builder, CXType type)
{
	const char *name = tree_string(builder, clang_getTypeSpelling(type));
	static const char *const qualifiers[] = {"const ", "volatile "};
	for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
		if (strncmp(name, qualifiers[i], strlen(qualifiers[i])) == 0)
			name += strlen(qualifiers[i]);
	return name;
}

void tree_type(struct builder *builder, CXType of, struct type *type)
{
	CXType canonical = clang_getCanonicalType(of);
	*type = (struct type){0};
	if (canonical.kind == CXType_LValueReference || canonical.kind == CXType_RValueReference) {
		CXType target = clang_getPointeeType(of);
		tree_type(builder, target.kind == CXType_Invalid ? clang_getPointeeType(canonical) : target, type);
		type->reference = true;
		return;
	}
	type->kind = kind_of(canonical);
	type->size = size_of(of);
	enum CXTypeKind number = canonical.kind;
	if (number == CXType_Enum)
		number = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(canonical))).kind;
	type->is_unsigned = number >= CXType_Bool && number <= CXType_UInt128;
	type->is_bool = number == CXType_Bool;
	type->is_union = type->kind == TYPE_RECORD &&
	                 clang_getCursorKind(clang_getTypeDeclaration(canonical)) == CXCursor_UnionDecl;
	type->name = type_name(builder, of);
	if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
		return;
	CXType target = type->kind == TYPE_POINTER ? clang_getPointeeType(of) : clang_getArrayElementType(of);
	if (target.kind == CXType_Invalid)
		target = type->kind == TYPE_POINTER ? clang_getPointeeType(canonical)
		                                    : clang_getArrayElementType(canonical);
	type->target = type_name(builder, target);
	type->target_size = size_of(target);
}

static void *find(const struct known *known, uint32_t count, CXCursor cursor)
{
	for (uint32_t i = 0; i < count; i++)
		if (clang_equalCursors(known[i].cursor, cursor))
			return known[i].what;
	return NULL;
}

static void remember(struct known **known, uint32_t *count, uint32_t *capacity, CXCursor cursor, void *what)
{
	if (*count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 64;
		*known = base_realloc(*known, *capacity * sizeof **known);
	}
	(*known)[(*count)++] = (struct known){cursor, what};
}

struct decl *tree_decl(struct builder *builder, CXCursor cursor)
{
	struct decl *decl = find(builder->decls, builder->decl_count, cursor);
	if (decl)
		return decl;
	decl = arena_alloc(builder->tree->arena, sizeof *decl);
	decl->name = tree_string(builder, clang_getCursorSpelling(cursor));
	tree_type(builder, clang_getCursorType(cursor), &decl->type);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(cursor));
	bool inside = parent == CXCursor_FunctionDecl || parent == CXCursor_FunctionTemplate ||
	              parent == CXCursor_CXXMethod || parent == CXCursor_Constructor ||
	              parent == CXCursor_ConversionFunction || parent == CXCursor_Destructor;
	if (kind == CXCursor_NonTypeTemplateParameter)
		decl->kind = DECL_TEMPLATE;
	else if (kind == CXCursor_ParmDecl)
		decl->kind = DECL_PARAMETER;
	else
		decl->kind = inside && clang_Cursor_getStorageClass(cursor) != CX_SC_Static ? DECL_LOCAL : DECL_GLOBAL;
	decl->built_in = decl->kind == DECL_GLOBAL && clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
	remember(&builder->decls, &builder->decl_count, &builder->decl_capacity, cursor, decl);
	return decl;
}

/* Uses presumed locations: lines of the user's file. */
static void locate(struct builder *builder, CXCursor cursor, struct function *function)
{
	CXString name;
	unsigned line;
	clang_getPresumedLocation(clang_getCursorLocation(cursor), &name, &line, NULL);
	function->file = tree_string(builder, name);
	function->line = line;
}

static uint32_t presumed_line(CXSourceLocation location)
{
	CXString name;
	unsigned line;
	clang_getPresumedLocation(location, &name, &line, NULL);
	clang_disposeString(name);
	return line;
}

static void add_parameter(struct builder *builder, struct function *function, CXCursor cursor, uint32_t most)
{
	if (!function->parameters)
		function->parameters = arena_array(builder->tree->arena, most, sizeof(struct decl *));
	function->parameters[function->parameter_count++] = tree_decl(builder, cursor);
}

struct function *tree_function(struct builder *builder, CXCursor definition)
{
	struct function *function = find(builder->functions, builder->function_count, definition);
	if (function)
		return function;
	function = arena_alloc(builder->tree->arena, sizeof *function);
	remember(&builder->functions, &builder->function_count, &builder->function_capacity, definition, function);
	function->name = tree_string(builder, clang_getCursorSpelling(definition));
	locate(builder, definition, function);
	CXType result = clang_getCursorResultType(definition);
	function->returns_reference = result.kind == CXType_LValueReference;
	bool outer = builder->in_template, outer_reference = builder->returns_reference;
	builder->returns_reference = function->returns_reference;
	function->is_template = clang_getCursorKind(definition) == CXCursor_FunctionTemplate;
	CXCursor parent = clang_getCursorSemanticParent(definition);
	const char *type = tree_string(builder, clang_getTypeSpelling(clang_getCursorType(parent)));
	function->is_lambda = clang_getCursorKind(definition) != CXCursor_LambdaExpr && strstr(type, "(lambda at ");
	builder->in_template =
		function->is_template || (outer && clang_getCursorKind(definition) == CXCursor_LambdaExpr);
	struct cursors children = tree_children(definition);
	for (uint32_t i = 0; i < children.count; i++) {
		CXCursor child = children.list[i];
		enum CXCursorKind kind = clang_getCursorKind(child);
		if (kind == CXCursor_ParmDecl) {
			add_parameter(builder, function, child, children.count);
		} else if (kind == CXCursor_CUDAGlobalAttr) {
			function->is_kernel = true;
		} else if (kind == CXCursor_CompoundStmt) {
			CXSourceRange range = clang_getCursorExtent(child);
			function->body_first = presumed_line(clang_getRangeStart(range));
			function->body_last = presumed_line(clang_getRangeEnd(range));
			function->body = tree_statement(builder, child);
		}
	}
	free(children.list);
	builder->in_template = outer;
	builder->returns_reference = outer_reference;
	return function;
}

static bool is_kernel(CXCursor cursor)
{
	struct cursors children = tree_children(cursor);
	bool global = false, body = false;
	for (uint32_t i = 0; i < children.count; i++) {
		global |= clang_getCursorKind(children.list[i]) == CXCursor_CUDAGlobalAttr;
		body |= clang_getCursorKind(children.list[i]) == CXCursor_CompoundStmt;
	}
	free(children.list);
	return global && body;
}

static void add_kernel(struct builder *builder, CXCursor cursor)
{
	struct tree *tree = builder->tree;
	struct function **grown = arena_array(tree->arena, tree->kernel_count + 1, sizeof *grown);
	if (tree->kernel_count)
		memcpy(grown, tree->kernels, tree->kernel_count * sizeof *grown);
	tree->kernels = grown;
	struct function *function = tree_function(builder, cursor);
	struct cursors children = tree_children(cursor);
	for (uint32_t i = 0; i < children.count; i++)
		if (clang_getCursorKind(children.list[i]) == CXCursor_NonTypeTemplateParameter)
			tree_decl(builder, children.list[i])->kernel_parameter = true;
	free(children.list);
	for (uint32_t i = 0; i < function->parameter_count; i++)
		function->parameters[i]->kernel_parameter = true;
	tree->kernels[tree->kernel_count++] = function;
}

static enum CXChildVisitResult look_for_kernels(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
		return CXChildVisit_Continue;
	if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
		return CXChildVisit_Recurse;
	if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) && is_kernel(cursor))
		add_kernel(data, cursor);
	return CXChildVisit_Continue;
}

/* Reports the compiler's errors, at positions in the user's file. */
static bool report(struct builder *builder, const char *file, struct diag *diag)
{
	uint32_t before = diag->errors;
	for (unsigned i = 0; i < clang_getNumDiagnostics(builder->unit); i++) {
		CXDiagnostic message = clang_getDiagnostic(builder->unit, i);
		if (clang_getDiagnosticSeverity(message) >= CXDiagnostic_Error) {
			CXString name;
			unsigned line, column;
			clang_getPresumedLocation(clang_getDiagnosticLocation(message), &name, &line, &column);
			const char *where = tree_string(builder, name);
			source_message(diag, *where ? where : file, (struct diag_place){line, column},
			               tree_string(builder, clang_getDiagnosticSpelling(message)));
		}
		clang_disposeDiagnostic(message);
	}
	return diag->errors == before;
}

static bool parse(struct tree *tree, const char *file, const char *text, size_t length, struct diag *diag)
{
	static const char *const flags[] = {
		"-x",
		"cuda",
		"--cuda-device-only",
		"--cuda-gpu-arch=sm_70",
		"-nocudainc",
		"-nocudalib",
		"-Xclang",
		"-target-sdk-version=11.5", /* without one, launches have the form of an older runtime */
		"-fdeclspec",
		"-w",
		"-Wno-reserved-user-defined-literal",
		"-Wno-c++11-narrowing",
	};
	struct builder builder = {.tree = tree, .text = text, .length = length};
	struct CXUnsavedFile content = {"preprocessed.cu", text, length};
	CXIndex index = clang_createIndex(0, 0);
	bool fine = clang_parseTranslationUnit2(index, content.Filename, flags, sizeof flags / sizeof *flags, &content,
	                                        1, CXTranslationUnit_KeepGoing, &builder.unit) == CXError_Success;
	if (fine) {
		fine = report(&builder, file, diag);
		if (fine)
			clang_visitChildren(clang_getTranslationUnitCursor(builder.unit), look_for_kernels, &builder);
		clang_disposeTranslationUnit(builder.unit);
	} else {
		diag_plain(diag, "libclang cannot parse %s", file);
	}
	clang_disposeIndex(index);
	free(builder.decls);
	free(builder.functions);
	return fine;
}

source_parser *const source_parse_here = parse;
