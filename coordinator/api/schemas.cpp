#include "coordinator/api/schemas.hpp"

#include "common/json/boost.hpp"
#include "common/json/document.hpp"
#include "coordinator/api/published_schemas.hpp"

#include <string>

namespace evalfleet::api {

namespace {

constexpr std::string_view kSchemas = R"({
"Problem":{"type":"object","description":"RFC 9457","required":["type","title","status"],"properties":{
  "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},
  "errors":{"type":"array","items":{"type":"object","required":["message"],"properties":{
    "field":{"type":"string"},"line":{"type":"integer"},"message":{"type":"string"}}}}}},
"SignIn":{"type":"object","required":["token"],"additionalProperties":false,"properties":{"token":{"type":"string"}}},
"Session":{"type":"object","required":["caller","role","csrf","expires_at","mode","read_only","version"],"properties":{
  "caller":{"type":"string"},"role":{"enum":["reader","submitter","admin"]},"csrf":{"type":["string","null"]},
  "expires_at":{"type":["string","null"],"format":"date-time"},"mode":{"enum":["coordinator","view"]},"read_only":{"type":"boolean"},"version":{"type":"string"}}},
"TrialPage":{"type":"object","required":["trials","total","offset","limit","complete","next_offset","trials_in_all","fitting"],"properties":{
  "trials":{"type":"array","items":{"type":"object","required":["index","sample_index","repeat","passed"]}},"total":{"type":["integer","null"]},
  "offset":{"type":"integer"},"limit":{"type":"integer"},"complete":{"type":"boolean"},"next_offset":{"type":["integer","null"]},
  "trials_in_all":{"type":"integer"},"fitting":{"type":"integer"},"facets":{"type":"object","additionalProperties":{"type":"object"}}}},
"SampleDetail":{"type":"object","required":["sample_index","sample","prompt","curl","dataset_note","records","labels","previous","next"],"properties":{
  "sample_index":{"type":"integer"},"sample":{"type":["object","null"]},"prompt":{"type":"array","items":{"type":"object"}},
  "curl":{"type":["string","null"]},"dataset_note":{"type":["string","null"]},"records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},
  "records_left_out":{"type":"integer"},"labels":{"type":"array","items":{"$ref":"#/components/schemas/Label"}},
  "previous":{"type":["integer","null"]},"next":{"type":["integer","null"]}}},
"TextPage":{"type":"object","required":["texts","next","dataset_note"],"properties":{
  "texts":{"type":"array","items":{"type":"object","required":["sample_index","texts"]}},
  "next":{"type":["integer","null"]},"dataset_note":{"type":["string","null"]}}},
"Live":{"type":"object","required":["state","gates","outcomes","usage","flow"],"properties":{
  "state":{"type":"string"},"gates":{"type":"array","items":{"type":"object","required":["name","threshold","comparison","decided"]}},
  "outcomes":{"type":"object"},"usage":{"type":"object"},"flow":{"type":"object","required":["in_flight","waiting","retrying","queued","throttled_by"]}}},
"Timeline":{"type":"object","required":["bucket_s","begins_at_ms","points"],"properties":{
  "bucket_s":{"type":"number"},"begins_at_ms":{"type":["integer","null"]},"points":{"type":"array","items":{"type":"object","required":["t_s","done","passed","errors"]}}}},
"NewLabel":{"type":"object","required":["sample_index","agree"],"additionalProperties":false,"properties":{
  "sample_index":{"type":"integer","minimum":0},"repeat":{"type":"integer","minimum":1,"default":1},"agree":{"type":"boolean"},
  "accuracy":{"enum":[0,1,2,null]},"faithfulness":{"enum":[0,1,2,null]},"comment":{"type":["string","null"],"maxLength":4096}}},
"Label":{"type":"object","required":["at","by","sample_index","repeat","sample_id","agree","accuracy","faithfulness","judge_accuracy","judge_faithfulness","comment"],"properties":{
  "at":{"type":"string","format":"date-time"},"by":{"type":"string"},"sample_index":{"type":"integer"},"repeat":{"type":"integer"},"sample_id":{"type":"string"},
  "agree":{"type":"boolean"},"accuracy":{"type":["integer","null"]},"faithfulness":{"type":["integer","null"]},
  "judge_accuracy":{"type":["integer","null"]},"judge_faithfulness":{"type":["integer","null"]},"comment":{"type":"string"}}},
"Labels":{"type":"object","required":["labels","trials_reviewed","agreement"],"properties":{
  "labels":{"type":"array","items":{"$ref":"#/components/schemas/Label"}},"trials_reviewed":{"type":"integer"},"agreement":{"type":"object"}}},
"SamplePairs":{"type":"object","required":["samples","total","offset","next_offset"],"properties":{
  "samples":{"type":"array","items":{"type":"object","required":["sample_index","base","candidate","difference"]}},
  "total":{"type":"integer"},"offset":{"type":"integer"},"next_offset":{"type":["integer","null"]}}},
"GroupList":{"type":"object","required":["groups","total"],"properties":{
  "groups":{"type":"array","items":{"type":"object","required":["group_id","name","state","runs","models","prompts"]}},"total":{"type":"integer"}}},
"Matrix":{"type":"object","required":["columns","rows","total","offset","next_offset"],"properties":{
  "columns":{"type":"array","items":{"type":"object"}},"rows":{"type":"array","items":{"type":"object"}},"total":{"type":"integer"},
  "offset":{"type":"integer"},"next_offset":{"type":["integer","null"]}}},
"Trend":{"type":"object","required":["points"],"properties":{"points":{"type":"array","items":{"type":"object"}}}},
"Validation":{"type":"object","required":["valid","errors","trials","calls","estimated_cost_usd"],"properties":{
  "valid":{"type":"boolean"},"errors":{"type":"array","items":{"type":"object","required":["field","line","message"]}},
  "trials":{"type":["integer","null"]},"calls":{"type":["integer","null"]},"estimated_cost_usd":{"type":["number","null"]}}},
"Dataset":{"type":"object","required":["id","version","hash","samples","bytes","uploaded_at","uploaded_by"],"properties":{
  "id":{"type":"string"},"version":{"type":["string","null"]},"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"},
  "samples":{"type":"integer"},"bytes":{"type":"integer"},"uploaded_at":{"type":"string","format":"date-time"},"uploaded_by":{"type":"string"}}},
"DatasetList":{"type":"object","required":["datasets","next_cursor"],"properties":{
  "datasets":{"type":"array","items":{"$ref":"#/components/schemas/Dataset"}},"next_cursor":{"type":["string","null"]}}},
"DatasetVersions":{"type":"object","required":["id","versions"],"properties":{
  "id":{"type":"string"},"versions":{"type":"array","items":{"$ref":"#/components/schemas/Dataset"}}}},
"Submitted":{"type":"object","required":["run_id","run_ids","group_id"],"properties":{
  "run_id":{"type":"string"},"run_ids":{"type":"array","items":{"type":"string"}},"group_id":{"type":["string","null"]}}},
"Run":{"type":"object","required":["run_id","name","group_id","state","submitted_at","total","done","passed","failed","errors"],"properties":{
  "run_id":{"type":"string"},"name":{"type":"string"},"group_id":{"type":["string","null"]},
  "state":{"enum":["queued","running","paused","cancelling","cancelled","finishing","done","failed"]},
  "submitted_at":{"type":"string","format":"date-time"},"model":{"type":"string"},"prompt":{"type":"string"},"judge":{"type":["string","null"]},
  "dataset_id":{"type":["string","null"]},"dataset_hash":{"type":"string"},"submitted_by":{"type":["string","null"]},
  "description":{"type":["string","null"]},"run_labels":{"type":"object","additionalProperties":{"type":"string"}},
  "verdict":{"enum":["open","ready","not_ready","not_measured"]},"cost_usd":{"type":["number","null"]},"ended_at":{"type":["string","null"],"format":"date-time"},
  "total":{"type":"integer"},"done":{"type":"integer"},"passed":{"type":"integer"},"failed":{"type":"integer"},"errors":{"type":"integer"},
  "pass_rate":{"type":["number","null"]},"pass_rate_ci95_lower":{"type":["number","null"]},"pass_rate_ci95_upper":{"type":["number","null"]},
  "in_flight":{"type":"integer"},"waiting":{"type":"integer"},"retrying":{"type":"integer"},"queued":{"type":"integer"},"workers":{"type":"integer"},"trials_per_s":{"type":["number","null"]},"eta_s":{"type":["number","null"]},
  "elapsed_s":{"type":["number","null"]},"note":{"type":["string","null"]},"release_ready":{"type":["boolean","null"]},"undecided":{"type":"boolean"},
  "measured":{"enum":["complete","partial","not_measured",null]},"folder":{"type":"string"}}},
"RunList":{"type":"object","required":["runs","next_cursor","total"],"properties":{
  "runs":{"type":"array","items":{"$ref":"#/components/schemas/Run"}},"next_cursor":{"type":["string","null"]},"total":{"type":"integer"}}},
"RecordPage":{"type":"object","required":["records","total","offset","limit","next_cursor"],"properties":{
  "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},"total":{"type":["integer","null"]},"offset":{"type":"integer"},
  "limit":{"type":"integer"},"next_cursor":{"type":["string","null"]}}},
"Group":{"type":"object","required":["group_id","state","runs","summary"],"properties":{
  "group_id":{"type":"string"},"state":{"enum":["running","done"]},
  "runs":{"type":"array","items":{"$ref":"#/components/schemas/Run"}},"summary":{"anyOf":[{"$ref":"#/components/schemas/GroupSummary"},{"type":"null"}]}}},
"Rejudgement":{"type":"object","additionalProperties":false,"properties":{
  "judge":{"$ref":"#/components/schemas/Judge"},"policy":{"$ref":"#/components/schemas/Policy"},"name":{"type":"string"},
  "labels":{"type":"object","required":["text"],"additionalProperties":false,"description":"instead of a judge: scores that people gave",
    "properties":{"text":{"type":"string","description":"JSON Lines"},"version":{"type":"string","description":"of their rubric"}}},
  "redacted":{"type":"boolean","description":"judge answers that are stored redacted as they are stored"}}},
"BaselineTarget":{"type":"object","required":["run_id"],"additionalProperties":false,"properties":{"run_id":{"type":"string"}}},
"Baseline":{"type":"object","required":["name","run_id"],"properties":{"name":{"type":"string"},"run_id":{"type":"string"}}},
"BaselineList":{"type":"object","required":["baselines"],"properties":{
  "baselines":{"type":"array","items":{"$ref":"#/components/schemas/Baseline"}}}},
"WorkerList":{"type":"object","required":["workers"],"properties":{"workers":{"type":"array","items":{
  "type":"object","required":["name","last_seen_s"],"properties":{
    "name":{"type":"string"},"last_seen_s":{"type":"number"},"host":{"type":["string","null"]},"pid":{"type":["integer","null"]},
    "version":{"type":["string","null"]},"started_at":{"type":["string","null"],"format":"date-time"},"concurrency":{"type":["integer","null"]},
    "held":{"type":["integer","null"]},"loop_lag_ms":{"type":["number","null"]},"providers":{"type":"array","items":{"type":"string"}},
    "unreachable":{"type":"object","additionalProperties":{"type":"string"}}}}}}},
"ModelList":{"type":"object","required":["window_s","models"],"properties":{"window_s":{"type":"number"},
  "models":{"type":"array","items":{"type":"object","required":["model","provider","trials","judge_retried","latency_p50_ms","latency_p95_ms","errors"]}}}},
"Queues":{"type":"object","required":["pool","leased","delayed","workers","redis","limits","runs"],"properties":{
  "pool":{"type":"string"},"leased":{"type":"integer"},"delayed":{"type":"integer"},"workers":{"type":"integer"},
  "redis":{"type":"object","properties":{"reachable":{"type":"boolean"},"used_bytes":{"type":"integer"},"max_bytes":{"type":"integer"},
    "memory_full":{"type":"boolean"}}},
  "limits":{"type":"array","items":{"type":"object","properties":{"limit_key":{"type":"string"},"running":{"type":"integer"},
    "waiting":{"type":"integer"},"begun_waiting":{"type":"integer"},"calls_at_once":{"type":"number"},"calls_per_second":{"type":"number"},
    "refused":{"type":"integer"},"refused_recently":{"type":"integer"},"recent_s":{"type":"integer"},"paused_s":{"type":"number"},"reason":{"type":"string"},"changed_s_ago":{"type":"number"},
    "in_use":{"type":"integer"},"workers":{"type":"integer"},"refused_s_ago":{"type":["number","null"]},"providers":{"type":"array","items":{"type":"string"}},
    "limit_set":{"type":["object","null"]}}}},
  "store":{"type":"object","properties":{"free_bytes":{"type":["integer","null"]},"total_bytes":{"type":["integer","null"]}}},
  "runs":{"type":"array","items":{"type":"object","properties":{"run_id":{"type":"string"},"state":{"type":"string"},
    "outstanding":{"type":"integer"},"ready":{"type":"integer"},"results":{"type":"integer"},"leased":{"type":"integer"},
    "oldest_job_s":{"type":["number","null"]}}}}}}
})";

/// What only the API has, and what files have.
std::string join_schemas() {
    const auto own = json::Document::parse(kSchemas);
    boost::json::value all = json::to_boost(own.value().root());
    add_published_schemas(all.as_object());
    return json::serialize(all);
}

}  // namespace

std::string_view schemas_json() {
    static const std::string all = join_schemas();
    return all;
}

}  // namespace evalfleet::api
