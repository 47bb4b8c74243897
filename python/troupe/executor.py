"""An executor of `concurrent.futures`, whose functions run on the workers of a runtime."""

import atexit
import collections
import concurrent.futures
import functools
import itertools
import logging
import operator
import os
import threading
import time
import weakref
from concurrent.futures.thread import BrokenThreadPool

from . import _troupe, futures
from .errors import TroupeError, WaitInKernel

_logger = logging.getLogger("concurrent.futures")
_open = weakref.WeakSet()  # the pools that the end of the program waits for
_exiting = False
_TURN = 1e-3  # the time in seconds in which one task may begin further functions


class _Future(concurrent.futures.Future):
    """A future that a function of the same executor may wait for: it calls the awaited function itself, if no worker has
    begun it. Waits in other functions and kernels of the runtime are refused, because no worker might be left to end
    it."""

    _runtime = None
    _work = None  # the work that was submitted; None when it has ended

    def result(self, timeout=None):
        self._wait_in_worker(timeout)
        try:
            return super().result(timeout)
        finally:
            self = None  # no cycle through the traceback

    def exception(self, timeout=None):
        self._wait_in_worker(timeout)
        return super().exception(timeout)

    def _wait_in_worker(self, timeout):
        if self._state not in ("PENDING", "RUNNING") or not _troupe._in_kernel_of(self._runtime):
            return
        work = self._work
        if work is None:  # the function has just ended
            return
        pool = work.pool
        running = pool.running_here()
        # A task of this executor may wait for another function. The task of that function then runs on top of the
        # waiting task.
        if not running or pool.here.task != _troupe._task_here():
            raise WaitInKernel(
                "a function or kernel waited for a function of an executor that runs on its own runtime, whose workers "
                "may all wait then: wait in a function of the same executor, or in the thread that submitted it"
            )
        if work in running:
            raise WaitInKernel("a function waited for its own end")
        if timeout is None or timeout > 0:
            work.run_once(running)


class _Work:
    """One submitted function. Its task calls it on a worker, and then, for a while, other functions that wait."""

    __slots__ = ("pool", "future", "function", "arguments", "keywords", "begun", "following", "turn")

    def __init__(self, pool, future, function, arguments, keywords):
        self.pool = pool
        self.future = future
        self.function = function
        self.arguments = arguments
        self.keywords = keywords
        self.begun = False
        self.following = None  # a later piece of work that the same task runs now
        self.turn = [None]  # whoever takes the element runs the function: its task, or a function that waits for it

    def __call__(self):
        pool = self.pool
        until = time.monotonic() + _TURN
        self.begun = True
        work = self
        running = pool.running_here()
        pool.here.task = _troupe._task_here()
        while True:
            work.run_once(running)
            ended = work
            work = self.following = pool.ended(ended, until)
            ended = None
            if work is None:
                return

    def take_turn(self):
        """Returns True to the first caller only, which is to run the function or to end its future."""
        try:
            self.turn.pop()
            return True
        except IndexError:
            return False

    def run_once(self, running):
        """Calls the function in this thread, unless another thread has taken its turn. `running`: the works of this
        thread (`_Pool.running_here`)."""
        if not self.take_turn():
            return
        pool = self.pool
        running.append(self)
        try:
            if pool.stop is not None and pool.stop.stop_requested():
                self._cancel()
            elif pool.initializer is None or pool.initialize():
                self._run()
            else:
                self._fail(BrokenThreadPool(pool.broken))
        finally:
            running.pop()
        # The next function of this task may take long, so drop the references of this function.
        future, self.future = self.future, None
        if future is not None:
            future._work = None
            del future  # no cycle through the traceback, whose frames refer to this frame
        self.arguments = self.keywords = None

    def _run(self):
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self.function(*self.arguments, **self.keywords)
        except BaseException as error:
            self.future.set_exception(error)
            self = None  # no cycle through the traceback
        else:
            self.future.set_result(result)

    # The next functions are for pieces of work that no task runs or will run.

    def fail(self, error):
        if self.take_turn():
            self._fail(error)

    def _fail(self, error):
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)

    def cancel(self):
        future = self.future
        first = self.take_turn()
        # If another thread has taken the turn and not begun yet, it notifies all threads that wait for the future.
        if future is not None and first:
            self._cancel()
        elif future is not None:
            future.cancel()

    def _cancel(self):
        if self.future.cancel():
            self.future.set_running_or_notify_cancel()

    def give_up(self):
        """Called when the task has not come to its end: it was cancelled, or its worker died. Functions that wait for
        their turn were submitted before the runtime cancelled its tasks, and are cancelled with them."""
        work = self.following or self
        future = work.future
        if not self.begun:
            work.cancel()
            self.pool.cancel_waiting()
        elif future is not None and not future.done():
            future.set_exception(TroupeError("the worker that ran the function has died"))
        self.pool.ended(work)


class _Pool:
    """The state that an executor and its tasks share. It does not refer to the executor, which may be gone before."""

    def __init__(self, runtime, stop, owned, limit, initializer, initargs):
        self.runtime = runtime
        self.stop = stop  # a StopToken, or None
        self.owned = owned
        self.limit = limit
        self.initializer = initializer
        self.initargs = initargs
        self.here = threading.local()
        # The lock may be taken again by its thread, because collecting garbage may end an executor at any time.
        self.lock = threading.RLock()
        self.idle = threading.Condition(self.lock)
        self.begun = set()  # at most `limit` functions, which have a task
        self.waiting = collections.deque()  # the functions that have not begun
        self.shut = False
        self.broken = False
        self.closer = None
        self.closing = threading.Lock()
        _open.add(self)

    def submit(self, work):
        with self.lock:
            if self.broken:
                raise BrokenThreadPool(self.broken)
            if self.shut:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if _exiting:
                raise RuntimeError("cannot schedule new futures after interpreter shutdown")
            if len(self.begun) >= self.limit:
                self.waiting.append(work)
                return
            self.begun.add(work)
        try:
            self.runtime._submit_work(work, work.function, self.stop)
        except BaseException:
            self.ended(work)
            raise

    def running_here(self):
        """Returns the works whose functions this thread is in; each work waits for the next work in the list."""
        try:
            return self.here.running
        except AttributeError:
            self.here.running = []
            return self.here.running

    def _next(self):
        """Takes the first work that waits. A function that waited for it may have run it already."""
        try:
            return self.waiting.popleft()
        except IndexError:
            return None

    def ended(self, work, until=0.0):
        """Called when a function has ended, so that the next one can begin: never more than `limit` have begun. Before
        `until` the calling task is to run the next one, which is returned. Later it gets a task of its own, so that
        other tasks have their turn."""
        while True:
            before = work
            work = self._next()  # without the lock, which threads that submit would wait for
            if work is None:
                with self.lock:
                    work = self._next()
                    if work is None:
                        self.begun.discard(before)
                        if not self.begun:
                            self.idle.notify_all()
                        return None
            self.begun.add(work)
            self.begun.discard(before)
            if time.monotonic() < until:
                return work
            try:
                self.runtime._submit_work(work, work.function, self.stop)
                return None
            except Exception:  # the runtime takes no more tasks
                work.cancel()

    def initialize(self):
        """Calls the initializer, once in each thread. Returns False if it failed, here or elsewhere."""
        if getattr(self.here, "ready", False):
            return True
        if self.broken:
            return False
        try:
            self.initializer(*self.initargs)
        except BaseException:
            _logger.critical("Exception in initializer:", exc_info=True)
            self._break("A thread initializer failed, the thread pool is not usable anymore")
            return False
        self.here.ready = True
        return True

    def _break(self, why):
        with self.lock:
            self.broken = why
        while (work := self._next()) is not None:
            work.fail(BrokenThreadPool(why))

    def take_no_more(self, cancel):
        with self.lock:
            self.shut = True
            begun = [work.future for work in self.begun.copy()]
        if not cancel:
            return
        self.cancel_waiting()
        if not self.owned:  # a shared runtime may begin other tasks first; the executor's own has no others
            for future in begun:
                if future is not None:  # if there is no future, the function has just ended
                    future.cancel()  # its task notifies the threads that wait for it

    def cancel_waiting(self):
        while (work := self._next()) is not None:
            work.cancel()

    def finish(self):
        """Waits for all functions, and ends the executor's own runtime."""
        if _troupe._in_kernel_of(self.runtime):
            raise WaitInKernel(
                "a function waited for the end of the executor that runs it: shutdown(wait=False) does not wait"
            )
        closer = self.closer
        if closer is not None:
            closer.join()
        elif self.owned:
            self._close()
        else:
            with self.lock:
                self.idle.wait_for(lambda: not self.begun and not self.waiting)
        _open.discard(self)

    def finish_later(self):
        """Ends the executor's own runtime in a thread of its own, which waits for the functions."""
        with self.lock:
            if not self.owned or self.closer is not None or self.runtime.closed:
                return
            self.closer = threading.Thread(target=self._close, name="troupe executor")
            self.closer.start()

    def _close(self):
        try:
            with self.closing:  # all threads that wait go on only after the end
                self.runtime.close()
        finally:
            self.cancel_waiting()  # an interrupt may have ended the runtime before these functions


def _naming(prefix, initializer):
    """Returns an initializer that names its thread, and then calls `initializer` if that is not None."""
    numbers = itertools.count()

    def initialize(*initargs):
        threading.current_thread().name = f"{prefix}_{next(numbers)}"
        if initializer is not None:
            initializer(*initargs)

    return initialize


class Executor(concurrent.futures.Executor):
    """Calls functions on the workers of a runtime, as `concurrent.futures.ThreadPoolExecutor` does in threads.

        with troupe.Executor() as executor:
            future = executor.submit(pow, 2, 10)
            print(future.result(), list(executor.map(abs, [-1, 2, -3])))

    `max_workers`: how many functions run at once; None: as many as there are workers. `runtime`: the runtime on whose
    workers they run, beside its other tasks, and which outlives the executor; None: one of the executor's own, with
    `max_workers` workers that are not bound to cores, and with `options`, which are those of `Runtime`.
    `stop`: a `troupe.StopToken`; once it is told to stop, functions that have not begun are cancelled, and
    `troupe.cancelled()` is true in those that run. `initializer(*initargs)` is called in each worker before its first function; if it raises, the executor is broken,
    as a ThreadPoolExecutor is. `thread_name_prefix`: if given, Python calls the threads of the workers by this name and a
    number from then on.

    Futures are `concurrent.futures.Future` objects. A function may submit to its own executor and wait for `result()`,
    `exception()` or `map`: it calls the awaited function itself if no worker has begun it, and `timeout` does not end
    that call. Waits for other executors on the same runtime are refused (`WaitInKernel`). A service runs no functions
    of this program (`NoImplementation`).
    """

    def __init__(
        self,
        max_workers=None,
        *,
        runtime=None,
        stop=None,
        thread_name_prefix="",
        initializer=None,
        initargs=(),
        **options,
    ):
        if max_workers is not None:
            try:
                max_workers = operator.index(max_workers)
            except TypeError:
                raise TypeError(f"max_workers is int or None, not {max_workers!r}") from None
            if max_workers <= 0:
                raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError(f"initializer must be a callable, not {initializer!r}")
        if stop is not None and not isinstance(stop, _troupe.StopToken):
            raise TypeError(f"stop is a troupe.StopToken, not {stop!r}")
        if not isinstance(thread_name_prefix, str):
            raise TypeError(f"thread_name_prefix must be a string, not {thread_name_prefix!r}")
        if thread_name_prefix:
            initializer = _naming(thread_name_prefix, initializer)
        owned = runtime is None
        if owned:
            runtime = _start_runtime(max_workers, options)
        elif options:
            raise TypeError(
                f"{', '.join(options)}: options of a runtime, and the executor was given a runtime that has its own"
            )
        _troupe._require_executor(runtime)
        self._max_workers = max_workers or runtime.workers
        self._pool = _Pool(runtime, stop, owned, self._max_workers, initializer, initargs)
        futures.start_thread()

    def submit(self, fn, /, *args, **kwargs):
        """Calls `fn(*args, **kwargs)` on a worker. Returns a `concurrent.futures.Future`. Raises RuntimeError after
        `shutdown`, and where the runtime has ended."""
        if not callable(fn):
            raise TypeError(f"submit takes a function first, then its arguments: {fn!r} cannot be called")
        pool = self._pool
        future = _Future()
        future._runtime = pool.runtime
        future._work = work = _Work(pool, future, fn, args, kwargs)
        pool.submit(work)
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        """Returns an iterator over `fn(*items)` for the items of the iterables, in their order. The functions are
        submitted at once, `chunksize` of them in each task: more than one saves time where functions are short. Raises
        TimeoutError where a result is not there `timeout` seconds after the call of `map`."""
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        if chunksize == 1:
            return super().map(fn, *iterables, timeout=timeout)
        run = functools.partial(_run_chunk, fn)
        return _items_of(super().map(run, _chunks(zip(*iterables), chunksize), timeout=timeout))

    def shutdown(self, wait=True, *, cancel_futures=False):
        """Takes no more functions. Waits for those that were submitted, unless `wait` is False, and ends the executor's
        own runtime. `cancel_futures`: cancels those that have not begun."""
        self._pool.take_no_more(cancel_futures)
        if wait:
            self._pool.finish()
        else:
            self._pool.finish_later()

    @property
    def _broken(self):
        return self._pool.broken

    def __del__(self):
        pool = getattr(self, "_pool", None)
        if pool is not None and not _exiting:
            pool.take_no_more(False)
            pool.finish_later()


def _start_runtime(max_workers, options):
    # Functions in Python wait for the interpreter's lock more than for caches, and the submitting thread needs a core
    # as well, which a bound worker would occupy.
    options = {"bind": False, **options}
    if max_workers is not None and "cores" not in options:
        options |= {"cores": max_workers, "oversubscribe": True}
    return _troupe.Runtime(**options)


def _chunks(items, size):
    while chunk := list(itertools.islice(items, size)):
        yield chunk


def _run_chunk(function, chunk):
    return [function(*items) for items in chunk]


def _items_of(chunks):
    for chunk in chunks:
        yield from chunk


def _finish_all():
    global _exiting
    _exiting = True
    for pool in list(_open):
        pool.take_no_more(False)
        pool.finish()


def _after_fork():
    global _open
    _open = weakref.WeakSet()


# Functions of atexit run later, so their submissions are refused, as submissions to a ThreadPoolExecutor are.
getattr(threading, "_register_atexit", atexit.register)(_finish_all)
os.register_at_fork(after_in_child=_after_fork)
