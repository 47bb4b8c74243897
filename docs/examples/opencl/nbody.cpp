// Bodies that attract one another: every step is one kernel, in which each body looks at all others. Steps read one
// pair of buffers and write the other, in turns, so each step waits for the one before.
#include <cmath>

#include "example.hpp"

namespace {

constexpr float kTimeStep = 0.01F;
constexpr float kSoftening = 0.01F;

const char* const kSource = R"(
kernel void advance(global const float4* position, global const float4* velocity, global float4* next_position,
                 global float4* next_velocity, int bodies, float time_step, float softening) {
  int i = get_global_id(0);
  float4 own = position[i];
  float3 pull = (float3)(0.0f, 0.0f, 0.0f);
  for (int j = 0; j < bodies; ++j) {
    float4 other = position[j];
    float3 way = other.xyz - own.xyz;
    float square = dot(way, way) + softening;
    pull += way * (other.w / (square * sqrt(square)));
  }
  float3 speed = velocity[i].xyz + time_step * pull;
  next_velocity[i] = (float4)(speed, 0.0f);
  next_position[i] = (float4)(own.xyz + time_step * speed, own.w);
}
)";

/// Holds x, y, z and, for a position, the mass.
using Vector = cl_float4;

struct Bodies {
  std::vector<Vector> position, velocity;
  explicit Bodies(std::size_t count) : position(count), velocity(count) {}
};

Bodies make_bodies(std::size_t count) {
  Bodies bodies(count);
  unsigned state = 7;
  const auto draw = [&state] {
    state = state * 1664525U + 1013904223U;
    return 2 * static_cast<float>(state >> 8U) / 16777216.0F - 1;
  };
  for (std::size_t i = 0; i < count; ++i) {
    bodies.position[i] = {{draw(), draw(), draw(), 1.0F / static_cast<float>(count)}};
    bodies.velocity[i] = {{0.1F * draw(), 0.1F * draw(), 0.1F * draw(), 0}};
  }
  return bodies;
}

/// One body's velocity after a step, in double precision.
struct Expected {
  double velocity[3];
  /// The sum of the amounts that the other bodies contribute.
  double pull;
};

Expected step_on_host(const Bodies& bodies, std::size_t i) {
  double sum[3] = {0, 0, 0};
  double amount = 0;
  const Vector& own = bodies.position[i];
  for (const Vector& other : bodies.position) {
    double way[3];
    double square = kSoftening;
    for (int k = 0; k < 3; ++k) {
      way[k] = static_cast<double>(other.s[k]) - own.s[k];
      square += way[k] * way[k];
    }
    const double factor = other.s[3] / (square * std::sqrt(square));
    for (int k = 0; k < 3; ++k) sum[k] += way[k] * factor;
    amount += std::sqrt(square) * factor;
  }
  Expected expected{{}, amount};
  for (int k = 0; k < 3; ++k) expected.velocity[k] = bodies.velocity[i].s[k] + kTimeStep * sum[k];
  return expected;
}

/// Returns the largest error of some bodies after one step, as a part of the allowed error; at most 1 if all are right.
/// Each term of a sum of n is off by a few units in the last place. Roundings of the sum go up as well as down, so they
/// grow with the root of n; four times that is allowed.
double worst_of_step(const Bodies& before, const Bodies& after, std::size_t most_bodies) {
  constexpr double kUnit = 6e-8;
  const std::size_t count = before.position.size();
  double worst = 0;
  for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / most_bodies)) {
    const Expected expected = step_on_host(before, i);
    for (int k = 0; k < 3; ++k) {
      const double speed = expected.velocity[k];
      const double allowed_speed =
          kUnit * (kTimeStep * (4 * std::sqrt(static_cast<double>(count)) + 32) * expected.pull + 4 * std::fabs(speed));
      const double place = before.position[i].s[k] + kTimeStep * speed;
      const double allowed_place =
          kTimeStep * allowed_speed + 4 * kUnit * (std::fabs(place) + std::fabs(kTimeStep * speed));
      const double of_speed = std::fabs(after.velocity[i].s[k] - speed) / allowed_speed;
      const double of_place = std::fabs(after.position[i].s[k] - place) / allowed_place;
      // The comparison is negated, so that a result that is not a number counts as wrong.
      if (!(of_speed <= worst)) worst = of_speed;
      if (!(of_place <= worst)) worst = of_place;
    }
  }
  return worst;
}

struct BodyBuffers {
  example::Buffer position, velocity;
  BodyBuffers(cl_context context, std::size_t bytes)
      : position(context, CL_MEM_READ_WRITE, bytes), velocity(context, CL_MEM_READ_WRITE, bytes) {}
};

/// Runs all steps. The bodies after each step are stored in `kept`, as far as it has room.
void simulate(const example::Session& session, const Bodies& start, const BodyBuffers (&buffers)[2], std::size_t steps,
              std::vector<Bodies>& kept) {
  const std::size_t count = start.position.size();
  const std::size_t bytes = count * sizeof(Vector);
  example::Events ready;
  session.write(buffers[0].position, bytes, start.position.data(), ready);
  session.write(buffers[0].velocity, bytes, start.velocity.data(), ready);
  for (std::size_t i = 0; i < steps; ++i) {
    const BodyBuffers& from = buffers[i % 2];
    const BodyBuffers& to = buffers[(i + 1) % 2];
    example::Events done;
    session.launch("advance", {count}, {}, ready, done, from.position, from.velocity, to.position, to.velocity,
                   static_cast<int>(count), kTimeStep, kSoftening);
    ready = done;
    if (i + kept.size() >= steps) {
      Bodies& after = kept[i + kept.size() - steps];
      session.read(to.position, bytes, after.position.data(), ready);
      session.read(to.velocity, bytes, after.velocity.data(), ready);
      // The step after the next one writes to the buffers that are being read here.
      session.finish();
    }
  }
  session.finish();
}

int nbody(example::Arguments& arguments) {
  const example::Common common(arguments);
  const std::size_t count = arguments.number("--bodies", 2048, 2, 1000000);
  const std::size_t steps = arguments.number("--steps", 4, 1, 100000);
  arguments.end();

  const example::Session session(common, kSource);
  const Bodies start = make_bodies(count);
  const std::size_t bytes = count * sizeof(Vector);
  const BodyBuffers buffers[2] = {{session.context(), bytes}, {session.context(), bytes}};
  std::printf("%zu bodies, %zu step(s)\n", count, steps);
  std::vector<Bodies> last(1, Bodies(count));
  const double seconds = example::measure(common, [&] { simulate(session, start, buffers, steps, last); });

  // All steps run once more and are kept. Each is compared with the host's step from the state before it.
  std::vector<Bodies> all(steps, Bodies(count));
  simulate(session, start, buffers, steps, all);
  const std::size_t most_bodies = std::max<std::size_t>(2, 40000000 / count / steps);
  double worst = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double of_step = worst_of_step(i == 0 ? start : all[i - 1], all[i], most_bodies);
    if (!(of_step <= worst)) worst = of_step;
  }
  // The timed run did the same computation, so it must have ended with the same result, up to the order of a sum.
  const bool same = worst_of_step(steps == 1 ? start : all[steps - 2], last[0], most_bodies) <= 1;
  std::printf("largest error: %.2g of what is allowed\n", worst);
  return example::report(seconds, worst <= 1 && same);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("nbody",
                      "Bodies that attract one another, all by all; a kernel for each step.\n"
                      "  --bodies N        bodies; default: 2048\n"
                      "  --steps N         steps; default: 4\n",
                      argc, argv, nbody);
}
