#include "common/redaction/known_secrets.hpp"

#include "common/redaction/finder.hpp"

#include <memory>

namespace evalfleet::redaction {

std::string hide_known_secrets(std::string_view text, const Secrets& secrets) {
    const std::shared_ptr<const SecretIndex> index = secrets.index();
    std::string out;
    std::size_t done = 0;
    for (const SecretIndex::Span& span : index->find(text)) {
        out.append(text.substr(done, span.begin - done));
        out += kReplacementBegin;
        out += to_string(Kind::secret);
        out += ']';
        done = span.end;
    }
    out.append(text.substr(done));
    return out;
}

}  // namespace evalfleet::redaction
