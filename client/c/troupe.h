/* Troupe for C, and for languages that call C (Fortran, Julia): the same runtime as <troupe/troupe.hpp>, whose
 * manual holds here too (docs/programming.md; docs/c-interface.md for what is different).
 *
 * Functions return TROUPE_OK or an error, for which troupe_error_message() has a text. Objects are made by a function
 * that stores them in its last parameter, and go with troupe_…_free, which takes NULL too. They may go in any order:
 * what belongs to a runtime that was freed is still an object, whose functions return TROUPE_STOPPED. Strings are UTF-8
 * that ends in 0, are copied, and where a name is wanted may be NULL. Any thread may call, at any time; but what one
 * thread frees the others must not use any more. NULL where something is needed, a number that means nothing, and
 * references to what is no more are errors. This file is C99 and C++. */
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
enum {
  TROUPE_FLOAT = 0,
  TROUPE_DOUBLE = 1,
  TROUPE_INT32 = 2,
  TROUPE_INT64 = 3,
  TROUPE_UINT32 = 4,
  TROUPE_UINT64 = 5,
  TROUPE_INT8 = 6,
  TROUPE_UINT8 = 7,
  TROUPE_INT16 = 8,
  TROUPE_UINT16 = 9,
  /* Two numbers, the real one first, as C's and Fortran's complex types. */
  TROUPE_COMPLEX_FLOAT = 10,
  TROUPE_COMPLEX_DOUBLE = 11,
  /* One byte, 0 or 1. */
  TROUPE_BOOL = 12
};
/* One of the program's own: bytes that can be copied. `alignment`: a power of two, at most 64. The same name, size and
 * alignment give the same type; the same name with others is an error. */
troupe_error troupe_type_define(const char* name, size_t size, size_t alignment, troupe_type* type);
troupe_error troupe_type_size(troupe_type type, size_t* size);

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
typedef struct troupe_trace troupe_trace;
typedef struct troupe_factorization troupe_factorization;

/* References, to be copied at will: they own nothing, and hold as long as what they refer to. One whose data or runtime
 * are no more is TROUPE_INVALID_HANDLE or TROUPE_STOPPED wherever it is used. */
typedef struct troupe_handle {
  uint64_t slot;
  uint64_t id;
} troupe_handle;
typedef struct troupe_future {
  uint64_t runtime;
  void* task;
  uint64_t id;
} troupe_future;

/* "0.1.0" */
const char* troupe_version(void);
/* Of text that a function has stored. */
void troupe_text_free(char* text);

/* ---- Runtimes ---- */

/* Everything that can be chosen, with what it means in docs/programming.md. Zero and NULL are the defaults, so that

     troupe_options options = {.size = sizeof options};

 * is where to start from. Fields will be added at the end, and programs that know fewer go on working. What is zero may
 * be set from the environment (docs/environment.md). */
typedef struct troupe_options {
  /* sizeof(troupe_options); what is more than 65536 is an error. */
  size_t size;
  /* Workers in this program; 0: one per core. */
  int cores;
  /* docs/policies.md */
  const char* policy;
  /* "2x10", "socket" …: docs/clusters.md */
  const char* clusters;
  /* Clusters can be changed while tasks run (troupe_regroup). */
  int regroup;
  /* "potrf,trsm:cores" */
  const char* restrict_tasks;
  /* The folder for kernel times; "default": that of the command line. */
  const char* models;
  /* Tasks that may be in flight; 0: 65536. */
  size_t window;
  /* 0: 1 */
  uint64_t seed;
  /* Records what troupe_take_trace takes. */
  int trace;
  size_t trace_limit;
  /* Threads are not bound to cores. */
  int unbound;
  int hyperthreads;
  /* More workers than cores, unbound: for tests. */
  int oversubscribe;
  /* Only these processing units: "0-3,8". */
  const char* cpus;
  /* CUDA GPUs, the first so many. */
  int gpus;
  /* The most bytes that data may take on each of them. */
  uint64_t gpu_memory;
  /* "2:memory=256MiB,bandwidth=8GB/s": docs/accelerators.md */
  const char* emulated_gpus;
  /* OpenCL devices: "all", "gpu", "cpu" or "0,2". */
  const char* opencl;
  uint64_t opencl_memory;
  /* "next-use", "reuse", "lru" */
  const char* eviction;
  /* When no task has started or ended for so many seconds, on_stall is called with the reasons (troupe_why), in a
   * thread of its own; without it they are printed on standard error. */
  double why_after;
  void (*on_stall)(const char* why, void* user);
  /* Told what is wrong and keeps nothing from going on, and of failures that nobody had asked about when the runtime
   * ends; NULL: these go to standard error. */
  void (*on_warning)(const char* what, void* user);
  /* For both. */
  void* user;
  /* A run in virtual time on a described machine: "idgraf-double", or the name of a file (docs/platforms.md). `cores`
   * and `gpus` are of that machine then. Kernels take the times that it says (troupe_codelet_timed_as), and nothing is
   * computed unless `execute` is set. Only one thread may submit and wait. */
  const char* platform;
  int execute;
} troupe_options;

/* Workers in this program. `options` may be NULL. */
troupe_error troupe_start_with(const troupe_options* options, troupe_runtime** runtime);
/* The same with two options alone: `cores` may be 0, `policy` NULL. */
troupe_error troupe_start(int cores, const char* policy, troupe_runtime** runtime);
/* The service of this node. `folder`: of its sockets; NULL: the usual one. `name`: what the program is called in
 * `troupe jobs`; NULL: as its executable. Where Troupe was built without its service: TROUPE_NO_IMPLEMENTATION. */
troupe_error troupe_connect(const char* folder, const char* name, troupe_runtime** runtime);
/* Waits for all tasks. Holds that there are end before, and with the runtime go the memory of data that it has
 * allocated, recordings and factors. What failed since the last wait is the error; the runtime is gone all the same. In
 * a kernel or a callback of its own, TROUPE_WAIT_IN_KERNEL, and nothing has happened.
 * Until all tasks have ended, kernels and callbacks go on as ever, and may submit. Other threads may be in calls on the
 * runtime and on what belongs to it: calls that give it data or tasks are waited for, and where they begin only now
 * (troupe_run, troupe_factorization_solve …) they return TROUPE_STOPPED. */
troupe_error troupe_runtime_free(troupe_runtime* runtime);
troupe_error troupe_workers(const troupe_runtime* runtime, size_t* workers);
troupe_error troupe_progress(const troupe_runtime* runtime, uint64_t* submitted, uint64_t* ended);

/* ---- Data: column-major ---- */

/* Memory of the program, which must live as long as the registration; `ld` elements from one column to the next. */
troupe_error troupe_register(troupe_runtime* runtime, troupe_type type, void* memory, int64_t rows, int64_t cols,
                             int64_t ld, const char* name, troupe_data** data);
/* Memory of the runtime, uninitialized, without gaps. On a service it is shared: nothing needs to be copied. What reads it
 * before something has written it is refused: TROUPE_INVALID_ARGUMENT. */
troupe_error troupe_allocate(troupe_runtime* runtime, troupe_type type, int64_t rows, int64_t cols, const char* name,
                             troupe_data** data);
/* Waits for the last use. Memory of the runtime goes after its last use, without waiting. Where it cannot wait, in a kernel
 * or a callback, TROUPE_WAIT_IN_KERNEL, and nothing has happened. */
troupe_error troupe_data_free(troupe_data* data);
/* One that can be used nowhere, where `data` is NULL. */
troupe_handle troupe_data_handle(const troupe_data* data);

typedef struct troupe_block {
  int64_t row, col, rows, cols;
} troupe_block;
/* Handles of `count` disjoint blocks. They go with the whole. */
troupe_error troupe_partition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                              troupe_handle* parts);
/* The handle, whose elements are of this type, may be used in mode reduce: sums. Not for types of the program's own. */
troupe_error troupe_set_sum(troupe_runtime* runtime, troupe_handle handle, troupe_type type);
/* Column-major, as a reduction sees it. */
typedef struct troupe_view {
  void* data;
  int64_t rows, cols, ld;
  size_t element_size;
} troupe_view;
/* Writes the neutral element everywhere; adds `from` to `into`, element by element: in any order, by several threads.
 */
typedef void (*troupe_initialize)(const troupe_view* partial, void* user);
typedef void (*troupe_combine)(const troupe_view* into, const troupe_view* from, void* user);
/* Mode reduce with functions of the program's own. `destroy`, which may be NULL, is called with `user` once, when
 * nobody needs it any more, by any thread; not where this function fails. */
troupe_error troupe_set_reduction(troupe_runtime* runtime, troupe_handle handle, troupe_initialize initialize,
                                  troupe_combine combine, void* user, void (*destroy)(void* user));

/* Waits until the program may use the data in mode read, write or read_write; tasks that conflict wait until the hold
 * is freed. */
troupe_error troupe_acquire(troupe_runtime* runtime, troupe_handle handle, troupe_mode mode, troupe_hold** hold);
/* The first element, and the shape; pointers may be NULL. NULL where the runtime is gone. */
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
size_t troupe_kernel_data_count(const troupe_kernel_context* context);
/* NULL where there is no such handle, or argument by value. */
void* troupe_kernel_data(const troupe_kernel_context* context, size_t index, int64_t* rows, int64_t* cols, int64_t* ld);
const void* troupe_kernel_argument(const troupe_kernel_context* context, size_t index);
/* Which worker runs it; -1 outside of a runtime. */
int troupe_kernel_worker(const troupe_kernel_context* context);
/* The task fails with this text, whatever the kernel returns: for languages whose callbacks return 0 when they throw.
 */
void troupe_kernel_fail(const troupe_kernel_context* context, const char* why);
/* Returns 0, or a number of its own: then the task has failed. Several threads call it at once. */
typedef int (*troupe_kernel)(const troupe_kernel_context* context, void* user);
/* One of the program's own, for CPU cores. On a service it cannot run. `destroy`, which may be NULL, is called with
 * `user` once, when the codelet has been freed and nothing that was submitted or recorded needs it any more, at the
 * latest when the runtimes that have seen it have gone, by any thread; not where this function fails. */
troupe_error troupe_codelet_define(const char* name, const troupe_mode* modes, size_t mode_count,
                                   const troupe_type* arguments, size_t argument_count, troupe_kernel kernel,
                                   void* user, void (*destroy)(void* user), troupe_codelet** codelet);
/* Before it is submitted for the first time, afterwards and for kernels that come with Troupe an error: floating-point
 * operations of a task, from its shapes and arguments; called with the `user` of its definition. They are for reports
 * and traces; and in virtual time, where data may have no memory, they say which of the sizes that the machine's
 * description has times for a task of troupe_codelet_timed_as is of. */
troupe_error troupe_codelet_set_flops(troupe_codelet* codelet,
                                      double (*flops)(const troupe_kernel_context* context, void* user));
/* So too: the kernel of a described machine whose times are this codelet's: "cholesky/gemm/double". Where the machine
 * has times for several sizes, the codelet needs troupe_codelet_set_flops. */
troupe_error troupe_codelet_timed_as(troupe_codelet* codelet, const char* kernel);
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
  /* Which of the devices that the codelet runs on may run the task: "cores", "gpus", "h200", "#3|gpus"; NULL: all. */
  const char* devices;
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
/* Other clusters of cores, while tasks run; needs troupe_options.regroup. */
troupe_error troupe_regroup(troupe_runtime* runtime, const char* clusters);

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

/* ---- What a runtime does ---- */

typedef int troupe_format;
enum { TROUPE_TEXT = 0, TROUPE_JSON = 1 };
/* Each stores a text, to be freed with troupe_text_free. Why tasks do not go on, root causes first: any thread, at any
 * time, kernels too. */
troupe_error troupe_why(const troupe_runtime* runtime, troupe_format format, char** text);
/* The figures of every actor's mailbox. */
troupe_error troupe_metrics(const troupe_runtime* runtime, troupe_format format, char** text);
/* What each worker has done since the start, and what was copied: TROUPE_TEXT only. */
troupe_error troupe_report(const troupe_runtime* runtime, char** text);
/* How late it is in virtual time, in seconds; 0 on a real machine. */
troupe_error troupe_virtual_time(const troupe_runtime* runtime, double* seconds);

/* What has been recorded since the last call (troupe_options.trace). It needs its runtime no more. */
troupe_error troupe_take_trace(troupe_runtime* runtime, troupe_trace** trace);
troupe_error troupe_trace_tasks(const troupe_trace* trace, uint64_t* tasks);
/* `path`: ends in ".json", for Perfetto, or ".paje", for ViTE. `title` may be NULL. */
troupe_error troupe_trace_write(const troupe_trace* trace, const char* path, const char* title);
/* Where the time went, with the critical path. */
troupe_error troupe_trace_report(const troupe_trace* trace, troupe_format format, char** text);
void troupe_trace_free(troupe_trace* trace);

/* ---- Dense linear algebra: docs/linalg.md ---- */

typedef int troupe_application;
enum { TROUPE_CHOLESKY = 0, TROUPE_LU = 1, TROUPE_QR = 2 };
/* Factorizes a column-major matrix of TROUPE_FLOAT or TROUPE_DOUBLE in place, as LAPACK does, and returns when it is
 * done: Cholesky the lower triangle of a symmetric positive definite one, LU with partial pivoting a square one, QR one
 * with at least as many rows as columns. The matrix must stay as it is while the factors are used. Waits for all tasks
 * of the runtime. TROUPE_NUMERICAL where it breaks down; the matrix is lost then. `tile`: columns of a tile; 0: by
 * size. */
troupe_error troupe_factorize(troupe_runtime* runtime, troupe_application application, troupe_type type, void* matrix,
                              int64_t rows, int64_t cols, int64_t ld, int64_t tile,
                              troupe_factorization** factorization);
/* Overwrites `cols` right-hand sides, of as many rows as the square matrix has, with the solutions. One thread at a
 * time. */
troupe_error troupe_factorization_solve(troupe_factorization* factorization, void* right_hand_sides, int64_t rows,
                                        int64_t cols, int64_t ld);
void troupe_factorization_free(troupe_factorization* factorization);

#ifdef __cplusplus
}
#endif

#endif
