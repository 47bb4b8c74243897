"""Runs a program's task graph in virtual time: how long would it take on another machine, with more GPUs, under another
policy?

>>> import troupe
>>> sim = troupe.Simulation("idgraf-double")
>>> scale = sim.codelet("scale", ["rw"], times={"cores": 1e-2, "gpus": 1e-3})
>>> blocks = [sim.data((1024, 1024)) for _ in range(32)]
>>> for _ in range(10):
...     for block in blocks:
...         sim.submit(scale, block)
>>> for gpus in (0, 1, 2, 4):
...     print(gpus, sim.run(gpus=gpus).makespan)

Nothing is computed, and data need no memory. A task takes the time that its codelet gives, and a copy between memories
takes the time that follows from the links of the described machine. Everything else is the real code of Troupe, with
its policies and its memory manager. Equal programs give equal results, on any machine.
"""

import math
import numbers
import operator
import os

from ._troupe import _simulation

__all__ = ["Machine", "SimulatedCodelet", "SimulatedData", "SimulatedRun", "Simulation", "machines"]

_MODES = {
    "r": "read",
    "read": "read",
    "w": "write",
    "write": "write",
    "rw": "read_write",
    "read_write": "read_write",
    "commute": "commute",
    "reduce": "reduce",
}


def machines():
    """Returns the names of the machines that come with Troupe. The path of a description can replace such a name."""
    return list(_simulation.machines())


class Machine:
    """A described machine: cores, GPUs, links and the times of known kernels (docs/platforms.md)."""

    def __init__(self, name_or_path):
        self._machine = _simulation.Machine(os.fsencode(name_or_path))

    @property
    def name(self):
        """The name of the machine in reports."""
        return self._machine.name

    @property
    def cores(self):
        """The number of the machine's cores. Each GPU in use needs one core, which drives the GPU and runs no tasks."""
        return self._machine.cores

    @property
    def gpus(self):
        """The number of the machine's GPUs."""
        return self._machine.gpus

    def __repr__(self):
        return f"<troupe.simulation.Machine {self.name!r}: {self.cores} cores, {self.gpus} GPUs>"


class SimulatedData:
    """Data that have a shape but no memory. `Simulation.data` makes them."""

    __slots__ = {
        "shape": "As numpy has it.",
        "dtype": "The elements' type, as numpy has it.",
        "name": "For people; may be empty.",
        "_simulation": None,
        "_number": None,
    }

    def __init__(self, simulation, number, shape, dtype, name):
        self._simulation = simulation
        self._number = number
        self.shape = shape
        self.dtype = dtype
        self.name = name

    @property
    def nbytes(self):
        """The number of bytes of all elements. A copy between memories moves so many bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __repr__(self):
        return f"<troupe.simulation.SimulatedData {self.name or self._number}: {self.dtype} {self.shape}>"


class SimulatedCodelet:
    """A codelet: how its tasks access their data, and how long they take. `Simulation.codelet` makes it."""

    __slots__ = {
        "name": "For reports and traces.",
        "modes": "One for each of a task's data.",
        "_simulation": None,
        "_times": None,
        "_deviation": None,
        "_timed_as": None,
        "_flops": None,
        "_kernels": None,
    }

    def __init__(self, simulation, name, modes, times, deviation, timed_as, flops):
        self._simulation = simulation
        self.name = name
        self.modes = modes
        self._times = times
        self._deviation = deviation
        self._timed_as = timed_as
        self._flops = flops
        # Maps the shapes and other arguments of a task to the number of the kernel with the task's times and
        # operations.
        self._kernels = {}

    def __repr__(self):
        return f"<troupe.simulation.SimulatedCodelet {self.name!r}({', '.join(self.modes)})>"

    def _kernel(self, sizes):
        try:
            number = self._kernels.get(sizes)
        except TypeError:
            other = next(size for size in sizes if not _can_be_hashed(size))
            raise TypeError(
                f"codelet '{self.name}': argument {other!r} can be changed, and times are asked for once for equal "
                "arguments: pass numbers, texts or tuples"
            ) from None
        if number is None:
            core, gpu = (self._seconds(kind, sizes) for kind in ("cores", "gpus"))
            flops = _number(self._flops, sizes, f"codelet '{self.name}': flops")
            number = self._simulation._graph.add_kernel(
                self.name, self.modes, core, gpu, self._deviation, self._timed_as or "", flops or 0.0
            )
            self._kernels[sizes] = number
        return number

    def _seconds(self, kind, sizes):
        return _number(self._times.get(kind), sizes, f"codelet '{self.name}': the time on {kind}")


def _number(given, sizes, what):
    """Returns `given` as a float; if it is a function, returns its result for the sizes. None stays None."""
    if callable(given):
        given = given(*sizes)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        raise TypeError(f"{what} is {given!r}: a number is expected, or a function of the data's shapes that gives one")
    return float(given)


class SimulatedRun:
    """The result of one run in virtual time. `Simulation.run` returns it."""

    __slots__ = ("_outcome", "_title", "_trace")

    def __init__(self, outcome, title):
        self._outcome = outcome
        self._title = title
        self._trace = None

    @property
    def makespan(self):
        """The seconds of virtual time from the beginning until the last task has ended."""
        return self._outcome.makespan

    @property
    def trace(self):
        """A `troupe.Trace`, which shows which worker ran which task when. It can be written to a file and drawn."""
        if self._trace is None:
            self._trace = self._outcome.trace(self._title)
        return self._trace

    def report(self):
        """Returns a report of the work of each worker and the copies between memories, as `Runtime.report` does."""
        return self._outcome.report()

    def __repr__(self):
        return f"<troupe.simulation.SimulatedRun of {self._title}: {self.makespan:.6g} s>"


class Simulation:
    """A graph of tasks that can be run in virtual time on a described machine, any number of times.

    `machine`: a `Machine`, the name of a machine that comes with Troupe (`machines()`), or the path of a description.
    An option that is None has its default value. The following options can also be passed to `run`, for one run:
    """

    __slots__ = {
        "machine": "The `Machine` that it runs on.",
        "_options": None,
        "_graph": None,
    }

    def __init__(self, machine, **options):
        self.machine = machine if isinstance(machine, Machine) else Machine(machine)
        self._options = options
        _simulation.Options(**options)
        self._graph = _simulation.Graph()

    def data(self, shape, dtype="float64", name=""):
        """Returns data of this shape, without memory. `shape` is an int or a tuple of ints, as in numpy."""
        import numpy  # The package can be imported without numpy.

        shape = _shape_of(shape)
        dtype = numpy.dtype(dtype)
        if math.prod(max(extent, 1) for extent in shape) * dtype.itemsize > _MOST_BYTES:
            raise ValueError(f"data of shape {shape} and dtype {dtype} have more bytes than any memory")
        rows = int(math.prod(shape[:-1])) if len(shape) > 1 else int(shape[0]) if shape else 1
        cols = int(shape[-1]) if len(shape) > 1 else 1
        number = self._graph.add_data(rows, cols, dtype.itemsize, name)
        return SimulatedData(self, number, shape, dtype, name)

    def codelet(self, name, modes, times=None, *, deviation=0.0, timed_as=None, flops=None):
        """Returns a codelet. `modes`: the access mode for each of a task's data ("read", "write", "rw", "commute",
        "reduce").

        `times`: seconds by kind of device, `{"cores": 1e-2, "gpus": 1e-3}`; tasks do not run on a kind that is missing.
        A time may be a function. It is called with the shapes of a task's data and the task's other arguments, in the
        order of `submit`, once for each combination of these. `deviation`: the standard deviation divided by the mean,
        for runs with noise. `timed_as`: in place of `times`, a kernel of the machine's description, such as
        "cholesky/gemm/double". `flops`: the operations of a task, a number or a function as above; with `timed_as` they
        determine the size of the task. Without `flops`, the task counts as one of the largest measured size.
        """
        words = [modes] if isinstance(modes, str) else list(modes)
        for word in words:
            if word not in _MODES:
                raise ValueError(f"codelet '{name}': mode {word!r} is none of {', '.join(_MODES)}")
        modes = [_MODES[word] for word in words]
        times = {} if times is None else dict(times)
        for kind in times:
            if kind not in ("cores", "gpus"):
                raise ValueError(f'codelet \'{name}\': a time on {kind!r}: "cores" and "gpus" are the kinds of devices')
        if bool(times) == bool(timed_as):
            raise ValueError(f"codelet '{name}': either times={{'cores': seconds, 'gpus': seconds}} or timed_as=")
        return SimulatedCodelet(self, name, modes, times, float(deviation), timed_as, flops)

    def submit(self, codelet, *arguments, priority=0, name=""):
        """Adds a task. The task's data are the `SimulatedData` among the arguments. The codelet's functions, if there
        are any, get all arguments."""
        if not isinstance(codelet, SimulatedCodelet) or codelet._simulation is not self:
            raise TypeError(f"{codelet!r} is no codelet of this simulation: make one by Simulation.codelet")
        data = []
        sizes = []
        for argument in arguments:
            if isinstance(argument, SimulatedData):
                if argument._simulation is not self:
                    raise ValueError(f"{argument!r} belongs to another simulation")
                data.append(argument._number)
                sizes.append(argument.shape)
            else:
                sizes.append(argument)
        self._graph.add_task(codelet._kernel(tuple(sizes)), data, priority, name)

    def wait(self):
        """Adds a wait: in virtual time, the program waits here for all earlier tasks before it submits more.
        """
        self._graph.add_wait()

    def __len__(self):
        """Returns the number of tasks."""
        return len(self._graph)

    def run(self, **options):
        """Runs all tasks from the beginning, and returns a `SimulatedRun`. The options are valid only for this run."""
        settled = _simulation.Options(**{**self._options, **options})
        title = f"{len(self)} tasks on {self.machine.name}, {settled.gpus} GPUs, policy {settled.policy}"
        return SimulatedRun(self._graph.run(self.machine._machine, settled), title)


# Python without docstrings (-OO) has none to add to.
Simulation.__doc__ = (Simulation.__doc__ or "").rstrip() + "\n\n" + _simulation.option_text

# This limit is larger than any memory, but small enough that computations with it do not overflow 64 bits.
_MOST_BYTES = 1 << 60


def _shape_of(given):
    """Returns a shape as a tuple of ints, as in numpy."""
    extents = given if isinstance(given, (tuple, list)) or not hasattr(given, "__index__") else (given,)
    try:
        shape = tuple(operator.index(extent) for extent in extents)
    except TypeError:
        raise TypeError(f"shape is an int or several of them, not {given!r}") from None
    if any(extent < 0 for extent in shape):
        raise ValueError(f"shape={given!r}: negative dimensions are not allowed")
    return shape


def _can_be_hashed(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True
