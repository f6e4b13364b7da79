#include "lab/gnuplot.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SVG_PIXELS_AN_INCH = 130 };

void gnuplot_quote(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

void gnuplot_number(double value, FILE *file)
{
	if (isfinite(value))
		fprintf(file, " %.10g", value);
	else
		fputs(" NaN", file);
}

/* Eight colors with a mark each; the yellow is darker than that of bars, so that it is visible as a thin line. Every
 * four lines have the next dash pattern. */
void gnuplot_line(size_t series, FILE *file)
{
	static const unsigned colors[] = {0x14365f, 0xb5473c, 0xd9a520, 0x74b3de,
	                                  0x2f8f5b, 0x8a5bb0, 0x555555, 0xd77fb2};
	static const unsigned marks[] = {7, 5, 9, 13, 6, 4, 8, 12};
	enum { COLORS = sizeof colors / sizeof *colors };
	fprintf(file, "linecolor rgb '#%06x' dashtype %zu linewidth 1.6 pointtype %u pointsize 0.45",
	        colors[series % COLORS], series / 4 % 4 + 1, marks[series % COLORS]);
}

/* Four colors with distinct grays come first. Then hatches and solid fills alternate, so that neighbors differ in
 * print too. Two series of one color differ in their hatches. Hatches are of dark colors: thin strokes of a light
 * color are invisible on white. */
void gnuplot_fill(size_t series, bool outlined, FILE *file)
{
	static const struct {
		unsigned color;
		const char *style;
	} fills[] = {
		{0x14365f, "solid 1"},   {0xf2d16b, "solid 1"}, {0xb5473c, "solid 1"},   {0x74b3de, "solid 1"},
		{0x2f8f5b, "pattern 5"}, {0x000000, "solid 1"}, {0x8a5bb0, "pattern 2"}, {0x9a9a9a, "solid 1"},
		{0xb5473c, "pattern 4"}, {0xd77fb2, "solid 1"}, {0x14365f, "pattern 1"}, {0x2f8f5b, "solid 1"},
		{0x9a6a00, "pattern 7"}, {0xdcdcdc, "solid 1"}, {0x1f78b4, "pattern 2"}, {0x8a5bb0, "solid 1"},
	};
	size_t fill = series % (sizeof fills / sizeof *fills);
	fprintf(file, "linecolor rgb '#%06x' fillstyle %s %s ", fills[fill].color, fills[fill].style,
	        outlined ? "border linecolor rgb 'black'" : "noborder");
}

/* Numbers wider than the margin are written in thousands, millions or thousands of millions. */
void gnuplot_marks(const struct axis *axis, const char *which, FILE *file)
{
	static const struct {
		double least, unit;
		char letter;
	} scales[] = {{1e10, 1e9, 'G'}, {1e7, 1e6, 'M'}, {1e4, 1e3, 'k'}};
	double most = fmax(fabs(axis->high), fabs(axis->low));
	fprintf(file, "set %srange [%.10g:%.10g]\nset %stics nomirror ", which, axis->low, axis->high, which);
	size_t i = 0;
	while (i < sizeof scales / sizeof *scales && most < scales[i].least)
		i++;
	if (i == sizeof scales / sizeof *scales) {
		fprintf(file, "%.10g\n", axis->step);
		return;
	}
	const char *before = "(";
	for (double at = axis->low; at <= axis->high + axis->step / 2; at += axis->step, before = ", ")
		fprintf(file, "%s\"%.4g%.*s\" %.10g", before, at / scales[i].unit, fabs(at) > axis->step / 2,
		        &scales[i].letter, at);
	fputs(")\n", file);
}

void gnuplot_open(double width, double height, const char *path, const char *kind, FILE *file)
{
	char output[PATH_MAX];
	snprintf(output, sizeof output, "%s.%s", path, kind);
	if (strcmp(kind, "pdf") == 0)
		fprintf(file, "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'Helvetica,%d' linewidth 0.6\n",
		        width, height, POINTS);
	else
		fprintf(file, "set terminal svg noenhanced size %.0f,%.0f font 'Helvetica,%d' background rgb 'white'\n",
		        width * SVG_PIXELS_AN_INCH, height * SVG_PIXELS_AN_INCH, POINTS * SVG_PIXELS_AN_INCH / 72);
	fputs("if (!exists(\"suffix\")) suffix = \"\"\nset output ", file);
	gnuplot_quote(output, file);
	fputs(".suffix\nset multiplot\n", file);
}

void gnuplot_close(FILE *file)
{
	fputs("unset multiplot\nunset output\n", file);
}
