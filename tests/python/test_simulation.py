"""Task graphs of the program in virtual time."""

import json

import numpy as np
import pytest

import troupe
from troupe.simulation import Machine, Simulation, machines


def chain_and_wide(tasks=32, **options):
    """A simulation of `tasks` independent chains. Each chain has ten tasks."""
    simulation = Simulation("idgraf-double", **options)
    scale = simulation.codelet("scale", "rw", times={"cores": 1e-2, "gpus": 1e-3})
    blocks = [simulation.data((64, 64)) for _ in range(tasks)]
    for _ in range(10):
        for block in blocks:
            simulation.submit(scale, block)
    return simulation


def test_a_chain_takes_the_sum_of_its_times():
    simulation = Simulation("idgraf-double")
    work = simulation.codelet("work", "rw", times={"cores": 0.25})
    x = simulation.data(10)
    for _ in range(4):
        simulation.submit(work, x)
    run = simulation.run()
    assert run.makespan == 1.0
    assert [task[0] for task in run.trace.tasks] == ["work"] * 4
    assert [(task[3], task[4]) for task in run.trace.tasks] == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)]
    assert len(simulation) == 4


def test_cores_and_gpus_share_what_is_independent():
    simulation = chain_and_wide()
    spans = {gpus: simulation.run(gpus=gpus).makespan for gpus in (0, 1, 2, 4)}
    # There are 320 tasks of 10 ms on 12 cores. With more GPUs, more of the tasks run at the same time.
    assert spans[0] == pytest.approx(320 * 1e-2 / 12, rel=0.2)
    assert spans[0] > spans[1] > spans[2] > spans[4]
    with_gpus = simulation.run(gpus=2).report()["workers"]
    assert sum("GPU" in worker["device"] for worker in with_gpus) == 2
    assert sum(worker["tasks"] for worker in with_gpus) == 320
    assert sum(worker["busy_seconds"] for worker in simulation.run(cores=1).report()["workers"]) == pytest.approx(3.2)


def test_equal_programs_give_equal_runs_and_noise_depends_on_the_seed():
    assert chain_and_wide().run(gpus=3).trace.tasks == chain_and_wide().run(gpus=3).trace.tasks
    simulation = Simulation("sirocco-double", noise=True)
    work = simulation.codelet("work", "read", times={"cores": 1e-3}, deviation=0.2)
    x = simulation.data(1)
    for _ in range(300):
        simulation.submit(work, x)
    one, other = simulation.run(seed=1), simulation.run(seed=2)
    assert one.makespan == simulation.run().makespan != other.makespan
    lengths = [end - start for *_, start, end in one.trace.tasks]
    assert np.mean(lengths) == pytest.approx(1e-3, rel=0.1)
    assert np.std(lengths) == pytest.approx(2e-4, rel=0.2)


def test_times_are_functions_of_shapes_and_arguments():
    calls = []

    def time(a, b, repeat):
        calls.append((a, b, repeat))
        return repeat * a[0] * b[1] * 1e-6

    simulation = Simulation("idgraf")
    product = simulation.codelet("product", ["read", "rw"], times={"cores": time})
    a = simulation.data((100, 50), np.float32)
    b = simulation.data((50, 30))
    for repeat in (1, 1, 2):
        simulation.submit(product, a, b, repeat)
    assert simulation.run().makespan == pytest.approx((1 + 1 + 2) * 100 * 30 * 1e-6)
    # The function is called only once for each combination of sizes and arguments.
    assert calls == [((100, 50), (50, 30), 1), ((100, 50), (50, 30), 2)]


def test_data_move_as_many_bytes_as_they_have():
    simulation = Simulation("idgraf-double", gpus=1)
    on_gpu = simulation.codelet("on_gpu", ["read", "write"], times={"gpus": 1e-3})
    on_core = simulation.codelet("on_core", "read", times={"cores": 1e-3})
    x = simulation.data((100, 200), np.float32, name="x")
    y = simulation.data(1000)
    assert (x.nbytes, y.nbytes) == (80000, 8000)
    simulation.submit(on_gpu, x, y)
    simulation.submit(on_core, y)
    copies = simulation.run().report()["transfers"]
    copied = [copies[f"bytes_{way}"] for way in ("host_to_device", "device_to_host", "device_to_device")]
    assert copied == [80000, 8000, 0]


def test_a_wait_of_the_program_is_a_barrier():
    def two_phases(waits):
        simulation = Simulation("idgraf", cores=2)
        short, long = (simulation.codelet(f"takes {s}", "rw", times={"cores": s}) for s in (1.0, 3.0))
        x, y = simulation.data(1), simulation.data(1)
        simulation.submit(short, x)
        simulation.submit(long, y)
        if waits:
            simulation.wait()
        simulation.submit(long, x)
        return simulation.run().makespan

    assert two_phases(False) == 4.0
    assert two_phases(True) == 6.0


def test_reductions_and_commuting_tasks():
    simulation = Simulation("idgraf", cores=4)
    add = simulation.codelet("add", ["read", "reduce"], times={"cores": 1.0})
    update = simulation.codelet("update", "commute", times={"cores": 1.0})
    total, x = simulation.data(()), simulation.data(10)
    for _ in range(8):
        simulation.submit(add, x, total)
    assert simulation.run().makespan == 2.0
    for _ in range(4):
        simulation.submit(update, total)
    assert simulation.run().makespan == 6.0


def test_priorities_and_names_reach_the_run():
    simulation = Simulation("idgraf", cores=1)
    work = simulation.codelet("work", "rw", times={"cores": 1.0})
    for i in range(3):
        simulation.submit(work, simulation.data(1), priority=i, name=f"task {i}")
    assert [task[1] for task in simulation.run(policy="heft").trace.tasks] == ["task 2", "task 1", "task 0"]


def test_kernels_of_the_description():
    simulation = Simulation("idgraf-double")
    gemm = simulation.codelet(
        "gemm", ["read", "read", "rw"], timed_as="cholesky/gemm/double", flops=lambda a, b, c: 2 * a[0] * a[1] * b[1]
    )
    tiles = [simulation.data((512, 512)) for _ in range(3)]
    simulation.submit(gemm, *tiles)
    # For this tile, the machine description has this number of operations.
    half = Simulation("idgraf-double")
    smaller = half.codelet("gemm", "rw", timed_as="cholesky/gemm/double", flops=2 * 320**3)
    half.submit(smaller, half.data((320, 320)))
    assert simulation.run().makespan > 3 * half.run().makespan > 0
    with pytest.raises(troupe.TroupeError, match="no times for kernel 'cholesky/potrs/double'"):
        missing = Simulation("idgraf-double")
        missing.submit(missing.codelet("x", "read", timed_as="cholesky/potrs/double"), missing.data(1))
        missing.run()


def test_a_run_writes_traces_and_says_where_the_time_went(tmp_path):
    run = chain_and_wide().run(gpus=1)
    run.trace.write(tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert sum(event.get("ph") == "X" and event["name"] == "scale" for event in events) == 320
    assert "critical path" in str(run.trace.analysis())
    assert run.trace.analysis()["codelets"][0]["tasks"] == len(run.trace) == 320
    with pytest.raises(troupe.TroupeError, match="t.txt"):
        run.trace.write(tmp_path / "t.txt")


def test_none_is_the_default_and_amounts_of_memory_are_texts():
    nothing = dict.fromkeys(["gpus", "policy", "seed", "gpu_memory", "noise", "model"])
    assert chain_and_wide(**nothing).run(**nothing).makespan == chain_and_wide().run().makespan
    small = chain_and_wide().run(gpus=np.int64(1), gpu_memory="200kB").report()["transfers"]
    assert small == chain_and_wide().run(gpus=[0], gpu_memory=200000).report()["transfers"]
    assert small != chain_and_wide().run(gpus=1).report()["transfers"]


def test_machines():
    assert "idgraf-double" in machines()
    machine = Machine("idgraf-double")
    assert (machine.name, machine.cores, machine.gpus) == ("idgraf-double", 12, 8)
    assert Simulation(machine).machine is machine


def wrong(build):
    return lambda: build(Simulation("idgraf-double"))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    (
        (lambda: Simulation("idgraph"), troupe.TroupeError, "no machine 'idgraph'.*idgraf"),
        (lambda: Simulation("idgraf", gpu=1), TypeError, "no option 'gpu'.* it has .*gpus"),
        (lambda: Simulation("idgraf", seed=-1), ValueError, "seed: '-1' is negative: give a whole number from 0 to 18"),
        (lambda: chain_and_wide().run(seed=1 << 64), ValueError, "seed: '18446744073709551616' is too large: give a"),
        (lambda: Simulation("idgraf", cores=-1), ValueError, "Simulation: cores: '-1' is negative: give a"),
        (lambda: Simulation("idgraf", memory_fraction=1.5), ValueError, "memory_fraction: '1.5' is too large: .* 1e-06 to 1"),
        (lambda: Simulation("idgraf", lookahead=2000), ValueError, "lookahead: '2000' is too large: .* from 0 to 1024"),
        (lambda: Simulation("idgraf", kernel_error=0.5), ValueError, "kernel_error: '0.5' is too small: .* from 1 to 1000000"),
        (lambda: Simulation("idgraf", clusters="?"), troupe.InvalidArgument, "Simulation: clusters: .*'\\?'"),
        (lambda: Simulation("idgraf", memory_fraction="1"), TypeError, "memory_fraction is float, not '1'"),
        (lambda: Simulation("idgraf", eviction="ru"), ValueError, "eviction: 'ru' is none of .* did you mean lru"),
        (lambda: chain_and_wide().run(gpus="2"), TypeError, "gpus is int or a list of int, not '2'"),
        (lambda: chain_and_wide().run(gpus=[0.7]), TypeError, "gpus is int or a list of int, not \\[0.7\\]"),
        (lambda: chain_and_wide().run(gpus=-1), ValueError, "gpus=-1: how many GPUs"),
        (lambda: chain_and_wide().run(gpus=1.5), TypeError, "gpus is int or a list of int"),
        (lambda: chain_and_wide().run(gpu_memory="much"), ValueError, "gpu_memory: 'much' is no amount of memory: give"),
        (lambda: chain_and_wide().run(noise="yes"), TypeError, "noise is bool"),
        (lambda: chain_and_wide().run(policy=3), TypeError, "policy is str, not 3"),
        (wrong(lambda s: s.data((1 << 40, 1 << 40))), ValueError, "more bytes than any memory"),
        (wrong(lambda s: s.data((1 << 70, 0))), ValueError, "1180591620717411303424"),
        (wrong(lambda s: s.data(2.5)), TypeError, "shape is an int or several of them, not 2.5"),
        (wrong(lambda s: s.data("ab")), TypeError, "shape is an int or several of them, not 'ab'"),
        (wrong(lambda s: s.submit(s.codelet("x", "rw", {"cores": 1}), s.data(1), [1])), TypeError, "argument \\[1\\] can be"),
        (
            wrong(lambda s: s.submit(s.codelet("x", "rw", {"cores": 1}), s.data(1), priority=0.5)),
            TypeError,
            "priority is int, not 0.5",
        ),
        (lambda: chain_and_wide().run(gpus=9), troupe.TroupeError, "has 8 GPUs, not 9"),
        (lambda: chain_and_wide().run(gpus=[0, 0]), troupe.TroupeError, "GPU 0 is named twice"),
        (lambda: chain_and_wide().run(policy="hefty"), troupe.TroupeError, "unknown policy 'hefty'"),
        (lambda: chain_and_wide().run(model="none"), ValueError, "model: 'none' is none of exact, learned"),
        (wrong(lambda s: s.codelet("x", ["readwrite"], {"cores": 1})), ValueError, "'readwrite' is none of r, read"),
        (wrong(lambda s: s.codelet("x", ["read"], {"core": 1})), ValueError, "'core': \"cores\" and \"gpus\""),
        (wrong(lambda s: s.codelet("x", ["read"])), ValueError, "either times="),
        (wrong(lambda s: s.submit(s.codelet("x", "read", {"cores": "1"}), s.data(1))), TypeError, "is '1': a number"),
        (wrong(lambda s: s.submit(s.codelet("x", "read", {"cores": 0}), s.data(1))), ValueError, "a time of 0 s on cores"),
        (wrong(lambda s: s.submit(s.codelet("x", "read", {"cores": 1}))), TypeError, "has 0 data: .* 1 modes"),
        (wrong(lambda s: s.submit("x", s.data(1))), TypeError, "'x' is no codelet of this simulation"),
        (
            wrong(lambda s: s.submit(s.codelet("x", "read", {"cores": 1}), Simulation("idgraf").data(1))),
            ValueError,
            "belongs to another simulation",
        ),
        (
            wrong(lambda s: s.submit(s.codelet("x", "read", {"gpus": 1}), s.data(1)) or s.run()),
            troupe.TroupeError,
            "'x' has a time on GPUs only",
        ),
        (wrong(lambda s: s.data(-1)), ValueError, "-1"),
    ),
)
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("policy", ["heft", "homeward", "mct"])
def test_times_of_one_codelet_are_learned_from_all_sizes_together(policy):
    simulation = Simulation("idgraf-double", gpus=4, policy=policy)
    work = simulation.codelet("work", "rw", times={"cores": lambda s: s[0] * 2e-7, "gpus": lambda s: s[0] * 1e-8})
    # No two tasks have the same size.
    for i in range(400):
        simulation.submit(work, simulation.data(20_000 + (i * 7919) % 180_000))
    learned, exact = (simulation.run(model=model) for model in ("learned", "exact"))
    assert learned.makespan <= 1.2 * exact.makespan
