#include "tests/c/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char wrong[512];

#define EXPECT(condition)                                                                              \
  do {                                                                                                 \
    if (!(condition)) {                                                                                \
      snprintf(wrong, sizeof wrong, "line %d: %s (%s)", __LINE__, #condition, troupe_error_message()); \
      return wrong;                                                                                    \
    }                                                                                                  \
  } while (0)
#define OK(call) EXPECT((call) == TROUPE_OK)

static troupe_access declared(const troupe_data* data) {
  troupe_access access;
  access.handle = troupe_data_handle(data);
  access.mode = TROUPE_DECLARED;
  return access;
}

const char* built_in_kernels(troupe_runtime* runtime) {
  double y[100];
  double three = 3, two = 2, wrong_type = 1;
  troupe_data *x_data = NULL, *y_data = NULL;
  troupe_codelet *fill = NULL, *axpy = NULL, *none = NULL;
  troupe_access accesses[2];
  troupe_value value = {TROUPE_DOUBLE, &three};
  troupe_future future;
  troupe_status status;
  troupe_hold* hold = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  uint64_t submitted = 0, ended = 0;
  int i;
  for (i = 0; i < 100; ++i) y[i] = 1;
  EXPECT(troupe_codelet_find("no such/double", &none) == TROUPE_NO_IMPLEMENTATION);
  EXPECT(none == NULL && strstr(troupe_error_message(), "no such/double") != NULL);
  OK(troupe_codelet_find("fill/double", &fill));
  OK(troupe_codelet_find("axpy/double", &axpy));
  OK(troupe_allocate(runtime, TROUPE_DOUBLE, 100, 1, "x", &x_data));
  OK(troupe_register(runtime, TROUPE_DOUBLE, y, 100, 1, 100, "y", &y_data));

  accesses[0] = declared(x_data);
  OK(troupe_submit(runtime, fill, accesses, 1, &value, 1, NULL, NULL));
  accesses[1] = declared(y_data);
  value.value = &two;
  OK(troupe_submit(runtime, axpy, accesses, 2, &value, 1, NULL, &future));
  OK(troupe_future_wait(future));
  OK(troupe_future_status(future, &status));
  EXPECT(status == TROUPE_SUCCEEDED);
  OK(troupe_wait(runtime));
  EXPECT(y[0] == 7 && y[99] == 7);

  value.type = TROUPE_INT32;
  value.value = &wrong_type;
  EXPECT(troupe_submit(runtime, axpy, accesses, 2, &value, 1, NULL, NULL) == TROUPE_SIGNATURE_MISMATCH);
  EXPECT(troupe_submit(runtime, axpy, accesses, 1, NULL, 0, NULL, NULL) == TROUPE_SIGNATURE_MISMATCH);
  EXPECT(troupe_submit(runtime, NULL, accesses, 1, NULL, 0, NULL, NULL) == TROUPE_INVALID_ARGUMENT);

  OK(troupe_acquire(runtime, troupe_data_handle(x_data), TROUPE_READ, &hold));
  EXPECT(((double*)troupe_hold_memory(hold, &rows, &cols, &ld))[99] == 3);
  EXPECT(rows == 100 && cols == 1 && ld == 100);
  troupe_hold_free(hold);
  OK(troupe_progress(runtime, &submitted, &ended));
  EXPECT(submitted >= 2 && ended == submitted);
  troupe_codelet_free(fill);
  troupe_codelet_free(axpy);
  troupe_data_free(x_data);
  troupe_data_free(y_data);
  return NULL;
}

/* Checks the types of the data and arguments of `add`, and that those that are not there have none. */
static int types_of_add(const troupe_kernel_context* context) {
  troupe_type data = -1, first = -1, second = -1, none = -1;
  if (troupe_kernel_data_type(context, 0, &data) != TROUPE_OK || data != TROUPE_DOUBLE) return 0;
  if (troupe_kernel_argument_type(context, 0, &first) != TROUPE_OK || first != TROUPE_INT32) return 0;
  if (troupe_kernel_argument_type(context, 1, &second) != TROUPE_OK || second != TROUPE_DOUBLE) return 0;
  if (troupe_kernel_data_type(context, 1, &none) != TROUPE_INVALID_ARGUMENT) return 0;
  if (strstr(troupe_error_message(), "access 1") == NULL) return 0;
  if (troupe_kernel_argument_type(context, 2, &none) != TROUPE_INVALID_ARGUMENT) return 0;
  if (strstr(troupe_error_message(), "2 arguments") == NULL) return 0;
  return none == -1 && troupe_kernel_data_type(context, 0, NULL) == TROUPE_INVALID_ARGUMENT;
}

/* Adds its second argument to all elements, as many times as the first argument says. */
static int add(const troupe_kernel_context* context, void* user) {
  int64_t rows, cols, ld, i, j;
  double* block = troupe_kernel_data(context, 0, &rows, &cols, &ld);
  const double amount = *(const double*)troupe_kernel_argument(context, 1);
  const int32_t times = *(const int32_t*)troupe_kernel_argument(context, 0);
  (void)user;
  if (block == NULL || troupe_kernel_data_count(context) != 1 || troupe_kernel_data(context, 1, NULL, NULL, NULL))
    return 1;
  if (troupe_kernel_argument(context, 2) != NULL || troupe_kernel_worker(context) != 0) return 2;
  if (!types_of_add(context)) return 3;
  if (times == -7) {
    /* A callback from a language with exceptions does this, because an exception cannot pass through C. */
    troupe_kernel_fail(context, "ValueError('no such luck')");
    return 0;
  }
  if (times < 0) return 42;
  for (j = 0; j < cols; ++j) {
    for (i = 0; i < rows; ++i) block[i + j * ld] += times * amount;
  }
  return 0;
}

static troupe_error define_add(troupe_codelet** codelet) {
  const troupe_mode mode = TROUPE_READ_WRITE;
  const troupe_type types[2] = {TROUPE_INT32, TROUPE_DOUBLE};
  return troupe_codelet_define("add", &mode, 1, types, 2, add, NULL, NULL, codelet);
}

static troupe_error submit_add(troupe_runtime* runtime, const troupe_codelet* codelet, troupe_handle handle,
                               int32_t times, double amount, const troupe_task_options* options,
                               troupe_future* future) {
  troupe_access access;
  troupe_value values[2];
  access.handle = handle;
  access.mode = TROUPE_READ_WRITE;
  values[0].type = TROUPE_INT32;
  values[0].value = &times;
  values[1].type = TROUPE_DOUBLE;
  values[1].value = &amount;
  return troupe_submit(runtime, codelet, &access, 1, values, 2, options, future);
}

const char* own_kernels(troupe_runtime* runtime) {
  double a[16] = {0};
  const troupe_block blocks[2] = {{0, 0, 2, 4}, {2, 0, 2, 4}};
  const troupe_block columns[2] = {{0, 0, 4, 2}, {0, 2, 4, 2}};
  troupe_handle parts[2], halos[2];
  troupe_data* data = NULL;
  troupe_codelet* codelet = NULL;
  troupe_hold* hold = NULL;
  int64_t rows = 0;
  OK(define_add(&codelet));
  OK(troupe_register(runtime, TROUPE_DOUBLE, a, 4, 4, 4, "a", &data));
  OK(troupe_partition(runtime, troupe_data_handle(data), blocks, 2, parts));
  OK(submit_add(runtime, codelet, parts[0], 2, 1.5, NULL, NULL));
  OK(submit_add(runtime, codelet, parts[1], 1, 1, NULL, NULL));
  OK(submit_add(runtime, codelet, troupe_data_handle(data), 1, 10, NULL, NULL));
  OK(troupe_wait(runtime));
  EXPECT(a[0] == 13 && a[1] == 13 && a[2] == 11 && a[15] == 11);
  EXPECT(troupe_partition(runtime, troupe_data_handle(data), blocks, 2, parts) == TROUPE_OVERLAPPING_HANDLES);
  OK(submit_add(runtime, codelet, parts[1], 1, 1, NULL, NULL));
  OK(troupe_repartition(runtime, troupe_data_handle(data), columns, 2, halos));
  OK(submit_add(runtime, codelet, halos[1], 1, 1, NULL, NULL));
  OK(troupe_wait(runtime));
  EXPECT(a[0] == 13 && a[2] == 12 && a[12] == 14 && a[15] == 13);
  EXPECT(submit_add(runtime, codelet, parts[0], 1, 1, NULL, NULL) == TROUPE_INVALID_HANDLE);
  OK(troupe_halos(runtime, troupe_data_handle(data), blocks, 2, 1, 0, halos));
  OK(troupe_acquire(runtime, halos[1], TROUPE_READ, &hold));
  const double* around = troupe_hold_memory(hold, &rows, NULL, NULL);
  EXPECT(rows == 3 && around == &a[1]);
  troupe_hold_free(hold);
  EXPECT(submit_add(runtime, codelet, halos[0], 1, 1, NULL, NULL) == TROUPE_INVALID_ARGUMENT);
  troupe_codelet_free(codelet);
  troupe_data_free(data);
  return NULL;
}

static int count_box(const troupe_kernel_context* context, void* user) {
  troupe_shape shape;
  int64_t i, j, k;
  double* const box = troupe_kernel_volume(context, 0, &shape);
  (void)user;
  for (k = 0; k < shape.planes; ++k) {
    for (j = 0; j < shape.cols; ++j) {
      for (i = 0; i < shape.rows; ++i) {
        box[i + j * shape.ld + k * shape.plane_stride] += 1 + (double)(i + 10 * j + 100 * k);
      }
    }
  }
  return 0;
}

/* A kernel that takes volumes for matrices: its task fails. */
static int takes_matrix(const troupe_kernel_context* context, void* user) {
  int64_t rows = -1;
  (void)user;
  return troupe_kernel_data(context, 0, &rows, NULL, NULL) == NULL && rows == -1 ? 0 : 1;
}

const char* volumes(troupe_runtime* runtime) {
  /* 3 x 2 x 4 elements; columns are 4 elements apart, and planes 9. */
  double a[36] = {0};
  const troupe_shape shape = {3, 2, 4, 4, 9};
  const troupe_shape packed = {2, 2, 2, 0, 0};
  const troupe_box boxes[2] = {{0, 0, 0, 3, 1, 4, 0, 0}, {1, 1, 1, 2, 1, 2, 0, 2}};
  const troupe_box halves[2] = {{0, 0, 0, 3, 2, 2, 1, 1}, {0, 0, 2, 3, 2, 2, 1, 1}};
  const troupe_mode mode = TROUPE_READ_WRITE;
  troupe_handle parts[2], others[2];
  troupe_data *data = NULL, *own = NULL;
  troupe_codelet *count = NULL, *wrong_kernel = NULL;
  troupe_access access = {troupe_data_handle(NULL), TROUPE_DECLARED};
  troupe_future future;
  troupe_hold* hold = NULL;
  troupe_shape seen;
  int64_t rows = 0;
  const double* memory;
  OK(troupe_codelet_define("count", &mode, 1, NULL, 0, count_box, NULL, NULL, &count));
  OK(troupe_codelet_define("wrong", &mode, 1, NULL, 0, takes_matrix, NULL, NULL, &wrong_kernel));
  OK(troupe_register_volume(runtime, TROUPE_DOUBLE, a, &shape, "a", &data));
  OK(troupe_partition_volume(runtime, troupe_data_handle(data), boxes, 2, parts));
  access.handle = parts[0];
  OK(troupe_submit(runtime, count, &access, 1, NULL, 0, NULL, NULL));
  access.handle = parts[1];
  OK(troupe_submit(runtime, count, &access, 1, NULL, 0, NULL, NULL));
  OK(troupe_wait(runtime));
  EXPECT(a[0] == 1 && a[2] == 3 && a[9] == 101 && a[27 + 2] == 303);
  EXPECT(a[9 + 4 + 1] == 1 && a[27 + 4 + 2] == 102 && a[18 + 4 + 1] == 0 && a[3] == 0);
  OK(troupe_repartition_volume(runtime, troupe_data_handle(data), halves, 2, others));
  OK(troupe_halos_volume(runtime, troupe_data_handle(data), halves, 1, 0, 0, 1, parts));
  OK(troupe_acquire(runtime, parts[0], TROUPE_READ, &hold));
  memory = troupe_hold_volume(hold, &seen);
  EXPECT(memory == a && seen.rows == 3 && seen.planes == 3 && seen.ld == 4 && seen.plane_stride == 9);
  EXPECT(troupe_hold_memory(hold, &rows, NULL, NULL) == NULL && rows == 0);
  EXPECT(strstr(troupe_error_message(), "use troupe_hold_volume") != NULL);
  troupe_hold_free(hold);
  access.handle = others[1];
  OK(troupe_submit(runtime, wrong_kernel, &access, 1, NULL, 0, NULL, &future));
  EXPECT(troupe_future_wait(future) == TROUPE_KERNEL_FAILED);
  EXPECT(strstr(troupe_error_message(), "2 planes: use troupe_kernel_volume") != NULL);
  EXPECT(troupe_wait(runtime) != TROUPE_OK);
  OK(troupe_allocate_volume(runtime, TROUPE_DOUBLE, &packed, "own", &own));
  OK(troupe_acquire(runtime, troupe_data_handle(own), TROUPE_WRITE, &hold));
  EXPECT(troupe_hold_volume(hold, &seen) != NULL && seen.ld == 2 && seen.plane_stride == 4);
  troupe_hold_free(hold);
  EXPECT(troupe_allocate_volume(runtime, TROUPE_DOUBLE, NULL, "none", &own) == TROUPE_INVALID_ARGUMENT);
  troupe_codelet_free(count);
  troupe_codelet_free(wrong_kernel);
  troupe_data_free(own);
  troupe_data_free(data);
  return NULL;
}

static void note(uint64_t task, troupe_status status, const char* message, void* user) {
  troupe_status* seen = user;
  (void)task;
  if (status == TROUPE_SUCCEEDED || message[0] != 0) *seen = status;
}

const char* failures(troupe_runtime* runtime) {
  double x = 0, y = 0, z = 0;
  troupe_data *x_data = NULL, *y_data = NULL, *z_data = NULL;
  troupe_codelet* codelet = NULL;
  troupe_future failed, after;
  troupe_status seen = TROUPE_PENDING, status;
  troupe_task_options options;
  memset(&options, 0, sizeof options);
  OK(define_add(&codelet));
  OK(troupe_register(runtime, TROUPE_DOUBLE, &x, 1, 1, 1, "x", &x_data));
  OK(troupe_register(runtime, TROUPE_DOUBLE, &y, 1, 1, 1, "y", &y_data));
  options.name = "step 7";
  options.callback = note;
  options.user = &seen;
  OK(submit_add(runtime, codelet, troupe_data_handle(x_data), -1, 1, &options, &failed));
  memset(&options, 0, sizeof options);
  options.after = &failed;
  options.after_count = 1;
  OK(submit_add(runtime, codelet, troupe_data_handle(y_data), 1, 1, &options, &after));
  EXPECT(troupe_future_wait(failed) == TROUPE_KERNEL_FAILED);
  EXPECT(strstr(troupe_error_message(), "step 7") != NULL && strstr(troupe_error_message(), "42") != NULL);
  EXPECT(seen == TROUPE_FAILED);
  EXPECT(troupe_future_wait(after) == TROUPE_CANCELLED);
  OK(troupe_future_status(after, &status));
  EXPECT(status == TROUPE_WAS_CANCELLED);
  EXPECT(troupe_wait_for(runtime, troupe_data_handle(x_data)) == TROUPE_CANCELLED);
  EXPECT(troupe_wait(runtime) == TROUPE_KERNEL_FAILED);
  OK(troupe_wait(runtime));
  OK(troupe_register(runtime, TROUPE_DOUBLE, &z, 1, 1, 1, "z", &z_data));
  OK(submit_add(runtime, codelet, troupe_data_handle(z_data), -7, 1, NULL, &failed));
  EXPECT(troupe_future_wait(failed) == TROUPE_KERNEL_FAILED);
  EXPECT(strstr(troupe_error_message(), "no such luck") != NULL);
  EXPECT(troupe_wait(runtime) == TROUPE_KERNEL_FAILED);
  EXPECT(strcmp(troupe_error_name(TROUPE_KERNEL_FAILED), "kernel_failed") == 0);
  troupe_codelet_free(codelet);
  troupe_data_free(x_data);
  troupe_data_free(y_data);
  troupe_data_free(z_data);
  EXPECT(y == 0);
  return NULL;
}

struct step {
  troupe_runtime* runtime;
  troupe_codelet* codelet;
  troupe_handle handle;
};

static int twice(void* user) {
  const struct step* step = user;
  int i;
  for (i = 0; i < 2; ++i) {
    if (submit_add(step->runtime, step->codelet, step->handle, 1, 1, NULL, NULL) != TROUPE_OK) return 1;
  }
  return 0;
}

const char* recordings(troupe_runtime* runtime) {
  double x = 0, y = 0;
  troupe_data *x_data = NULL, *y_data = NULL;
  troupe_recording* recording = NULL;
  troupe_rebinding exchange;
  troupe_future future;
  struct step step;
  OK(define_add(&step.codelet));
  OK(troupe_register(runtime, TROUPE_DOUBLE, &x, 1, 1, 1, "x", &x_data));
  OK(troupe_register(runtime, TROUPE_DOUBLE, &y, 1, 1, 1, "y", &y_data));
  step.runtime = runtime;
  step.handle = troupe_data_handle(x_data);
  OK(troupe_record(runtime, twice, &step, "twice", &recording));
  OK(troupe_run(recording, NULL, 0, NULL));
  OK(troupe_run(recording, NULL, 0, NULL));
  exchange.recorded = troupe_data_handle(x_data);
  exchange.now = troupe_data_handle(y_data);
  OK(troupe_run(recording, &exchange, 1, &future));
  OK(troupe_future_wait(future));
  OK(troupe_wait(runtime));
  EXPECT(x == 4 && y == 2);
  troupe_recording_free(recording);
  troupe_codelet_free(step.codelet);
  troupe_data_free(x_data);
  troupe_data_free(y_data);
  return NULL;
}

/* A type for reductions: the largest absolute value, and the number of values. */
struct extreme {
  double largest;
  int64_t count;
};

static void no_extreme(const troupe_view* partial, void* user) {
  int64_t i, j;
  (void)user;
  for (j = 0; j < partial->cols; ++j) {
    for (i = 0; i < partial->rows; ++i) {
      struct extreme* one = (struct extreme*)partial->data + i + j * partial->ld;
      one->largest = 0;
      one->count = 0;
    }
  }
}

static void join_extremes(const troupe_view* into, const troupe_view* from, void* user) {
  int64_t i, j;
  ++*(int*)user;
  for (j = 0; j < into->cols; ++j) {
    for (i = 0; i < into->rows; ++i) {
      struct extreme* target = (struct extreme*)into->data + i + j * into->ld;
      const struct extreme* source = (const struct extreme*)from->data + i + j * from->ld;
      if (source->largest > target->largest) target->largest = source->largest;
      target->count += source->count;
    }
  }
}

static int look_at(const troupe_kernel_context* context, void* user) {
  struct extreme* partial = troupe_kernel_data(context, 0, NULL, NULL, NULL);
  const double value = *(const double*)troupe_kernel_argument(context, 0);
  troupe_type type = -1;
  size_t size = 0;
  (void)user;
  if (troupe_kernel_data_type(context, 0, &type) || troupe_type_size(type, &size) || size != sizeof *partial) return 1;
  if (value > partial->largest) partial->largest = value;
  ++partial->count;
  return 0;
}

static void count_end(void* user) { ++*(int*)user; }

const char* own_reductions(troupe_runtime* runtime, int* ends) {
  struct extreme total = {-1, -1};
  int joined = 0;
  troupe_type extreme = -1, again = -1;
  const troupe_mode mode = TROUPE_REDUCE;
  const troupe_type types[1] = {TROUPE_DOUBLE};
  size_t size = 0;
  troupe_data* data = NULL;
  troupe_codelet* codelet = NULL;
  troupe_access access;
  troupe_value value;
  double number;
  int i;
  OK(troupe_type_define("extreme", sizeof(struct extreme), 8, &extreme));
  OK(troupe_type_define("extreme", sizeof(struct extreme), 8, &again));
  EXPECT(extreme == again);
  EXPECT(troupe_type_define("extreme", 8, 8, &again) == TROUPE_INVALID_ARGUMENT);
  OK(troupe_type_size(extreme, &size));
  EXPECT(size == sizeof(struct extreme));
  OK(troupe_codelet_define("look at", &mode, 1, types, 1, look_at, ends, count_end, &codelet));
  OK(troupe_register(runtime, extreme, &total, 1, 1, 1, "total", &data));
  EXPECT(troupe_set_sum(runtime, troupe_data_handle(data), TROUPE_DOUBLE) == TROUPE_SIGNATURE_MISMATCH);
  OK(troupe_set_reduction(runtime, troupe_data_handle(data), no_extreme, join_extremes, &joined, NULL));
  access.handle = troupe_data_handle(data);
  access.mode = TROUPE_DECLARED;
  value.type = TROUPE_DOUBLE;
  value.value = &number;
  for (i = 1; i <= 100; ++i) {
    number = i;
    OK(troupe_submit(runtime, codelet, &access, 1, &value, 1, NULL, NULL));
  }
  OK(troupe_wait_for(runtime, troupe_data_handle(data)));
  EXPECT(total.largest == 100 && total.count == 99);
  EXPECT(joined > 0);
  troupe_codelet_free(codelet);
  OK(troupe_data_free(data));
  return NULL;
}

static int half(const troupe_kernel_context* context, void* user) {
  int64_t rows, i;
  uint8_t* bytes = troupe_kernel_data(context, 0, &rows, NULL, NULL);
  const size_t size = *(const uint64_t*)troupe_kernel_argument(context, 0);
  (void)user;
  for (i = 0; i < rows * (int64_t)size; ++i) bytes[i] /= 2;
  return 0;
}

const char* all_types(troupe_runtime* runtime) {
  const troupe_mode mode = TROUPE_READ_WRITE;
  const troupe_type types[1] = {TROUPE_UINT64};
  troupe_codelet* codelet = NULL;
  troupe_type type;
  OK(troupe_codelet_define("half", &mode, 1, types, 1, half, NULL, NULL, &codelet));
  for (type = TROUPE_FLOAT; type <= TROUPE_BOOL; ++type) {
    troupe_data* data = NULL;
    troupe_hold* hold = NULL;
    troupe_access access;
    troupe_value value;
    size_t size = 0;
    uint64_t wide;
    uint8_t* bytes;
    int64_t rows = 0;
    OK(troupe_type_size(type, &size));
    OK(troupe_allocate(runtime, type, 3, 1, NULL, &data));
    OK(troupe_acquire(runtime, troupe_data_handle(data), TROUPE_WRITE, &hold));
    bytes = troupe_hold_memory(hold, &rows, NULL, NULL);
    EXPECT(rows == 3);
    memset(bytes, 8, 3 * size);
    troupe_hold_free(hold);
    access.handle = troupe_data_handle(data);
    access.mode = TROUPE_DECLARED;
    wide = size;
    value.type = TROUPE_UINT64;
    value.value = &wide;
    OK(troupe_submit(runtime, codelet, &access, 1, &value, 1, NULL, NULL));
    OK(troupe_acquire(runtime, troupe_data_handle(data), TROUPE_READ, &hold));
    bytes = troupe_hold_memory(hold, NULL, NULL, NULL);
    EXPECT(bytes[0] == 4 && bytes[3 * size - 1] == 4);
    troupe_hold_free(hold);
    if (type != TROUPE_BOOL) OK(troupe_set_sum(runtime, troupe_data_handle(data), type));
    OK(troupe_data_free(data));
  }
  EXPECT(troupe_type_size(type, NULL) == TROUPE_INVALID_ARGUMENT);
  troupe_codelet_free(codelet);
  return NULL;
}

/* Solves a x = b with a symmetric positive definite matrix that has a gap after each column. */
const char* factorizations(troupe_runtime* runtime) {
  enum { n = 70, ld = 75 };
  static double a[n * ld], b[2 * ld];
  static float single[n * ld];
  int application, i, j, k;
  troupe_factorization* factors = NULL;
  for (application = TROUPE_CHOLESKY; application <= TROUPE_QR; ++application) {
    for (j = 0; j < n; ++j) {
      for (i = 0; i < ld; ++i) a[i + j * ld] = i < n ? 1.0 / (1 + abs(i - j)) + (i == j ? n : 0) : 77;
    }
    for (k = 0; k < 2; ++k) {
      for (i = 0; i < n; ++i) {
        b[i + k * ld] = 0;
        for (j = 0; j < n; ++j) b[i + k * ld] += a[i + j * ld] * (j + k);
      }
    }
    OK(troupe_factorize(runtime, application, TROUPE_DOUBLE, a, n, n, ld, 32, &factors));
    OK(troupe_factorization_solve(factors, b, n, 2, ld));
    for (i = 0; i < n; ++i) {
      EXPECT(fabs(b[i] - i) < 1e-10 && fabs(b[i + ld] - (i + 1)) < 1e-10);
      EXPECT(a[n + i * ld] == 77);
    }
    EXPECT(troupe_factorization_solve(factors, b, n - 1, 1, ld) == TROUPE_INVALID_ARGUMENT);
    troupe_factorization_free(factors);
  }
  memset(single, 0, sizeof single);
  EXPECT(troupe_factorize(runtime, TROUPE_CHOLESKY, TROUPE_FLOAT, single, n, n, ld, 0, &factors) == TROUPE_NUMERICAL);
  EXPECT(strstr(troupe_error_message(), "not positive definite") != NULL);
  EXPECT(troupe_factorize(runtime, TROUPE_LU, TROUPE_DOUBLE, a, n, n - 1, ld, 0, &factors) == TROUPE_INVALID_ARGUMENT);
  EXPECT(troupe_factorize(runtime, TROUPE_LU, TROUPE_INT32, a, n, n, ld, 0, &factors) == TROUPE_INVALID_ARGUMENT);
  EXPECT(troupe_factorize(runtime, 7, TROUPE_DOUBLE, a, n, n, ld, 0, &factors) == TROUPE_INVALID_ARGUMENT);
  EXPECT(troupe_factorize(runtime, TROUPE_LU, TROUPE_DOUBLE, a, n, n, n - 1, 0, &factors) == TROUPE_INVALID_ARGUMENT);
  return NULL;
}
