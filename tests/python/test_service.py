"""A runtime that is connected to a service works like any other runtime."""

import json

import numpy as np
import pytest

import troupe
import troupe.linalg
from conftest import program

if not hasattr(troupe._troupe, "connect"):
    pytest.skip("Troupe was built without its service", allow_module_level=True)


def test_kernels_that_come_with_troupe_run_there(service):
    a, b, c = (np.asfortranarray(np.full((5, 5), x)) for x in (2.0, 3.0, 100.0))
    with troupe.connect(service) as runtime:
        troupe.kernels["gemm_nn/double"](a, b, c, 0)
        runtime.wait()
        assert np.array_equal(c, np.full((5, 5), 100.0 - 5 * 6))
        assert runtime.report()["ended"] == 1
        with pytest.raises(troupe.TroupeError, match="troupe why"):
            runtime.why()
        with pytest.raises(troupe.TroupeError, match="a service gives no traces"):
            runtime.take_trace()


def test_deadlines_and_stop_tokens_are_refused_there(service):
    a, b, c = (np.asfortranarray(np.zeros((5, 5))) for _ in range(3))
    with troupe.connect(service) as runtime:
        for option in ({"deadline": 5}, {"stop": troupe.StopToken()}):
            with pytest.raises(troupe.InvalidArgument, match="are not carried to a service: submit it without"):
                troupe.kernels["gemm_nn/double"](a, b, c, 0, **option)


def test_arrays_of_three_dimensions_are_divided_there(service):
    with troupe.connect(service) as runtime:
        for a in (np.zeros((2, 3, 4), order="F"), np.zeros((2, 3, 5))[:, :, :4], np.zeros((4, 6, 4))[::2, 3:]):
            data = runtime.data(a)
            index = (np.s_[:1, ::2], np.s_[1:, :, :], np.s_[:1, 1:2])
            parts = data.partition(*index)
            for i, part in enumerate(parts):
                with part.acquire("write") as held:
                    assert held.shape == a[index[i]].shape
                    held[...] = i + 1
            with data.acquire("read") as held:
                assert (held[0, ::2] == 1).all() and (held[1] == 2).all() and (held[0, 1] == 3).all()
            around = data.halos(np.s_[:, 1:2, 1:2], rim=(0, 1, 1))[0]
            with around.acquire("read") as held:
                assert (held == a[:, :, :3]).all()
            front, back = data.repartition(np.s_[:, :, :2], np.s_[:, :, 2:])
            with back.acquire("write") as held:
                held[...] = 7
            runtime.wait()
            assert (a[:, :, 2:] == 7).all() and (a[1, :, :2] == 2).all()
            with pytest.raises(troupe.InvalidHandle), parts[0].acquire("read"):
                pass
            with pytest.raises(troupe.OverlappingHandles, match="overlaps another part"):
                data.partition(np.s_[:1])


def test_recordings_run_there(service):
    a, b, c = (np.asfortranarray(np.full((5, 5), x)) for x in (1.0, 1.0, 0.0))
    gemm = troupe.kernels["gemm_nn/double"]
    with troupe.connect(service) as runtime:
        graph = runtime.record(lambda: (gemm(a, b, c, 0), gemm(a, b, c, 0)), name="twice")
        assert graph.tasks == 2
        for _ in range(3):
            graph.run()
        graph.run().result()
        other = np.zeros((5, 5), order="F")
        graph.run(rebind=[(c, other)])
        runtime.wait()
        assert (c == -5.0 * 2 * 4).all() and (other == -5.0 * 2).all()

        def fails():
            gemm(a, b, c, 0)
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            runtime.record(fails)
        with pytest.raises(troupe.InvalidArgument, match="a recording inside of another"):
            runtime.record(lambda: runtime.record(lambda: None))
        with pytest.raises(troupe.InvalidArgument, match="rt.record\\(function\\)"):
            with runtime.record():
                pass
        gemm(a, b, other, 0)
        runtime.wait()
        assert (other == -5.0 * 3).all()
    with pytest.raises(troupe.Stopped):
        graph.run()
    del graph


def test_kernels_of_plugins_are_called_by_name(service):
    a, b, c = (np.asfortranarray(np.full((5, 5), x)) for x in (2.0, 3.0, 100.0))
    gemm = troupe.plugin_codelet("gemm_nn/double", "read", "read", "rw", "int64")
    with troupe.connect(service) as runtime:
        runtime.submit(gemm, a, b, c, 0)
        runtime.wait()
        assert np.array_equal(c, np.full((5, 5), 100.0 - 5 * 6))
        with pytest.raises(troupe.TroupeError, match="no_such_codelet"):
            runtime.submit(troupe.plugin_codelet("no_such_codelet", "rw"), a)
    with pytest.raises(ValueError, match="'doubel'"):
        troupe.plugin_codelet("scale", "rw", "doubel")


def test_factorizations_run_there(service):
    a = np.random.default_rng(1).standard_normal((200, 200))
    spd = a @ a.T + 200 * np.eye(200)
    with troupe.connect(service) as runtime:
        assert np.allclose(troupe.linalg.cholesky(spd, runtime=runtime), np.linalg.cholesky(spd))
        p, lower, upper = troupe.linalg.lu(a, runtime=runtime)
        assert np.allclose(p @ lower @ upper, a)
        q, r = troupe.linalg.qr(a, runtime=runtime)
        assert np.allclose(q @ r, a)
        assert np.allclose(a @ troupe.linalg.solve(a, a[0], runtime=runtime), a[0])
        with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
            troupe.linalg.cholesky(-spd, runtime=runtime)


def test_the_program_has_the_name_of_its_script(service):
    with troupe.connect(service, name="my program"):
        jobs = program(service, "jobs", "--json", capture_output=True, check=True)
        assert "my program" in json.dumps(json.loads(jobs.stdout))


def test_kernels_in_python_are_refused(service):
    @troupe.codelet("rw")
    def mine(x):
        pass

    with troupe.connect(service) as runtime:
        with pytest.raises(troupe.NoImplementation, match="mine"):
            runtime.submit(mine, np.zeros(3))


def test_a_folder_without_a_service(tmp_path):
    with pytest.raises(troupe.TroupeError, match=str(tmp_path)) as caught:
        troupe.connect(tmp_path)
    assert caught.value.code in ("io", "platform")


def test_plain_functions_are_refused(service):
    with troupe.connect(service) as runtime:
        for use in (lambda: runtime.call(int), lambda: troupe.Executor(runtime=runtime)):
            with pytest.raises(troupe.NoImplementation, match="a service runs no functions of this program"):
                use()
