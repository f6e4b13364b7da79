/* list: lists whose items are from malloc and linked by their member `next`. */
#ifndef SLUICE_BASE_LIST_H
#define SLUICE_BASE_LIST_H

#include <stdlib.h>

/* Frees the items and empties the list, a pointer to the first item. */
#define LIST_FREE(list)                                                                                                \
	for (void *list_next_; (list); (list) = list_next_)                                                            \
	list_next_ = (list)->next, free(list)

#endif
