/* Troupe for C, and for languages that call C (Fortran, Python, Julia): the same runtime as <troupe/troupe.hpp>, whose
 * manual holds here too (docs/programming.md; docs/c-interface.md for what is different).
 *
 * Functions return TROUPE_OK or an error, for which troupe_error_message() has a text. Objects are made by a function
 * that stores them in its last parameter, and go with troupe_…_free, which takes NULL too; troupe_runtime_free goes
 * last. Strings are UTF-8 that ends in 0, are copied, and where a name is wanted may be NULL. Any thread may call. This
 * file is C99 and C++. */
#ifndef TROUPE_C_H
#define TROUPE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The codes of docs/programming.md, "When something fails". */
typedef enum troupe_error {
  TROUPE_OK = 0,
  TROUPE_INVALID_ARGUMENT = 1,
  TROUPE_INVALID_HANDLE = 2,
  TROUPE_CONFLICTING_ACCESS = 3,
  TROUPE_OVERLAPPING_HANDLES = 4,
  TROUPE_SIGNATURE_MISMATCH = 5,
  TROUPE_NO_IMPLEMENTATION = 6,
  TROUPE_WAIT_IN_KERNEL = 7,
  TROUPE_STOPPED = 8,
  TROUPE_KERNEL_FAILED = 9,
  TROUPE_CANCELLED = 10,
  TROUPE_CALLBACK_FAILED = 11,
  TROUPE_POLICY_FAILED = 12,
  TROUPE_OUT_OF_MEMORY = 13,
  TROUPE_TRANSFER_FAILED = 14,
  TROUPE_DEVICE_LOST = 15,
  TROUPE_PLATFORM = 16,
  TROUPE_IO = 17,
  TROUPE_BAD_INPUT = 18,
  TROUPE_NUMERICAL = 19,
  TROUPE_SERVICE_LOST = 20,
  /* A failure of none of these kinds. */
  TROUPE_INTERNAL = 21
} troupe_error;

/* What the last call of this thread that failed said. Never NULL; valid until the next call of this thread. */
const char* troupe_error_message(void);
/* "kernel_failed"; "ok"; "unknown" for other numbers. */
const char* troupe_error_name(int error);

/* Of elements and of arguments. A number, as are modes: what a caller passes is checked. */
typedef int troupe_type;
enum { TROUPE_FLOAT = 0, TROUPE_DOUBLE = 1, TROUPE_INT32 = 2, TROUPE_INT64 = 3, TROUPE_UINT32 = 4, TROUPE_UINT64 = 5 };

typedef int troupe_mode;
enum {
  TROUPE_READ = 0,
  TROUPE_WRITE = 1,
  TROUPE_READ_WRITE = 2,
  TROUPE_COMMUTE = 3,
  TROUPE_REDUCE = 4,
  /* In a task: what the codelet says. */
  TROUPE_DECLARED = 5
};

typedef enum troupe_status {
  TROUPE_PENDING = 0,
  TROUPE_SUCCEEDED = 1,
  TROUPE_FAILED = 2,
  TROUPE_WAS_CANCELLED = 3
} troupe_status;

typedef struct troupe_runtime troupe_runtime;
typedef struct troupe_data troupe_data;
typedef struct troupe_codelet troupe_codelet;
typedef struct troupe_hold troupe_hold;
typedef struct troupe_recording troupe_recording;

/* References, to be copied at will: they own nothing, and hold as long as what they refer to. */
typedef struct troupe_handle {
  void* record;
  uint64_t id;
} troupe_handle;
typedef struct troupe_future {
  void* owner;
  void* task;
  uint64_t id;
} troupe_future;

/* ---- Runtimes ---- */

/* Workers in this program: `cores` of them, or one per core for 0. `policy`: docs/policies.md; NULL: the default. */
troupe_error troupe_start(int cores, const char* policy, troupe_runtime** runtime);
/* The service of this node. `folder`: of its sockets; NULL: the usual one. `name`: what the program is called in
 * `troupe jobs`; NULL: as its executable. */
troupe_error troupe_connect(const char* folder, const char* name, troupe_runtime** runtime);
/* Waits for all tasks. Data, holds and recordings of the runtime must have been freed. */
void troupe_runtime_free(troupe_runtime* runtime);
troupe_error troupe_workers(const troupe_runtime* runtime, size_t* workers);
troupe_error troupe_progress(const troupe_runtime* runtime, uint64_t* submitted, uint64_t* ended);

/* ---- Data: column-major ---- */

/* Memory of the program, which must live as long as the registration; `ld` elements from one column to the next. */
troupe_error troupe_register(troupe_runtime* runtime, troupe_type type, void* memory, int64_t rows, int64_t cols,
                             int64_t ld, const char* name, troupe_data** data);
/* Memory of the runtime, uninitialized, without gaps. On a service it is shared: nothing needs to be copied. */
troupe_error troupe_allocate(troupe_runtime* runtime, troupe_type type, int64_t rows, int64_t cols, const char* name,
                             troupe_data** data);
/* Waits for the last use. */
void troupe_data_free(troupe_data* data);
troupe_handle troupe_data_handle(const troupe_data* data);

typedef struct troupe_block {
  int64_t row, col, rows, cols;
} troupe_block;
/* Handles of `count` disjoint blocks. They go with the whole. */
troupe_error troupe_partition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                              troupe_handle* parts);
/* The handle, whose elements are of this type, may be used in mode reduce: sums. */
troupe_error troupe_set_sum(troupe_runtime* runtime, troupe_handle handle, troupe_type type);

/* Waits until the program may use the data in mode read, write or read_write; tasks that conflict wait until the hold
 * is freed. */
troupe_error troupe_acquire(troupe_runtime* runtime, troupe_handle handle, troupe_mode mode, troupe_hold** hold);
/* The first element, and the shape; pointers may be NULL. */
void* troupe_hold_memory(const troupe_hold* hold, int64_t* rows, int64_t* cols, int64_t* ld);
void troupe_hold_free(troupe_hold* hold);

/* ---- Codelets ---- */

/* A kernel that comes with Troupe ("gemm_nt/double"; `troupe info` lists them). */
troupe_error troupe_codelet_find(const char* name, troupe_codelet** codelet);
/* One of a service's plug-in: it has no kernel in this program. */
troupe_error troupe_codelet_declare(const char* name, const troupe_mode* modes, size_t mode_count,
                                    const troupe_type* arguments, size_t argument_count, troupe_codelet** codelet);

/* The running task's data and arguments, inside of the kernel. */
typedef struct troupe_kernel_context troupe_kernel_context;
void* troupe_kernel_data(const troupe_kernel_context* context, size_t index, int64_t* rows, int64_t* cols, int64_t* ld);
/* The address of an argument by value. */
const void* troupe_kernel_argument(const troupe_kernel_context* context, size_t index);
/* The task fails with this text, whatever the kernel returns: for languages whose callbacks return 0 when they throw. */
void troupe_kernel_fail(const troupe_kernel_context* context, const char* why);
/* Returns 0, or a number of its own: then the task has failed. Several threads call it at once. */
typedef int (*troupe_kernel)(const troupe_kernel_context* context, void* user);
/* One of the program's own, for CPU cores. On a service it cannot run. */
troupe_error troupe_codelet_define(const char* name, const troupe_mode* modes, size_t mode_count,
                                   const troupe_type* arguments, size_t argument_count, troupe_kernel kernel,
                                   void* user, troupe_codelet** codelet);
/* Tasks that were submitted go on. */
void troupe_codelet_free(troupe_codelet* codelet);

/* ---- Tasks ---- */

typedef struct troupe_access {
  troupe_handle handle;
  troupe_mode mode;
} troupe_access;
/* An argument by value: its type, and where it is. It is copied. */
typedef struct troupe_value {
  troupe_type type;
  const void* value;
} troupe_value;
typedef void (*troupe_callback)(uint64_t task, troupe_status status, const char* message, void* user);
/* All zero is a good default. */
typedef struct troupe_task_options {
  int priority;
  const char* name;
  const troupe_future* after;
  size_t after_count;
  /* Called when the task has ended; must not wait. */
  troupe_callback callback;
  void* user;
} troupe_task_options;

/* `options` and `future` may be NULL. Blocks while too many tasks are in flight, except in kernels and callbacks. */
troupe_error troupe_submit(troupe_runtime* runtime, const troupe_codelet* codelet, const troupe_access* accesses,
                           size_t access_count, const troupe_value* arguments, size_t argument_count,
                           const troupe_task_options* options, troupe_future* future);
/* Returns when the task has ended; an error where it did not succeed. */
troupe_error troupe_future_wait(troupe_future future);
troupe_error troupe_future_status(troupe_future future, troupe_status* status);
troupe_error troupe_future_cancel(troupe_future future);

/* Waits for all tasks; the error sums up what has failed since the last call. */
troupe_error troupe_wait(troupe_runtime* runtime);
/* Waits until the content is final as of the tasks submitted so far. */
troupe_error troupe_wait_for(troupe_runtime* runtime, troupe_handle handle);
/* Cancels all tasks that have not started. */
troupe_error troupe_cancel(troupe_runtime* runtime);

/* ---- Recorded graphs ---- */

/* Records what `program` submits in this thread, instead of running it. It returns 0, or gives up with another number.
 */
troupe_error troupe_record(troupe_runtime* runtime, int (*program)(void* user), void* user, const char* name,
                           troupe_recording** recording);
typedef struct troupe_rebinding {
  troupe_handle recorded;
  troupe_handle now;
} troupe_rebinding;
/* One run, with other data in place of some of those recorded; `future` may be NULL. */
troupe_error troupe_run(troupe_recording* recording, const troupe_rebinding* rebindings, size_t count,
                        troupe_future* future);
void troupe_recording_free(troupe_recording* recording);

#ifdef __cplusplus
}
#endif

#endif
