/// `troupe.Data`: registered arrays, their parts, and access to them from the program.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "client/backend.hpp"
#include "python/module/array_blocks.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/kernels/reductions.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

PyTypeObject* data_type = nullptr;

using SharedData = std::shared_ptr<ArrayData>;

void require_registered(const ArrayData& data) {
  if (data.released()) raise(ErrorCode::invalid_handle, data.description() + " was released");
}

/// Throws if the data were released, or if the array is not in the form that was registered.
void require_usable(const ArrayData& data) {
  require_registered(data);
  data.require_unchanged(data.description());
}

/// The object behind `with data.acquire("rw") as array:`.
class Hold {
 public:
  Hold(SharedData data, AccessMode mode) : data_(std::move(data)), mode_(mode) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { give_back(); }

  py::object enter() {
    if (hold_ != nullptr) raise(ErrorCode::invalid_argument, "the data are held already");
    require_registered(*data_);
    runtime_ = data_->runtime()->runtime();
    std::optional<Result<client::Backend::Acquired>> acquired;
    RuntimeState::wait_without_lock([&] { acquired = runtime_->backend().acquire(data_->handle(), mode_); });
    hold_ = std::move(*acquired).value_or_throw().hold;
    return data_->array(writes(mode_));
  }
  void give_back() {
    if (hold_ != nullptr && !data_->runtime()->foreign()) runtime_->backend().give_back(std::exchange(hold_, nullptr));
    runtime_.reset();
  }

 private:
  SharedData data_;
  AccessMode mode_;
  std::shared_ptr<Runtime> runtime_;
  void* hold_ = nullptr;
};

std::unique_ptr<Hold> acquire(const SharedData& self, const std::string& word) {
  const AccessMode mode = mode_of(word);
  if (mode == AccessMode::commute || mode == AccessMode::reduce) {
    throw py::value_error("the program acquires data in mode read, write or rw");
  }
  if (writes(mode) && !self->writable()) {
    raise(ErrorCode::invalid_argument, self->description() + " is read-only, and cannot be acquired to write");
  }
  return std::make_unique<Hold>(self, mode);
}

/// Returns the array for `numpy.asarray(data)`. Waits until the tasks that write the array have ended, so that the
/// program does not read the data during a write. The result is read-only, because the runtime could not order a write
/// by the program with the tasks.
py::object as_array(const SharedData& self, const py::object& dtype, const py::object& copy) {
  Hold hold(self, AccessMode::read);
  const py::object array = hold.enter();
  const bool same = dtype.is_none() || py::dtype::from_args(dtype).equal(array.attr("dtype"));
  if (!copy.is_none() && !copy.cast<bool>() && !same) {
    throw py::value_error(self->description() + " has another dtype, and copy=False forbids the copy");
  }
  if (same && (copy.is_none() || !copy.cast<bool>())) return array;
  return same ? array.attr("copy")() : array.attr("astype")(dtype);
}

/// Returns the indexes of blocks that were given one by one, or as one list.
std::vector<py::object> indexes_in(const py::args& given) {
  std::vector<py::object> indexes;
  const bool one_list = given.size() == 1 && py::isinstance<py::list>(given[0]);
  for (const py::handle index : one_list ? py::reinterpret_borrow<py::object>(given[0]) : py::object(given)) {
    indexes.push_back(py::reinterpret_borrow<py::object>(index));
  }
  return indexes;
}

/// Makes data for the blocks at these indexes, whose handles `make` returns.
template <class Make>
std::vector<SharedData> add_blocks(const SharedData& self, const std::vector<py::object>& indexes, bool writable,
                                   const Make& make) {
  const py::array array = self->array(writable);
  std::vector<Block> blocks;
  for (const py::object& index : indexes) blocks.push_back(block_of(*self, index));
  const auto runtime = self->runtime()->runtime();
  std::vector<Handle> handles;
  {
    const RuntimeState::AsProgram as_program(*self->runtime());
    RuntimeState::wait_without_lock([&] { handles = make(*runtime, blocks); });
  }
  std::vector<SharedData> parts;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const py::array view = array[indexes[i]];
    ArrayForm form = form_of_part(*self, view, blocks[i]);
    auto part = std::make_shared<ArrayData>(self->runtime(), handles[i], view, std::move(form));
    part->whole = self;
    self->runtime()->make_known(part);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<SharedData> name_parts(const SharedData& self, std::vector<SharedData> parts) {
  for (std::size_t i = 0; i < parts.size() && !self->name.empty(); ++i) {
    parts[i]->name = fmt::format("{}[{}]", self->name, i);
  }
  return parts;
}

std::vector<SharedData> partition(const SharedData& self, const py::args& given) {
  require_usable(*self);
  const auto make = [&](Runtime& runtime, const std::vector<Block>& blocks) {
    return runtime.partition(self->handle(), blocks);
  };
  return name_parts(self, add_blocks(self, indexes_in(given), true, make));
}

std::vector<SharedData> repartition(const SharedData& self, const py::args& given) {
  require_usable(*self);
  const auto make = [&](Runtime& runtime, const std::vector<Block>& blocks) {
    return runtime.repartition(self->handle(), blocks);
  };
  return name_parts(self, add_blocks(self, indexes_in(given), true, make));
}

std::vector<SharedData> halos(const SharedData& self, const py::args& given, const py::object& rim) {
  require_usable(*self);
  std::vector<py::object> indexes;
  std::vector<py::tuple> insides;
  for (const py::object& index : indexes_in(given)) {
    Surrounded surrounded = with_rim(*self, index, rim);
    indexes.push_back(std::move(surrounded.index));
    insides.push_back(std::move(surrounded.inside));
  }
  auto parts = add_blocks(self, indexes, false, [&](Runtime& runtime, const std::vector<Block>& blocks) {
    const std::vector<Halo> made = runtime.halos(self->handle(), blocks, 0);
    return std::vector<Handle>(made.begin(), made.end());
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i]->inside = KeptObject(std::move(insides[i]));
    if (!self->name.empty()) parts[i]->name = fmt::format("{}.halo[{}]", self->name, i);
  }
  return parts;
}

void set_reduction(const SharedData& self, py::handle method) {
  require_usable(*self);
  const auto runtime = self->runtime()->runtime();
  ReductionMethods methods = reduction_of(method, *self);
  RuntimeState::wait_without_lock([&] { runtime->set_reduction(self->handle(), std::move(methods)); });
}

/// Reports references to the garbage collector. This is needed because there are cycles: an array of a subclass of
/// ndarray may have an attribute that refers to its data. While tasks with kernels in Python, recordings or the runtime
/// use the data, too, their references count as those of the program.
///
/// There is no `tp_clear`, because the attributes of the array, which are part of each such cycle, have theirs. So the
/// array stays as it is while tasks use its memory.
int traverse_data(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  auto held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  if (held.value_ptr() == nullptr || !held.holder_constructed()) return 0;
  const SharedData& data = held.holder<SharedData>();
  return data.use_count() == 1 ? data->traverse(visit, arg) : 0;
}

void set_up_data_type(PyHeapTypeObject* heap_type) {
  PyTypeObject* const type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = &traverse_data;
  type->tp_clear = [](PyObject* /*self*/) { return 0; };
}

}  // namespace

ArrayData* data_in(py::handle object) {
  const SharedData* const shared = shared_data_in(object);
  return shared == nullptr ? nullptr : shared->get();
}

const SharedData* shared_data_in(py::handle object) {
  if (Py_TYPE(object.ptr()) != data_type) return nullptr;
  auto* const instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  return &instance->get_value_and_holder().holder<SharedData>();
}

void bind_data(py::module_& module) {
  py::class_<ArrayData, SharedData> type(module, "Data", py::custom_type_setup(&set_up_data_type),
                                         R"(A numpy array that a runtime knows: what tasks read and write.

Made by Runtime.data, Runtime.allocate and Data.partition. It keeps the array, whose memory tasks use as it is. When the
last reference has gone and the last task has ended, the runtime forgets the data.)");
  data_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_property_readonly(
          "array", [](const ArrayData& self) { return self.array(true); },
          "The array itself. Tasks that have not been waited for may be at work on it: see acquire.")
      .def_readonly("name", &ArrayData::name, "For messages and traces; may be empty.")
      .def_property_readonly(
          "shape", [](const ArrayData& self) { return self.array(false).attr("shape"); }, "That of the array.")
      .def_property_readonly(
          "dtype", [](const ArrayData& self) { return self.array(false).attr("dtype"); }, "That of the array.")
      .def_property_readonly(
          "order",
          [](const ArrayData& self) {
            switch (self.form().order) {
              case ArrayOrder::c: return "C";
              case ArrayOrder::fortran: return "F";
              case ArrayOrder::any: break;
            }
            return "any";
          },
          "'C', 'F', or 'any' where both are the same.")
      .def(
          "acquire", &acquire, py::arg("mode") = "read",
          R"(`with data.acquire("rw") as array:` waits until the program may use the array in this mode, and keeps tasks
that conflict waiting until the block ends. Raises what went wrong with the tasks that should have written the data.)")
      .def("__array__", &as_array, py::arg("dtype") = py::none(), py::arg("copy") = py::none(),
           "What numpy.asarray takes: waits for the tasks that write the data, and gives the array, read-only.")
      .def("partition", &partition,
           R"(Data for disjoint parts, one for each index: `a.partition(numpy.s_[:5], numpy.s_[5:])`.

An index is what `array[index]` takes: slices, of step 1 where elements lie side by side. Arrays of more than three
dimensions are divided in the outermost one only. Tasks on the whole and on its parts are ordered like all others.
Waits for tasks that use the whole.)")
      .def("repartition", &repartition,
           R"(Other parts in place of the present ones, which must not be used any more: `a.repartition(numpy.s_[:3],
numpy.s_[3:])`. Tasks on the former parts are not affected; a task on a new part waits for those on the former parts that
it overlaps. Waits, as `partition` does, only if tasks use the whole, if the parts do not cover it, or if there are
`halos`.)")
      .def(
          "halos", &halos, py::arg("rim") = 1,
          R"(Data that tasks only read, one for each index: the part with a rim of elements around it, as far as the array
goes: `a.halos(numpy.s_[:5], numpy.s_[5:], rim=1)`. They may overlap each other and the parts of `partition`. `inside` is
the index of the part in the array that a kernel gets. A rim is a number, or a tuple with one for each dimension. Waits
for nothing.)")
      .def_property_readonly(
          "inside",
          [](const ArrayData& self) -> py::object {
            return self.inside ? py::reinterpret_borrow<py::object>(self.inside.get()) : py::none();
          },
          "For data that `halos` made: the index of the part without its rim. None for others.")
      .def("set_reduction", &set_reduction, py::arg("method"),
           R"(The data may be used in mode "reduce" from now on: 'sum', 'prod', 'min', 'max', or a pair of functions,
(initialize(partial), combine(into, from)). Waits for tasks that use the data.)")
      .def(
          "wait",
          [](const SharedData& self) {
            require_registered(*self);
            const auto runtime = self->runtime()->runtime();
            RuntimeState::wait_without_lock([&] { runtime->wait(self->handle()); });
          },
          "Waits until the content is that of all tasks submitted so far. Raises why it is not valid.")
      .def(
          "set_reuse",
          [](const SharedData& self, std::int64_t index) {
            self->runtime()->runtime()->set_reuse(self->handle(), index);
          },
          py::arg("index"), "How much the data will be used: data with low numbers leave a full memory first.")
      .def(
          "discard",
          [](const SharedData& self) {
            const RuntimeState::AsProgram as_program(*self->runtime());
            self->runtime()->runtime()->discard(self->handle());
          },
          "The content is worthless from here on: until a task writes the data, reading them is refused. Waits for "
          "nothing.")
      .def("release", &ArrayData::release,
           "Waits for the last task that uses the data, then has the runtime forget them, and their parts.")
      .def("__repr__", [](const ArrayData& self) {
        return fmt::format("<troupe.Data {}, shape {}, {}{}>",
                           self.name.empty() ? "without a name" : "'" + self.name + "'",
                           std::string(py::str(self.array(false).attr("shape"))),
                           std::string(py::str(self.array(false).attr("dtype"))), self.released() ? ", released" : "");
      });
  py::class_<Hold>(module, "Hold", "What Data.acquire returns: for a 'with' block.")
      .def("__enter__", &Hold::enter)
      .def("__exit__", [](Hold& self, const py::args&) { self.give_back(); });
}

}  // namespace troupe::python
