#include "cli/commands/offline.hpp"
#include "coordinator/report/rows.hpp"

#include <cstdio>

namespace evalfleet::cli {

Result<ExitCode> run_schema(const SchemaOptions& options) {
    if (!options.duckdb) return Error{ErrorKind::invalid, "found no dialect, allowed: --duckdb"};
    std::fputs(report::duckdb_ddl().c_str(), stdout);
    return ExitCode::done;
}

}  // namespace evalfleet::cli
