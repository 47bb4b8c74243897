/* Runs a task, in C. */
#include <stdio.h>
#include <troupe/troupe.h>

int main(void) {
  troupe_runtime* runtime = NULL;
  troupe_codelet* nothing = NULL;
  if (troupe_start(1, NULL, &runtime) != TROUPE_OK || troupe_codelet_find("nothing", &nothing) != TROUPE_OK ||
      troupe_submit(runtime, nothing, NULL, 0, NULL, 0, NULL, NULL) != TROUPE_OK || troupe_wait(runtime) != TROUPE_OK) {
    printf("%s\n", troupe_error_message());
    return 1;
  }
  troupe_codelet_free(nothing);
  troupe_runtime_free(runtime);
  printf("a task from C\n");
  return 0;
}
