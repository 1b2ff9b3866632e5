#pragma once

#include "common/redaction/scan.hpp"

#include <functional>
#include <vector>

namespace evalfleet::redaction {

/// What says of a text whether it holds something to be replaced, and of which kind.
using ContentCheck = std::function<std::optional<Kind>(std::string_view text)>;

/// Looks at long runs of letters and digits only, of which running text has few: keys whose shape
/// has no dash or underscore to begin at (`AKIA...`, `AIza...`, `dapi...`, Twilio, Mailchimp,
/// Discord), and base64 or hex whose content `holds_secret`. Adds what it finds to `found`, in
/// order.
void find_in_long_runs(Scan& scan, const ContentCheck& holds_secret, std::vector<Match>& found);

}  // namespace evalfleet::redaction
