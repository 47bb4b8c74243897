"""A backend for joblib, whose jobs run on the workers of a runtime."""

import concurrent.futures
import functools
import multiprocessing
import threading

from . import _troupe
from .errors import WaitInKernel
from .executor import Executor


def register_joblib():
    """Registers the backend "troupe" with joblib, for `joblib.parallel_backend("troupe")`. Its jobs are functions in
    threads of this process; `runtime=rt` names the runtime on whose workers they run:

        troupe.register_joblib()
        with joblib.parallel_backend("troupe", n_jobs=4):
            results = joblib.Parallel()(joblib.delayed(f)(x) for x in items)

    With joblib 1.3 and later, `Parallel(return_as="generator")` and, from 1.4 on, "generator_unordered" work as well.

    Raises ImportError where joblib is not installed.
    """
    try:
        import joblib
    except ImportError as error:
        raise ImportError("register_joblib needs joblib, which is not installed (Debian: python3-joblib)") from error
    joblib.register_parallel_backend("troupe", _backend())


class _Job:
    """The object that joblib before 1.3 asks for the result of a batch of jobs."""

    def __init__(self, future):
        self._future = future

    def get(self, timeout=None):
        try:
            return self._future.result(timeout)
        except concurrent.futures.TimeoutError as error:
            if self._future.done():
                raise  # the exception of the job itself
            # The backends of joblib raise this class, which is not Python's own TimeoutError.
            raise multiprocessing.TimeoutError from error


class _Callbacks:
    """Calls the callbacks of one executor's batches until joblib has ended or aborted its call. A later callback would
    mix batches of that call with those of the next one."""

    def __init__(self):
        self._changed = threading.Condition()
        self._over = False
        self._running = []  # the threads that are in a callback

    def call(self, callback, future):
        here = threading.get_ident()
        with self._changed:
            if self._over:
                return
            self._running.append(here)
        try:
            callback(future)
        finally:
            with self._changed:
                self._running.remove(here)
                self._changed.notify_all()

    def end(self):
        """Returns when no other thread is in a callback any more."""
        here = threading.get_ident()
        with self._changed:
            self._over = True
            self._changed.wait_for(lambda: all(thread == here for thread in self._running))


@functools.cache
def _backend():
    import joblib
    from joblib._parallel_backends import FallbackToBackend, ParallelBackendBase, SequentialBackend

    class TroupeBackend(ParallelBackendBase):
        supports_timeout = True
        # Since 1.3, joblib takes results in the callback of a batch, and then can return generators.
        supports_retrieve_callback = True
        uses_threads = True
        supports_sharedmem = True

        def __init__(self, runtime=None, **options):
            super().__init__(**options)
            self._runtime = runtime
            self._executor = None
            self._callbacks = None

        def effective_n_jobs(self, n_jobs):
            if n_jobs == 0:
                raise ValueError("n_jobs == 0 in Parallel has no meaning")
            if n_jobs is None:
                return 1
            return n_jobs if n_jobs > 0 else max(joblib.cpu_count() + 1 + n_jobs, 1)

        def configure(self, n_jobs=1, parallel=None, **options):
            n_jobs = self.effective_n_jobs(n_jobs)
            if n_jobs == 1:
                raise FallbackToBackend(SequentialBackend(nesting_level=self.nesting_level))
            # joblib looks for results again and again, and a worker that does so is not there to compute them.
            if self._runtime is not None and _troupe._in_kernel_of(self._runtime):
                raise WaitInKernel(
                    "joblib was called in a function or kernel of the runtime on whose workers its jobs are to run: "
                    "leave out runtime=, or call joblib outside of the runtime"
                )
            self.parallel = parallel
            self._executor = Executor(n_jobs, runtime=self._runtime)
            self._callbacks = _Callbacks()
            return n_jobs

        def submit(self, function, callback=None):
            future = self._executor.submit(function)
            if callback is not None:
                future.add_done_callback(functools.partial(self._callbacks.call, callback))
            return _Job(future)

        apply_async = submit  # the name in joblib before 1.4

        def retrieve_result_callback(self, future):
            return future.result()

        def terminate(self):
            if self._executor is not None:
                self._callbacks.end()
                self._executor.shutdown()
                self._executor = None

        def abort_everything(self, ensure_ready=True):
            if self._executor is not None:
                self._callbacks.end()
                self._executor.shutdown(wait=False, cancel_futures=True)
                self._executor = None
            if ensure_ready:
                self.configure(n_jobs=self.parallel.n_jobs, parallel=self.parallel)

    return TroupeBackend
