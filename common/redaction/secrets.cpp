#include "common/redaction/secrets.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::redaction {

namespace {

std::shared_ptr<const SecretIndex> make_index(const std::vector<std::string>& values) {
    std::vector<std::string> needles;
    for (const std::string& value : values) {
        if (value.size() < Secrets::kMinLength) continue;
        for (std::string& form : secret_forms(value))
            needles.push_back(std::move(form));
    }
    return std::make_shared<const SecretIndex>(needles);
}

}  // namespace

Secrets::Secrets(std::vector<std::string> values)
    : values_(std::move(values)), index_(make_index(values_)) {}

void Secrets::add(std::string value) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> values = values_;
    values.push_back(std::move(value));
    index_ = make_index(values);
    values_ = std::move(values);
}

void Secrets::remove(const std::string& value) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(values_.begin(), values_.end(), value);
    if (found == values_.end()) return;
    values_.erase(found);
    index_ = make_index(values_);
}

std::shared_ptr<const SecretIndex> Secrets::index() const {
    const std::lock_guard lock(mutex_);
    return index_;
}

}  // namespace evalfleet::redaction
