/* external_handle: a handle of memory or a semaphore of another API, as used in descriptions of the runtime and of the
 * driver. */
#ifndef SLUICE_EXTERNAL_HANDLE_H
#define SLUICE_EXTERNAL_HANDLE_H

#define SLUICE_EXTERNAL_HANDLE                                                                                         \
	union {                                                                                                        \
		int fd;                                                                                                \
		struct {                                                                                               \
			void *handle;                                                                                  \
			const void *name;                                                                              \
		} win32;                                                                                               \
		const void *nvSciBufObject;                                                                            \
	} handle;

#endif
