/* product_private: what the files of product.h share. product_expand.c makes rows and columns of axes. product_match.c
 * finds combinations by values of axes: those to exclude, and the columns that others are relative to. */
#ifndef SLUICE_LAB_PRODUCT_PRIVATE_H
#define SLUICE_LAB_PRODUCT_PRIVATE_H

#include "lab/experiment.h"
#include "lab/product.h"

/* A text in the document's arena; the format has three %s. */
char *product_text(struct document *document, const char *format, const char *a, const char *b, const char *c);

/* The words in the document's arena with a text between them; with `quotes`, written as by word_put(). */
const char *product_join(struct document *document, const struct words *words, const char *between, bool quotes);

/* Checks that axes and values named by a filter exist. */
void product_check_match(struct document *document, const struct product_axes *axes, const struct product_match *match);

/* Finds the column that each column is relative to, as the experiment's `relative` states. */
void product_set_bases(struct document *document, struct experiment *experiment);

#endif
