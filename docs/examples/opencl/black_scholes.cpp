// Prices of European options by the model of Black and Scholes, in blocks: one kernel each, on buffers of its own.
// Blocks are independent, so a scheduler may run them on different devices. With --iterations each block is computed
// again and again from the same inputs, which need to be copied to a device only once.
#include <cmath>

#include "example.hpp"

namespace {

constexpr float kRate = 0.02F;
constexpr float kVolatility = 0.30F;

// The normal distribution by formula 26.2.17 of Abramowitz and Stegun, which is off by at most 7.5e-8.
const char* const kSource = R"(
float distribution(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228040143267794f * exp(-0.5f * d * d) * sum;
  return d > 0.0f ? 1.0f - tail : tail;
}
kernel void black_scholes(global const float* price, global const float* strike, global const float* years,
                          global float* call, global float* put, float rate, float volatility) {
  size_t i = get_global_id(0);
  float deviation = volatility * sqrt(years[i]);
  float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
  float d2 = d1 - deviation;
  float discounted = strike[i] * exp(-rate * years[i]);
  call[i] = price[i] * distribution(d1) - discounted * distribution(d2);
  put[i] = discounted * distribution(-d2) - price[i] * distribution(-d1);
}
)";

struct Options {
  std::vector<float> price, strike, years, call, put;

  explicit Options(std::size_t count) : price(count), strike(count), years(count), call(count), put(count) {
    unsigned state = 1;
    const auto draw = [&state](float low, float high) {
      state = state * 1664525U + 1013904223U;
      return low + (high - low) * static_cast<float>(state >> 8U) / 16777216.0F;
    };
    for (std::size_t i = 0; i < count; ++i) {
      price[i] = draw(5, 30);
      strike[i] = draw(1, 100);
      years[i] = draw(0.25F, 10);
    }
  }
};

struct Block {
  std::size_t first;
  example::Buffer price, strike, years, call, put;

  Block(cl_context context, std::size_t begin, std::size_t bytes)
      : first(begin),
        price(context, CL_MEM_READ_ONLY, bytes),
        strike(context, CL_MEM_READ_ONLY, bytes),
        years(context, CL_MEM_READ_ONLY, bytes),
        call(context, CL_MEM_WRITE_ONLY, bytes),
        put(context, CL_MEM_WRITE_ONLY, bytes) {}
};

void compute(const example::Session& session, Options& options, const std::vector<Block>& blocks, std::size_t size,
             std::size_t iterations) {
  const std::size_t bytes = size * sizeof(float);
  std::vector<example::Events> computed(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    session.write(block.price, bytes, &options.price[block.first], computed[b]);
    session.write(block.strike, bytes, &options.strike[block.first], computed[b]);
    session.write(block.years, bytes, &options.years[block.first], computed[b]);
  }
  for (std::size_t i = 0; i < iterations; ++i) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Block& block = blocks[b];
      example::Events done;
      session.launch("black_scholes", {size}, {}, computed[b], done, block.price, block.strike, block.years, block.call,
                     block.put, kRate, kVolatility);
      computed[b] = done;
    }
  }
  session.flush();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    session.read(blocks[b].call, bytes, &options.call[blocks[b].first], computed[b]);
    session.read(blocks[b].put, bytes, &options.put[blocks[b].first], computed[b]);
  }
  session.finish();
}

double distribution(double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); }

/// Returns the largest difference from the same formula in double precision with the C library's error function. It
/// checks at most 200,000 options, evenly spread.
double largest_error(const Options& options) {
  constexpr std::size_t kMost = 200000;
  const std::size_t step = std::max<std::size_t>(1, options.price.size() / kMost);
  double largest = 0;
  for (std::size_t i = 0; i < options.price.size(); i += step) {
    const double price = options.price[i];
    const double years = options.years[i];
    const double deviation = kVolatility * std::sqrt(years);
    const double d1 =
        (std::log(price / options.strike[i]) + (kRate + 0.5 * kVolatility * kVolatility) * years) / deviation;
    const double discounted = options.strike[i] * std::exp(-kRate * years);
    const double call = price * distribution(d1) - discounted * distribution(d1 - deviation);
    const double put = discounted * distribution(deviation - d1) - price * distribution(-d1);
    // The comparison is negated, so that a result that is not a number counts as wrong.
    for (const double error : {std::fabs(options.call[i] - call), std::fabs(options.put[i] - put)}) {
      if (!(error <= largest)) largest = error;
    }
  }
  return largest;
}

int black_scholes(example::Arguments& arguments) {
  const example::Common common(arguments);
  const std::size_t size = arguments.number("--block", 100000, 1, 100000000);
  const std::size_t count = arguments.number("--blocks", 8, 1, 100000);
  const std::size_t iterations = arguments.number("--iterations", 1, 1, 100000);
  arguments.end();
  if (size * count > 1000000000) throw example::BadInput("--blocks times --block is more than 1,000,000,000 options");

  const example::Session session(common, kSource);
  Options options(size * count);
  std::vector<Block> blocks;
  for (std::size_t b = 0; b < count; ++b) blocks.emplace_back(session.context(), b * size, size * sizeof(float));
  std::printf("%zu block(s) of %zu options, %zu iteration(s)\n", count, size, iterations);
  const double seconds = example::measure(common, [&] {
    std::fill(options.call.begin(), options.call.end(), NAN);
    std::fill(options.put.begin(), options.put.end(), NAN);
    compute(session, options, blocks, size, iterations);
  });
  // Each price is the difference of two numbers up to 100. Both are correct to a few units in the last place (6e-6),
  // and come from functions that OpenCL allows to be off by 3 or 4 such units, and the formula adds 100 times 7.5e-8.
  // So 1e-4 allows for all of this.
  constexpr double kAllowed = 1e-4;
  const double error = largest_error(options);
  std::printf("largest error: %.2e, allowed: %.0e\n", error, kAllowed);
  return example::report(seconds, error <= kAllowed);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("black_scholes",
                      "Prices options, in blocks of one kernel each.\n"
                      "  --block N         options in a block; default: 100000\n"
                      "  --blocks N        blocks; default: 8\n"
                      "  --iterations N    kernels for each block, all from the same inputs; default: 1\n",
                      argc, argv, black_scholes);
}
