#include "cli/json_lines.hpp"

#include "cli/line_reader.hpp"
#include "cli/output.hpp"
#include "common/json/document.hpp"

namespace evalfleet::cli {

namespace {

Status transform_line(json::Parser& parser, std::string_view text, const LineTransform& transform,
                      std::string& out) {
    const auto line = parser.parse(text);
    if (!line) return line.error();
    json::Writer writer(out);
    if (Status transformed = transform(*line, writer); !transformed) return transformed;
    out += '\n';
    return {};
}

}  // namespace

Result<ExitCode> transform_json_lines(const std::string& input,
                                      const std::optional<std::string>& output,
                                      const LineTransform& transform) {
    auto reader = LineReader::open(input);
    if (!reader) return reader.error();
    auto out = Output::open(output);
    if (!out) return out.error();
    json::Parser parser;
    std::string result;
    while (true) {
        const auto line = reader->next();
        if (!line) return line.error();
        if (!*line) break;
        result.clear();
        if (Status done = transform_line(parser, (*line)->text, transform, result); !done) {
            return reader->locate(done.error());
        }
        if (Status written = out->write(result); !written) return written.error();
    }
    if (Status finished = out->finish(); !finished) return finished.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
