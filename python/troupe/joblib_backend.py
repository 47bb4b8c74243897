"""A backend for joblib, whose jobs run on the workers of a runtime."""

import concurrent.futures
import functools
import multiprocessing

from .executor import Executor


def register_joblib():
    """Registers the backend "troupe" with joblib, for `joblib.parallel_backend("troupe")`. Its jobs are functions in
    threads of this process; `runtime=rt` names the runtime on whose workers they run:

        troupe.register_joblib()
        with joblib.parallel_backend("troupe", n_jobs=4):
            results = joblib.Parallel()(joblib.delayed(f)(x) for x in items)

    Raises ImportError where joblib is not installed.
    """
    try:
        import joblib
    except ImportError as error:
        raise ImportError("register_joblib needs joblib, which is not installed (Debian: python3-joblib)") from error
    joblib.register_parallel_backend("troupe", _backend())


class _Job:
    """The object that joblib asks for the result of a batch of jobs."""

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


@functools.cache
def _backend():
    import joblib
    from joblib._parallel_backends import FallbackToBackend, ParallelBackendBase, SequentialBackend

    class TroupeBackend(ParallelBackendBase):
        supports_timeout = True
        uses_threads = True
        supports_sharedmem = True

        def __init__(self, runtime=None, **options):
            super().__init__(**options)
            self._runtime = runtime
            self._executor = None

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
            self.parallel = parallel
            self._executor = Executor(n_jobs, runtime=self._runtime)
            return n_jobs

        def submit(self, function, callback=None):
            future = self._executor.submit(function)
            if callback is not None:
                future.add_done_callback(callback)
            return _Job(future)

        apply_async = submit  # the name in joblib before 1.4

        def terminate(self):
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None

        def abort_everything(self, ensure_ready=True):
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
            if ensure_ready:
                self.configure(n_jobs=self.parallel.n_jobs, parallel=self.parallel)

    return TroupeBackend
