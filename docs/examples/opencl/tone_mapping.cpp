// Tone mapping of images of high dynamic range. For each frame it computes the luminance, its average on a logarithmic
// scale (sums of groups, then one sum), and from both the picture that a screen can show (Reinhard and others,
// Photographic Tone Reproduction for Digital Images, 2002). There are four kernels for each frame; frames are
// independent.
#include <cmath>

#include "example.hpp"

namespace {

constexpr float kKey = 0.18F;
constexpr float kWhite = 3.0F;
constexpr std::size_t kGroup = 64;
/// The number of pixels that a work-item adds up.
constexpr std::size_t kRun = 64;

const char* const kSource = R"(
kernel void luminance(global const float4* picture, global float* light) {
  size_t i = get_global_id(0);
  light[i] = 0.2126f * picture[i].x + 0.7152f * picture[i].y + 0.0722f * picture[i].z;
}
kernel void sum_groups(global const float* light, global float* sums, int pixels, int run) {
  local float part[64];
  int first = get_global_id(0) * run;
  float sum = 0.0f;
  for (int i = first; i < min(first + run, pixels); ++i) sum += log(1e-4f + light[i]);
  part[get_local_id(0)] = sum;
  for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < width) part[get_local_id(0)] += part[get_local_id(0) + width];
  }
  if (get_local_id(0) == 0) sums[get_group_id(0)] = part[0];
}
kernel void average(global const float* sums, global float* result, int count, int pixels) {
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) sum += sums[i];
  result[0] = exp(sum / pixels);
}
kernel void map_tones(global const float4* picture, global const float* light, global const float* average,
                      global uchar4* screen, float key, float white) {
  size_t i = get_global_id(0);
  float scaled = light[i] * key / average[0];
  float shown = scaled * (1.0f + scaled / (white * white)) / (1.0f + scaled);
  float3 colour = picture[i].xyz * (shown / (1e-6f + light[i]));
  screen[i] = (uchar4)(convert_uchar3_sat_rte(255.0f * colour), 255);
}
)";

struct Frame {
  example::Buffer picture, light, sums, average, screen;
  Frame(cl_context context, std::size_t pixels, std::size_t groups)
      : picture(context, CL_MEM_READ_ONLY, pixels * sizeof(cl_float4)),
        light(context, CL_MEM_READ_WRITE, pixels * sizeof(float)),
        sums(context, CL_MEM_READ_WRITE, groups * sizeof(float)),
        average(context, CL_MEM_READ_WRITE, sizeof(float)),
        screen(context, CL_MEM_WRITE_ONLY, pixels * sizeof(cl_uchar4)) {}
};

/// Makes a dark room with a bright window that moves from frame to frame.
std::vector<cl_float4> make_picture(std::size_t width, std::size_t height, std::size_t frame) {
  std::vector<cl_float4> picture(width * height);
  const float at = static_cast<float>(frame % 16) / 16;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const float x = static_cast<float>(i % width) / static_cast<float>(width);
    const float y = static_cast<float>(i / width) / static_cast<float>(height);
    const float distance = (x - at) * (x - at) + (y - 0.5F) * (y - 0.5F);
    const float light = 0.02F + 50 / (1 + 400 * distance);
    picture[i] = {{light, light * (0.5F + 0.5F * y), light * (1 - 0.7F * x), 1}};
  }
  return picture;
}

void map_frame(const example::Session& session, const Frame& frame, const std::vector<cl_float4>& picture,
               std::vector<cl_uchar4>& screen) {
  const std::size_t pixels = picture.size();
  const std::size_t groups = (pixels + kGroup * kRun - 1) / (kGroup * kRun);
  example::Events written, lit, summed, averaged, mapped;
  session.write(frame.picture, pixels * sizeof(cl_float4), picture.data(), written);
  session.launch("luminance", {pixels}, {}, written, lit, frame.picture, frame.light);
  session.launch("sum_groups", {groups * kGroup}, {kGroup}, lit, summed, frame.light, frame.sums,
                 static_cast<int>(pixels), static_cast<int>(kRun));
  session.launch("average", {1}, {}, summed, averaged, frame.sums, frame.average, static_cast<int>(groups),
                 static_cast<int>(pixels));
  averaged.add(lit);
  session.launch("map_tones", {pixels}, {}, averaged, mapped, frame.picture, frame.light, frame.average, frame.screen,
                 kKey, kWhite);
  session.read(frame.screen, pixels * sizeof(cl_uchar4), screen.data(), mapped);
  session.flush();
}

/// Returns the largest difference of a colour from the host's result, which is in double precision and does not use the
/// kernels' intermediate results.
int largest_difference(const std::vector<cl_float4>& picture, const std::vector<cl_uchar4>& screen) {
  const auto light_of = [](const cl_float4& pixel) {
    return 0.2126 * pixel.s[0] + 0.7152 * pixel.s[1] + 0.0722 * pixel.s[2];
  };
  double sum = 0;
  for (const cl_float4& pixel : picture) sum += std::log(1e-4 + light_of(pixel));
  const double average = std::exp(sum / static_cast<double>(picture.size()));
  int largest = 0;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const double light = light_of(picture[i]);
    const double scaled = light * kKey / average;
    const double shown = scaled * (1 + scaled / (kWhite * kWhite)) / (1 + scaled);
    for (int k = 0; k < 3; ++k) {
      const double colour = std::clamp(255 * picture[i].s[k] * shown / (1e-6 + light), 0.0, 255.0);
      largest = std::max(largest, std::abs(static_cast<int>(std::lround(colour)) - screen[i].s[k]));
    }
    largest = std::max(largest, 255 - screen[i].s[3]);
  }
  return largest;
}

int tone_mapping(example::Arguments& arguments) {
  const example::Common common(arguments);
  const std::size_t width = arguments.number("--width", 640, 1, 32768);
  const std::size_t height = arguments.number("--height", 480, 1, 32768);
  const std::size_t count = arguments.number("--frames", 4, 1, 10000);
  arguments.end();
  const std::size_t pixels = width * height;
  if (pixels * count > 1000000000) throw example::BadInput("--frames have more than 1,000,000,000 pixels together");

  const example::Session session(common, kSource);
  std::vector<Frame> frames;
  std::vector<std::vector<cl_float4>> pictures;
  std::vector<std::vector<cl_uchar4>> screens(count, std::vector<cl_uchar4>(pixels));
  for (std::size_t i = 0; i < count; ++i) {
    frames.emplace_back(session.context(), pixels, (pixels + kGroup * kRun - 1) / (kGroup * kRun));
    pictures.push_back(make_picture(width, height, i));
  }
  std::printf("%zu frame(s) of %zu x %zu pixels\n", count, width, height);
  const double seconds = example::measure(common, [&] {
    for (std::vector<cl_uchar4>& screen : screens) std::fill(screen.begin(), screen.end(), cl_uchar4{});
    for (std::size_t i = 0; i < count; ++i) map_frame(session, frames[i], pictures[i], screens[i]);
    session.finish();
  });
  // Colours are rounded to whole numbers, and single precision may round to the next one if the exact colour is near
  // the middle between two.
  constexpr int kAllowed = 1;
  int largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, largest_difference(pictures[i], screens[i]));
  std::printf("largest difference of a colour: %d, allowed: %d\n", largest, kAllowed);
  return example::report(seconds, largest <= kAllowed);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("tone_mapping",
                      "Maps frames of high dynamic range to what a screen shows; four kernels for each.\n"
                      "  --width N         pixels; default: 640\n"
                      "  --height N        pixels; default: 480\n"
                      "  --frames N        frames; default: 4\n",
                      argc, argv, tone_mapping);
}
