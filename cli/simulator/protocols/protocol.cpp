#include "cli/simulator/protocols/protocol.hpp"

namespace evalfleet::simulator {

int Protocol::status_of(FailureKind kind) const {
    switch (kind) {
        case FailureKind::plain:
            return 500;
        case FailureKind::bad_request:
        case FailureKind::blocked:
            return 400;
        case FailureKind::bad_key:
            return 401;
        case FailureKind::requests_limit:
        case FailureKind::tokens_limit:
        case FailureKind::busy:
            return 429;
    }
    return 500;
}

}  // namespace evalfleet::simulator
