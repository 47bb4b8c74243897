/* Troupe for C, and for languages that call C (Julia; Fortran has a module, docs/fortran.md): the same runtime as
 * <troupe/troupe.hpp>, whose manual holds here too (docs/programming.md; docs/c-interface.md describes the
 * differences).
 *
 * Functions return TROUPE_OK or an error; troupe_error_message() has the error's text. A function makes an object by
 * storing it in the function's last parameter, and troupe_…_free frees it; troupe_…_free accepts NULL. Objects may be
 * freed in any order: an object of a runtime that was freed is still an object, and its functions return
 * TROUPE_STOPPED. Strings are UTF-8, end in 0, and are copied; a name may be NULL. Any thread may call at any time,
 * but other threads must not use an object that one thread frees. It is an error to pass NULL where an object is
 * needed, a number without a meaning, or a reference to something that no longer exists. This file is C99 and C++. */
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
  /* A failure that has none of the codes above. */
  TROUPE_INTERNAL = 21
} troupe_error;

/* Returns the text of this thread's last failed call. Never NULL; valid until the next call of this thread. */
const char* troupe_error_message(void);
/* Returns a name such as "kernel_failed"; "ok" for TROUPE_OK; "unknown" for other numbers. */
const char* troupe_error_name(int error);

/* The type of elements or arguments. Types and modes are plain numbers: the functions check what a caller passes. */
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
  /* Two numbers, the real part first, like C's and Fortran's complex types. */
  TROUPE_COMPLEX_FLOAT = 10,
  TROUPE_COMPLEX_DOUBLE = 11,
  /* One byte that is 0 or 1. */
  TROUPE_BOOL = 12
};
/* Defines a type of the program: bytes that can be copied. `alignment`: a power of two, at most 64. The same name,
 * size and alignment give the same type; the same name with another size or alignment is an error. */
troupe_error troupe_type_define(const char* name, size_t size, size_t alignment, troupe_type* type);
troupe_error troupe_type_size(troupe_type type, size_t* size);

typedef int troupe_mode;
enum {
  TROUPE_READ = 0,
  TROUPE_WRITE = 1,
  TROUPE_READ_WRITE = 2,
  TROUPE_COMMUTE = 3,
  TROUPE_REDUCE = 4,
  /* For an access of a task: the mode that the codelet declares. */
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

/* References, which may be copied freely. They own nothing, and are valid as long as the object that they refer to
 * exists. A reference to data or a runtime that no longer exists gives TROUPE_INVALID_HANDLE or TROUPE_STOPPED
 * wherever it is used. */
typedef struct troupe_handle {
  uint64_t slot;
  uint64_t id;
} troupe_handle;
typedef struct troupe_future {
  uint64_t runtime;
  void* task;
  uint64_t id;
} troupe_future;

/* Returns the version, such as "0.1.0". */
const char* troupe_version(void);
/* Frees a text that a function has stored. */
void troupe_text_free(char* text);

/* ---- Runtimes ---- */

/* Options of a runtime; options without a field are given in `more`. Zero and NULL are the defaults, so start from

     troupe_options options = {.size = sizeof options};

 * Later versions add fields at the end, and programs that do not know them continue to work. The environment may set
 * fields that are zero (docs/environment.md). */
typedef struct troupe_options {
  /* sizeof(troupe_options); more than 65536 is an error. */
  size_t size;
  /* The number of workers in this program; 0 stands for one per core. */
  int cores;
  /* The number of CUDA GPUs to use, counted from the first GPU. */
  int gpus;
  /* The policy: docs/policies.md. */
  const char* policy;
  /* If not 0, records a trace for troupe_take_trace. */
  int trace;
  /* If no task has started or ended for this many seconds, on_stall is called with the reasons (troupe_why), in a
   * thread of its own. Without on_stall the reasons are printed on standard error. */
  double why_after;
  void (*on_stall)(const char* why, void* user);
  /* Called for problems that do not stop the run, and in troupe_runtime_free for failures that no wait has reported.
   * NULL: they are printed on standard error. If a runtime is never freed, its failures are always printed there when
   * the program exits. */
  void (*on_warning)(const char* what, void* user);
  /* The last argument of both functions. */
  void* user;
  /* A described machine for a run in virtual time: "idgraf-double", or the name of a file (docs/platforms.md). `cores`
   * and `gpus` then refer to that machine. Kernels take the times of its description (troupe_codelet_timed_as), and
   * nothing is computed unless `execute` is set. Only one thread may submit and wait. */
  const char* platform;
  int execute;
  /* All other options by their names in docs/reference/runtime-options.md, such as "seed=7", "clusters=2x10" and
   * "spin=20us"; the list ends with NULL. NULL: none. */
  const char* const* more;
} troupe_options;

/* Starts workers in this program. `options` may be NULL. */
troupe_error troupe_start_with(const troupe_options* options, troupe_runtime** runtime);
/* Starts workers with only two options: `cores` may be 0, `policy` NULL. */
troupe_error troupe_start(int cores, const char* policy, troupe_runtime** runtime);
/* Connects to the service of this node. `folder`: the folder of its sockets; NULL: the usual folder. `name`: the
 * program's name in `troupe jobs`; NULL: the name of its executable. Returns TROUPE_NO_IMPLEMENTATION if Troupe was
 * built without its service. */
troupe_error troupe_connect(const char* folder, const char* name, troupe_runtime** runtime);
/* Waits for all tasks, and frees the runtime. Holds that still exist (troupe_acquire) end before the wait. The memory
 * of data that the runtime has allocated, recordings and factors are freed with the runtime. The error reports what has
 * failed since the last wait, and on_warning gets what no wait has reported; the runtime is freed in any case. In a
 * kernel or a callback of the runtime it returns TROUPE_WAIT_IN_KERNEL, and does nothing.
 *
 * Until all tasks have ended, kernels and callbacks run as usual, and may submit. Meanwhile other threads may be in
 * calls on the runtime and on objects that belong to it. If such a call gives the runtime data or tasks (troupe_run,
 * troupe_factorization_solve …), troupe_runtime_free waits for the call. If it begins later, it returns TROUPE_STOPPED.
 */
troupe_error troupe_runtime_free(troupe_runtime* runtime);
troupe_error troupe_workers(const troupe_runtime* runtime, size_t* workers);
troupe_error troupe_progress(const troupe_runtime* runtime, uint64_t* submitted, uint64_t* ended);

/* ---- Data: column-major ---- */

/* Registers memory of the program, which must live as long as the registration; columns are `ld` elements apart. */
troupe_error troupe_register(troupe_runtime* runtime, troupe_type type, void* memory, int64_t rows, int64_t cols,
                             int64_t ld, const char* name, troupe_data** data);
/* Allocates memory of the runtime, uninitialized, without gaps. On a service it is shared memory, so nothing needs to
 * be copied. If a task reads the memory before any task has written it, its submission is refused:
 * TROUPE_INVALID_ARGUMENT. */
troupe_error troupe_allocate(troupe_runtime* runtime, troupe_type type, int64_t rows, int64_t cols, const char* name,
                             troupe_data** data);
/* The shape of an array with three dimensions, of `rows` x `cols` x `planes` elements. Columns are `ld` elements apart,
 * and planes `plane_stride`; 0 for both if there are no gaps. */
typedef struct troupe_shape {
  int64_t rows, cols, planes, ld, plane_stride;
} troupe_shape;
/* Do for an array with three dimensions what troupe_register and troupe_allocate do for a matrix. Kernels get
 * such data by troupe_kernel_volume. */
troupe_error troupe_register_volume(troupe_runtime* runtime, troupe_type type, void* memory, const troupe_shape* shape,
                                    const char* name, troupe_data** data);
troupe_error troupe_allocate_volume(troupe_runtime* runtime, troupe_type type, const troupe_shape* shape,
                                    const char* name, troupe_data** data);
/* Waits for the last use, and ends the registration. Memory of the runtime is freed after its last use, without a wait.
 * In a kernel or a callback, where waiting is not allowed, the function returns TROUPE_WAIT_IN_KERNEL and does nothing.
 */
troupe_error troupe_data_free(troupe_data* data);
/* Returns the handle of the data; for NULL, a handle that is invalid everywhere. */
troupe_handle troupe_data_handle(const troupe_data* data);

typedef struct troupe_block {
  int64_t row, col, rows, cols;
} troupe_block;
/* Stores the handles of `count` disjoint blocks, which are valid as long as the registration of the whole matrix. */
troupe_error troupe_partition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                              troupe_handle* parts);
/* Replaces all parts of `whole` by `count` new parts, even while tasks use the former parts, whose handles are then
 * invalid. A task on a new part waits for the tasks on the former parts that it overlaps. Waits, as troupe_partition
 * does, only if tasks use the whole, if the former or the new parts do not cover it, or if halo parts overlap it. */
troupe_error troupe_repartition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                                troupe_handle* parts);
/* Stores the handles of `count` halo parts: the blocks together with `rim_rows` rows above and below and `rim_cols`
 * columns on the left and on the right, as far as the whole goes. Halo parts may overlap each other and the parts of
 * troupe_partition; tasks only read halo parts. In the view of a kernel, block i begins at row
 * min(blocks[i].row, rim_rows) and column min(blocks[i].col, rim_cols). Does not wait. The handles are valid as long as
 * the registration of the whole. */
troupe_error troupe_halos(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                          int64_t rim_rows, int64_t rim_cols, troupe_handle* halos);
/* A box in an array with three dimensions, or a block of a matrix. `col_step` and `plane_step` are the distances
 * between the box's columns and between its planes, in columns and planes of the whole; 0 means 1: side by side. */
typedef struct troupe_box {
  int64_t row, col, plane, rows, cols, planes, col_step, plane_step;
} troupe_box;
/* Do for boxes what troupe_partition, troupe_repartition and troupe_halos do for blocks of the first plane. The halo
 * parts of boxes have `rim_planes` planes more on either side. */
troupe_error troupe_partition_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes,
                                     size_t count, troupe_handle* parts);
troupe_error troupe_repartition_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes,
                                       size_t count, troupe_handle* parts);
troupe_error troupe_halos_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes, size_t count,
                                 int64_t rim_rows, int64_t rim_cols, int64_t rim_planes, troupe_handle* halos);
/* Declares that the content of the data and of their parts is not needed, without freeing the memory or waiting. Tasks
 * that were submitted before see the old content. Until the next task that writes the data is submitted, or the program
 * acquires them to write, reading them fails with TROUPE_INVALID_ARGUMENT. Allowed in kernels and callbacks. */
troupe_error troupe_discard(troupe_runtime* runtime, troupe_handle handle);
/* Allows mode reduce for the handle, with sums; its elements must be of this type. Not for types that the program has
 * defined. */
troupe_error troupe_set_sum(troupe_runtime* runtime, troupe_handle handle, troupe_type type);
/* A column-major block, as a reduction sees it. A matrix is one plane; `plane_stride` then has no meaning. */
typedef struct troupe_view {
  void* data;
  int64_t rows, cols, ld;
  size_t element_size;
  int64_t planes, plane_stride;
} troupe_view;
/* troupe_initialize writes the neutral element everywhere; troupe_combine adds `from` to `into`, element by element.
 * The order is arbitrary, and several threads may call at once. */
typedef void (*troupe_initialize)(const troupe_view* partial, void* user);
typedef void (*troupe_combine)(const troupe_view* into, const troupe_view* from, void* user);
/* Allows mode reduce with functions of the program. `destroy`, which may be NULL, is called with `user` once, by any
 * thread, when nobody needs `user` any more. It is not called if this function fails. */
troupe_error troupe_set_reduction(troupe_runtime* runtime, troupe_handle handle, troupe_initialize initialize,
                                  troupe_combine combine, void* user, void (*destroy)(void* user));

/* Waits until the program may use the data in mode read, write or read_write; tasks that conflict wait until the hold
 * is freed. Any thread may free the hold. The thread that has acquired the data must not wait meanwhile for tasks that
 * wait for the hold: such a call would never end, and returns TROUPE_INVALID_ARGUMENT. */
troupe_error troupe_acquire(troupe_runtime* runtime, troupe_handle handle, troupe_mode mode, troupe_hold** hold);
/* Returns the address of the first element, and stores the shape; the pointers may be NULL. Returns NULL if the
 * runtime has been freed, or if the data do not have exactly one plane: for these there is troupe_hold_volume. */
void* troupe_hold_memory(const troupe_hold* hold, int64_t* rows, int64_t* cols, int64_t* ld);
/* Works like troupe_hold_memory, for any number of planes. A matrix is one plane: `plane_stride` has no meaning. */
void* troupe_hold_volume(const troupe_hold* hold, troupe_shape* shape);
void troupe_hold_free(troupe_hold* hold);

/* ---- Codelets ---- */

/* Finds a kernel that comes with Troupe ("gemm_nt/double"; `troupe info` lists them). */
troupe_error troupe_codelet_find(const char* name, troupe_codelet** codelet);
/* Declares a codelet of a service's plug-in; it has no kernel in this program. */
troupe_error troupe_codelet_declare(const char* name, const troupe_mode* modes, size_t mode_count,
                                    const troupe_type* arguments, size_t argument_count, troupe_codelet** codelet);

/* The running task's data and arguments, inside of the kernel. */
typedef struct troupe_kernel_context troupe_kernel_context;
size_t troupe_kernel_data_count(const troupe_kernel_context* context);
/* Return the data of a handle, and an argument by value; NULL if there is no such handle or argument, and
 * troupe_kernel_data also if the data do not have exactly one plane: the task then fails, because its kernel should
 * call troupe_kernel_volume. */
void* troupe_kernel_data(const troupe_kernel_context* context, size_t index, int64_t* rows, int64_t* cols, int64_t* ld);
/* Returns the data of a handle with any number of planes, and stores the shape; `shape` may be NULL. */
void* troupe_kernel_volume(const troupe_kernel_context* context, size_t index, troupe_shape* shape);
const void* troupe_kernel_argument(const troupe_kernel_context* context, size_t index);
/* Store the type of a handle's elements, and of an argument, for kernels that check types. Return
 * TROUPE_INVALID_ARGUMENT if there is no such handle or argument. */
troupe_error troupe_kernel_data_type(const troupe_kernel_context* context, size_t index, troupe_type* type);
troupe_error troupe_kernel_argument_type(const troupe_kernel_context* context, size_t index, troupe_type* type);
/* Returns the worker that runs the kernel; -1 outside of a runtime. */
int troupe_kernel_worker(const troupe_kernel_context* context);
/* Returns 1 once the task need not go on, because it was cancelled or its deadline has passed; else 0. A kernel that
 * runs for long asks now and then, and returns 0 early: the task then ends as cancelled, and its data have no valid
 * content. A kernel that never asks ends as if nobody had cancelled it. Any thread may ask while the kernel runs. */
int troupe_kernel_cancelled(const troupe_kernel_context* context);
/* Makes the task fail with this text, whatever the kernel returns. Use this function in languages whose callbacks
 * return 0 when they throw. */
void troupe_kernel_fail(const troupe_kernel_context* context, const char* why);
/* A kernel. It returns 0; any other number means that the task has failed. Several threads call it at once. */
typedef int (*troupe_kernel)(const troupe_kernel_context* context, void* user);
/* Defines a codelet with a kernel of the program, for CPU cores. It cannot run on a service. `destroy`, which may be
 * NULL, is called with `user` once, by any thread, when the codelet has been freed and no submitted or recorded task
 * needs it any more; at the latest when all runtimes that have seen it have been freed. It is not called if this
 * function fails. */
troupe_error troupe_codelet_define(const char* name, const troupe_mode* modes, size_t mode_count,
                                   const troupe_type* arguments, size_t argument_count, troupe_kernel kernel,
                                   void* user, void (*destroy)(void* user), troupe_codelet** codelet);
/* Sets a function that returns a task's floating-point operations from its shapes and arguments; it is called with the
 * `user` of the codelet's definition. Call this before the codelet is submitted for the first time; afterwards, and for
 * kernels that come with Troupe, it is an error. The numbers are for reports and traces. In virtual time, where data
 * may have no memory, the numbers also select a task's size in the machine's description, if its codelet was given to
 * troupe_codelet_timed_as. */
troupe_error troupe_codelet_set_flops(troupe_codelet* codelet,
                                      double (*flops)(const troupe_kernel_context* context, void* user));
/* Sets the kernel of a described machine whose times this codelet takes: "cholesky/gemm/double". The same restriction
 * holds as for troupe_codelet_set_flops. If the machine has times for several sizes, the codelet needs
 * troupe_codelet_set_flops. */
troupe_error troupe_codelet_timed_as(troupe_codelet* codelet, const char* kernel);
/* Frees the codelet. Tasks that were submitted are not affected. */
void troupe_codelet_free(troupe_codelet* codelet);

/* ---- Tasks ---- */

typedef struct troupe_access {
  troupe_handle handle;
  troupe_mode mode;
} troupe_access;
/* An argument by value: its type and its address. The value is copied. A task has exactly the arguments that its
 * codelet declares, in number and type; otherwise troupe_submit returns TROUPE_SIGNATURE_MISMATCH. */
typedef struct troupe_value {
  troupe_type type;
  const void* value;
} troupe_value;
typedef void (*troupe_callback)(uint64_t task, troupe_status status, const char* message, void* user);
/* The options of a task. Zeros are good defaults. */
typedef struct troupe_task_options {
  int priority;
  const char* name;
  const troupe_future* after;
  size_t after_count;
  /* Called when the task has ended; must not wait. */
  troupe_callback callback;
  void* user;
  /* The devices, among those that the codelet runs on, that may run the task: "cores", "gpus", "h200", "#3|gpus";
   * NULL: all. */
  const char* devices;
  /* The seconds from the submission after which nobody wants the result; 0: no deadline. A task that has not begun then
   * is cancelled, and a kernel that runs then learns of it from troupe_kernel_cancelled. Below 0, or not a number: an
   * error; so is a deadline in a recording, on a service, and in virtual time. */
  double deadline_s;
  /* 1 for a nested task: the tasks that its kernel submits, its children, belong to it, and it ends when the last of
   * them has ended. Its kernel may wait for its children (troupe_wait), for one of them (troupe_future_wait), and for
   * data that they use (troupe_wait_for, troupe_acquire). docs/programming.md, "Nested tasks", has the rules. 0: the
   * task is not nested; other numbers are an error. */
  int nested;
  /* Data that only the children of a nested task use, in mode read, write or read_write. The kernel gets no view of
   * them, and does not wait for them. */
  const troupe_access* weak;
  size_t weak_count;
} troupe_task_options;

/* Submits a task. `options` and `future` may be NULL. Blocks while too many tasks are in flight, except in kernels and
 * callbacks. */
troupe_error troupe_submit(troupe_runtime* runtime, const troupe_codelet* codelet, const troupe_access* accesses,
                           size_t access_count, const troupe_value* arguments, size_t argument_count,
                           const troupe_task_options* options, troupe_future* future);
/* Waits until the task has ended; returns an error if it did not succeed. */
troupe_error troupe_future_wait(troupe_future future);
troupe_error troupe_future_status(troupe_future future, troupe_status* status);
/* Cancels the task if it has not started; a kernel that runs learns of it from troupe_kernel_cancelled. */
troupe_error troupe_future_cancel(troupe_future future);

/* Waits for all tasks; the error sums up what has failed since the last call. */
troupe_error troupe_wait(troupe_runtime* runtime);
/* Waits until all tasks submitted so far that change the data have ended. */
troupe_error troupe_wait_for(troupe_runtime* runtime, troupe_handle handle);
/* Cancels all tasks that have not started; kernels that run learn of it from troupe_kernel_cancelled. */
troupe_error troupe_cancel(troupe_runtime* runtime);
/* Makes other clusters of cores while tasks run; needs "regroup=true" in `troupe_options.more`. */
troupe_error troupe_regroup(troupe_runtime* runtime, const char* clusters);

/* ---- Recorded graphs ---- */

/* Records the tasks that `program` submits in this thread, instead of running them. `program` returns 0; any other
 * number cancels the recording. */
troupe_error troupe_record(troupe_runtime* runtime, int (*program)(void* user), void* user, const char* name,
                           troupe_recording** recording);
typedef struct troupe_rebinding {
  troupe_handle recorded;
  troupe_handle now;
} troupe_rebinding;
/* Submits one run, with other data in place of some of the recorded data; `future` may be NULL. */
troupe_error troupe_run(troupe_recording* recording, const troupe_rebinding* rebindings, size_t count,
                        troupe_future* future);
void troupe_recording_free(troupe_recording* recording);

/* ---- Reports of a runtime ---- */

typedef int troupe_format;
enum { TROUPE_TEXT = 0, TROUPE_JSON = 1 };
/* The following functions store a text; free it with troupe_text_free. troupe_why stores the reasons why tasks do not
 * make progress, root causes first. Any thread may call it at any time, also in kernels. */
troupe_error troupe_why(const troupe_runtime* runtime, troupe_format format, char** text);
/* Stores the figures of every actor's mailbox. */
troupe_error troupe_metrics(const troupe_runtime* runtime, troupe_format format, char** text);
/* Stores what each worker has done since the start, and what was copied; only as TROUPE_TEXT. */
troupe_error troupe_report(const troupe_runtime* runtime, char** text);
/* Stores the virtual time in seconds; 0 on a real machine. */
troupe_error troupe_virtual_time(const troupe_runtime* runtime, double* seconds);

/* Takes the trace since the last call (troupe_options.trace). The trace does not need its runtime any more. */
troupe_error troupe_take_trace(troupe_runtime* runtime, troupe_trace** trace);
troupe_error troupe_trace_tasks(const troupe_trace* trace, uint64_t* tasks);
/* Writes a trace. `path` ends in ".json", for Perfetto, or ".paje", for ViTE. `title` may be NULL. */
troupe_error troupe_trace_write(const troupe_trace* trace, const char* path, const char* title);
/* Stores a report of where the time went, with the critical path. */
troupe_error troupe_trace_report(const troupe_trace* trace, troupe_format format, char** text);
void troupe_trace_free(troupe_trace* trace);

/* ---- Dense linear algebra: docs/linalg.md ---- */

typedef int troupe_application;
enum { TROUPE_CHOLESKY = 0, TROUPE_LU = 1, TROUPE_QR = 2 };
/* Factorizes a column-major matrix of TROUPE_FLOAT or TROUPE_DOUBLE in place, as LAPACK does, and returns when it is
 * done. Cholesky takes the lower triangle of a symmetric positive definite matrix, LU with partial pivoting a square
 * matrix, QR a matrix with at least as many rows as columns. Do not change the matrix while the factors are used.
 * Waits for its own tasks. Returns TROUPE_NUMERICAL if the factorization breaks down; the content of the
 * matrix is then lost. `tile` is the number of columns of a tile; 0 chooses it by size. */
troupe_error troupe_factorize(troupe_runtime* runtime, troupe_application application, troupe_type type, void* matrix,
                              int64_t rows, int64_t cols, int64_t ld, int64_t tile,
                              troupe_factorization** factorization);
/* Overwrites `cols` right-hand sides, with as many rows as the square matrix has, by the solutions. Only one thread at
 * a time may call. */
troupe_error troupe_factorization_solve(troupe_factorization* factorization, void* right_hand_sides, int64_t rows,
                                        int64_t cols, int64_t ld);
void troupe_factorization_free(troupe_factorization* factorization);

#ifdef __cplusplus
}
#endif

#endif
