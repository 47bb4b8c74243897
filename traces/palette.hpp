/// The colours of codelets, in pictures and traces.
#pragma once

#include <array>
#include <string_view>

namespace troupe::traces {

/// First the colours by Okabe and Ito, which people of any colour vision can tell apart; then darker colours by Paul
/// Tol; at last grey, for all further codelets.
inline constexpr std::array<std::string_view, 12> kCodeletColours{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                                  "#56B4E9", "#D55E00", "#F0E442", "#332288",
                                                                  "#882255", "#117733", "#AA7744", "#777777"};

}  // namespace troupe::traces
