"""Makes the futures of Troupe usable with `concurrent.futures` and `asyncio`.

The functions below become members of `troupe.Future`. Callbacks run in one thread of this module, which is started when
the first callback is added."""

import asyncio
import atexit
import concurrent.futures
import logging
import os
import threading
import weakref

from . import _troupe

_logger = logging.getLogger("troupe")
_lock = threading.Lock()
_callbacks = {}  # maps the key of a task's cell to the future and its callbacks
_thread = None


def _run_callbacks():
    while keys := _troupe._take_ended():
        for key in keys:
            if not isinstance(key, int):  # a function of an executor that did not run
                _give_up(key)
                continue
            with _lock:
                future, callbacks = _callbacks.pop(key, (None, ()))
            for callback in callbacks:
                _call(callback, future)
            del future, callbacks
        del keys, key


def _call(callback, future):
    try:
        callback(future)
    except BaseException:  # the thread must go on to other callbacks
        _logger.exception("exception calling callback for %r", future)


def _start_thread():
    global _thread
    if _thread is None or not _thread.is_alive():
        _thread = threading.Thread(target=_run_callbacks, name="troupe callbacks", daemon=True)
        _thread.start()


def _give_up(work):
    try:
        work.give_up()
    except BaseException:  # the thread must go on
        _logger.exception("exception ending the future of %r", work.function)


def start_thread():
    """Starts the thread of callbacks, which also ends the futures of executors whose tasks were cancelled."""
    with _lock:
        _start_thread()


def _end():
    _troupe._end_all()
    if _thread is not None and _thread.is_alive() and _thread is not threading.current_thread():
        _thread.join(10)
    _troupe._stop_others()


def _after_fork():
    global _thread, _lock
    _thread = None
    _lock = threading.Lock()
    _callbacks.clear()


atexit.register(_end)
os.register_at_fork(after_in_child=_after_fork)


def add_done_callback(self, callback):
    """Calls `callback(future)` in a thread of this module when the task has ended; at once if the task has already
    ended."""
    key = self._key
    with _lock:
        if self._watch():
            _callbacks.setdefault(key, (self, []))[1].append(callback)
            _start_thread()
            return
    _call(callback, self)


def done(self):
    """Returns True if the task has ended, whether or not it succeeded. Never blocks."""
    return self.state not in ("pending", "recorded")


def cancelled(self):
    """Returns True if the task did not run, or not to its end: it was cancelled, or a task that it depends on failed or
    was cancelled."""
    return self.state == "cancelled"


def running(self):
    """Always returns False, because a future does not know whether its task has begun. `Runtime.why` shows the running
    tasks."""
    return False


def cancel(self):
    """Cancels the task if it has not been started; if it runs, its kernel learns of it from `troupe.cancelled()`. Tasks
    that read what a cancelled task writes are cancelled, too. Returns False if the task has already run, otherwise
    True."""
    if self.done():
        return self.cancelled()
    self._cancel()
    return True


def _outcome(future, timeout):
    """Waits for the task's end. Returns its exception, or None, and its result."""
    outcome = future._outcome(timeout)
    if outcome is None:
        raise concurrent.futures.TimeoutError(f"{future!r} has not ended within {timeout} s")
    return outcome


def result(self, timeout=None):
    """Waits for the task's end. Returns the kernel's result if the kernel is in Python, otherwise None. Raises a
    `TroupeError` if the task failed (the `__cause__` is the kernel's exception) or was cancelled, and `TimeoutError` if
    the task has not ended after `timeout` seconds. For `Runtime.call`: returns the function's result, or raises the
    function's own exception. In a kernel, which may wait for children of its own task, and where tasks run in the thread
    that waits (`deterministic=True`), a `timeout` above 0 has no effect."""
    failure, value = _outcome(self, timeout)
    if failure is not None:
        try:
            raise failure
        finally:
            failure = self = None  # no cycle through the traceback
    return value


def exception(self, timeout=None):
    """Waits for the task's end as `result` does. Returns the error of the task, or None if it succeeded."""
    return _outcome(self, timeout)[0]


def wait(self, timeout=None):
    """Waits for the task's end and raises its error, as `result` does, but returns nothing."""
    self.result(timeout)


def _await(self):
    if self.done() or self._runs_in_wait:
        return self.result()
    loop = asyncio.get_running_loop()
    waiting = loop.create_future()

    def ended(future):
        def tell():
            if not waiting.done():
                waiting.set_result(None)

        try:
            loop.call_soon_threadsafe(tell)
        except RuntimeError:  # the loop has been closed
            pass

    self.add_done_callback(ended)
    yield from waiting
    return self.result()


def _repr(self):
    return f"<troupe.Future of task {self.id}: {self.state}>"


class _Proxies:
    """A table of proxies. The proxy of a Troupe future is a `concurrent.futures.Future` that ends at the same time. Its
    private members, which functions such as `concurrent.futures.wait` use, serve as the members of the Troupe future.
    """

    def __init__(self):
        self._of = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def find(self, future):
        with self._lock:
            proxy = self._of.get(future)
            if proxy is not None:
                return proxy
            proxy = self._of[future] = concurrent.futures.Future()
        proxy.set_running_or_notify_cancel()
        future.add_done_callback(lambda ended: _end_proxy(proxy, ended))
        return proxy


def _end_proxy(proxy, future):
    # Waiters must get Troupe's own `future`, which the program passed to `concurrent.futures`, not its `proxy`.
    with proxy._condition:
        proxy._state = "FINISHED"
        for waiter in proxy._waiters:
            failed = future.state == "failed"
            (waiter.add_exception if failed else waiter.add_result)(future)
        proxy._condition.notify_all()


_proxies = _Proxies()


def _bind():
    members = {
        "add_done_callback": add_done_callback,
        "done": done,
        "cancelled": cancelled,
        "running": running,
        "cancel": cancel,
        "result": result,
        "exception": exception,
        "wait": wait,
        "__await__": _await,
        "__repr__": _repr,
        "_condition": property(lambda self: _proxies.find(self)._condition),
        "_state": property(lambda self: _proxies.find(self)._state),
        "_waiters": property(lambda self: _proxies.find(self)._waiters),
    }
    for name, member in members.items():
        setattr(_troupe.Future, name, member)
    # `asyncio.wrap_future` and `concurrent.futures.wait` accept only instances of `concurrent.futures.Future`.
    _troupe._set_class_of_futures(property(lambda self: concurrent.futures.Future))


_bind()
Future = _troupe.Future
