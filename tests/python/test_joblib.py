"""joblib runs on Troupe's workers, by the backend that `troupe.register_joblib` registers."""

import concurrent.futures
import gc
import multiprocessing
import threading
import time
import warnings

import pytest

import troupe


def fail(what):
    raise ValueError(what)


def fail_with(error):
    raise error


def version(joblib):
    return tuple(int(part) for part in joblib.__version__.split(".")[:2])


@pytest.fixture
def joblib():
    module = pytest.importorskip("joblib", reason="joblib is not installed")
    troupe.register_joblib()
    return module


@pytest.fixture
def generators(joblib):
    if version(joblib) < (1, 3):
        pytest.skip(f"joblib {joblib.__version__} has no generators: those came with 1.3")
    return joblib


def test_joblib(rt, joblib):
    for options in ({}, {"runtime": rt}):
        with joblib.parallel_backend("troupe", n_jobs=2, **options):
            assert joblib.Parallel()(joblib.delayed(pow)(2, i) for i in range(100)) == [2**i for i in range(100)]
            assert joblib.Parallel(n_jobs=1)(joblib.delayed(abs)(-i) for i in range(3)) == [0, 1, 2]
            nested = joblib.delayed(lambda: joblib.Parallel()(joblib.delayed(abs)(-i) for i in range(3)))
            assert joblib.Parallel()(nested() for _ in range(4)) == [[0, 1, 2]] * 4
            with pytest.raises(ValueError, match="of a job"):
                joblib.Parallel()(joblib.delayed(fail)("of a job") for _ in range(5))
            with joblib.Parallel() as parallel:
                for _ in range(2):
                    assert parallel(joblib.delayed(abs)(-i) for i in range(3)) == [0, 1, 2]
            with pytest.raises(Exception, match="|"):
                joblib.Parallel(timeout=0.01)(joblib.delayed(time.sleep)(0.3) for _ in range(2))
    rt.wait()


def test_a_timeout_of_joblib_is_the_one_of_its_own_backends(rt, joblib):
    gate = threading.Event()
    with joblib.parallel_backend("troupe", n_jobs=2, runtime=rt):
        with pytest.raises(multiprocessing.TimeoutError):
            joblib.Parallel(timeout=0.05)(joblib.delayed(gate.wait)(3) for _ in range(2))
        gate.set()
        with pytest.raises(concurrent.futures.TimeoutError, match="its own"):
            joblib.Parallel(timeout=30)(
                joblib.delayed(fail_with)(concurrent.futures.TimeoutError("its own")) for _ in range(2)
            )


def test_joblib_where_it_is_not_installed(run_program):
    done = run_program(
        """
import sys
sys.modules["joblib"] = None
import troupe
try:
    troupe.register_joblib()
except ImportError as error:
    print(error)
"""
    )
    assert "register_joblib needs joblib, which is not installed" in done.stdout, done.stderr


@pytest.mark.parametrize("shared", [False, True])
def test_a_generator_of_joblib_gives_results_in_their_order(rt, generators, shared):
    joblib = generators
    begun = []

    def slower_first(i):
        begun.append(i)
        time.sleep(0.05 if i == 0 else 0)
        return i

    with joblib.parallel_config("troupe", n_jobs=2, **({"runtime": rt} if shared else {})):
        results = joblib.Parallel(return_as="generator")(joblib.delayed(slower_first)(i) for i in range(50))
        assert next(results) == 0
        assert list(results) == list(range(1, 50)) and sorted(begun) == list(range(50))
        # One object may be used for several calls.
        with joblib.Parallel(return_as="generator") as parallel:
            for _ in range(2):
                assert list(parallel(joblib.delayed(abs)(-i) for i in range(9))) == list(range(9))


def test_an_unordered_generator_of_joblib_gives_what_is_ready(generators):
    joblib = generators
    if version(joblib) < (1, 4):
        pytest.skip(f"joblib {joblib.__version__} has no unordered generators: those came with 1.4")
    gate = threading.Event()

    def work(i):
        assert i != 0 or gate.wait(60)
        return i

    with joblib.parallel_config("troupe", n_jobs=2):
        results = joblib.Parallel(return_as="generator_unordered")(joblib.delayed(work)(i) for i in range(20))
        first = [next(results) for _ in range(19)]
        gate.set()
        assert sorted(first) == list(range(1, 20)) and list(results) == [0]


def test_a_generator_of_joblib_raises_what_a_job_raised(generators):
    joblib = generators

    def work(i):
        return 1 // (i - 5)

    with joblib.parallel_config("troupe", n_jobs=2):
        results = joblib.Parallel(return_as="generator")(joblib.delayed(work)(i) for i in range(1000))
        with pytest.raises(ZeroDivisionError):
            list(results)


def test_a_generator_of_joblib_that_is_given_up_ends_its_jobs(rt, generators):
    joblib = generators
    ran = []

    # Each call has an object of its own, because joblib's objects keep tasks of a call that was given up for the next one,
    # with each backend.
    def generator(tasks):
        return joblib.Parallel(return_as="generator", pre_dispatch=4)(tasks)

    with joblib.parallel_config("troupe", n_jobs=2, runtime=rt):
        results = generator(joblib.delayed(ran.append)(i) for i in range(100_000))
        assert next(results) is None
        with pytest.warns(UserWarning, match="not used"):
            results.close()
        rt.wait()
        many = len(ran)
        assert many < 100_000
        forgotten = generator(joblib.delayed(abs)(-i) for i in range(10))
        assert next(forgotten) == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            del forgotten
            gc.collect()
        assert list(generator(joblib.delayed(abs)(-i) for i in range(10))) == list(range(10))
        assert len(ran) == many
    rt.wait()


def test_joblib_in_a_function_of_its_own_runtime_is_refused(rt, joblib):
    def inside():
        with joblib.parallel_backend("troupe", n_jobs=2, runtime=rt):
            return joblib.Parallel()(joblib.delayed(abs)(-i) for i in range(10))

    with pytest.raises(troupe.WaitInKernel, match="leave out runtime="):
        rt.call(inside).result(timeout=60)

    def beside():
        with joblib.parallel_backend("troupe", n_jobs=2):
            return joblib.Parallel()(joblib.delayed(abs)(-i) for i in range(10))

    assert rt.call(beside).result(timeout=60) == list(range(10))
