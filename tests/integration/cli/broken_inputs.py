"""Run files, datasets, labels and providers that are wrong, and how each fault begins that is said of them.

A case has the run file (`run`, else the one that is right), other `files`, the block of `providers` of a run of one's own;
`where`: "local" or "fleet" if it makes sense on one of the two only; `whole`: the fleet gets the file with its providers too, since
it cannot be read at all; `known_there`: only a coordinator can find it."""

BASE = 'version: 1\nname: test\ndataset: {path: qa.jsonl}\nmodel: {provider: main, name: m, version: "1"}\nprompt:\n  id: p\n  version: "1"\n  template: "{{task}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 2\n'
PROVIDERS = 'providers:\n  main: {type: openai, base_url: "http://127.0.0.1:9/v1"}\n'
SAMPLES = '{"id":"a","task":"one"}\n{"id":"b","task":"two"}\n'


def line(number, text):
    """The right run file with another line."""
    lines = BASE.splitlines()
    lines[number - 1] = text
    return "\n".join(lines) + "\n"


CASES = {
    'tab': {
        'run': BASE + 'limits:\n\ttimeout_ms: 5\n',
        'whole': True,
        'says': [
            'run.yaml:12: tabs cannot indent YAML; use spaces',
        ],
    },
    'tab after key': {
        'run': BASE + 'limits:\n  \ttimeout_ms: 5\n',
        'whole': True,
        'says': [
            'run.yaml:12: tabs cannot indent YAML; use spaces',
        ],
    },
    'open quote': {
        'run': line(2, 'name: "test'),
        'whole': True,
        'says': [
            'run.yaml:2: found a " that is not closed',
        ],
    },
    'open bracket': {
        'run': line(3, 'dataset: {path: qa.jsonl'),
        'whole': True,
        'says': [
            'run.yaml:3: found a "{" that is not closed',
        ],
    },
    'double key': {
        'run': BASE + 'repeats: 3\n',
        'whole': True,
        'says': [
            "run.yaml:11: the key 'repeats' stands twice",
        ],
    },
    'double nested key': {
        'run': line(4, 'model: {provider: main, name: m, name: n, version: "1"}'),
        'whole': True,
        'says': [
            "run.yaml:4: the key 'name' stands twice",
        ],
    },
    'unknown alias': {
        'run': line(2, 'name: *nobody'),
        'whole': True,
        'says': [
            'run.yaml:2: found an alias (*name) without its anchor (&name)',
        ],
    },
    'alias of itself': {
        'run': BASE + 'limits: &a {x: *a}\n',
        'whole': True,
        'says': [
            'run.yaml:11: an alias inside of what it stands for',
        ],
    },
    'two documents': {
        'run': BASE + '---\nversion: 1\nname: test\ndataset: {path: qa.jsonl}\nmodel: {provider: main, name: m, version: "1"}\nprompt:\n  id: p\n  version: "1"\n  template: "{{task}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 2\n',
        'whole': True,
        'says': [
            'run.yaml:11: begins a second document, allowed: one in a file',
        ],
    },
    'empty': {
        'run': '',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml: is empty',
        ],
    },
    'only comments': {
        'run': '# nothing\n',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml: is empty',
        ],
    },
    'list': {
        'run': '- 1\n',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml:1:1: expected an object, found array of 1',
        ],
    },
    'scalar': {
        'run': 'hello\n',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml:1:1: expected an object, found string "hello"',
        ],
    },
    'colon in text': {
        'run': line(2, 'name: a: b'),
        'whole': True,
        'says': [
            'run.yaml:2: found a second ": " in one value, or a line that is indented too far; put a value that holds ": " in quote',
        ],
    },
    'bad indent': {
        'run': line(7, '    version: "1"'),
        'whole': True,
        'says': [
            'run.yaml:7: found a second ": " in one value, or a line that is indented too far; put a value that holds ": " in quote',
        ],
    },
    'nul': {
        'run': line(2, 'name: "a\x00b"'),
        'whole': True,
        'says': [
            'run.yaml:2: found the control character 0x00, allowed: text',
        ],
    },
    'latin-1': {
        'run': line(2, 'name: caf\udce9'),
        'whole': True,
        'says': [
            'run.yaml:2: found the byte 0xe9, which is no UTF-8',
        ],
    },
    'utf-16': {
        'run': '\udcff\udcfev\x00e\x00',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml:1: found UTF-16, allowed: UTF-8',
        ],
    },
    'json in yaml name': {
        'run': '{"version": 1, "name": "x"',
        'providers': '',
        'whole': True,
        'says': [
            'run.yaml:1: found a "{" that is not closed',
        ],
    },
    'control': {
        'run': line(2, 'name: "a\x1bb"'),
        'whole': True,
        'says': [
            'run.yaml:2: found the control character 0x1b, allowed: text',
        ],
    },
    'complex key': {
        'run': BASE + '? [a, b]\n: 1\n',
        'whole': True,
        'says': [
            'run.yaml:11: a key must be plain text',
        ],
    },
    'block scalar bad': {
        'run': BASE + 'description: |\nnot indented\n',
        'whole': True,
        'says': [
            'run.yaml:13: found a second ": " in one value, or a line that is indented too far; put a value that holds ": " in quot',
        ],
    },
    'percent': {
        'run': '%YAML 9.9\n---\nversion: 1\nname: test\ndataset: {path: qa.jsonl}\nmodel: {provider: main, name: m, version: "1"}\nprompt:\n  id: p\n  version: "1"\n  template: "{{task}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 2\n',
        'whole': True,
        'says': [
            'run.yaml:1: is not YAML: YAML major version too large',
        ],
    },
    'text repeats': {
        'run': line(10, 'repeats: many'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found string "many"',
        ],
    },
    'float repeats': {
        'run': line(10, 'repeats: 2.5'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found 2.5',
        ],
    },
    'nan repeats': {
        'run': line(10, 'repeats: .nan'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found string ".nan"',
        ],
    },
    'NaN temp': {
        'run': BASE + 'generation: {temperature: .nan}\n',
        'says': [
            'run.yaml:11:27: generation.temperature: expected a number, found string ".nan"',
        ],
    },
    'inf': {
        'run': BASE + 'limits: {max_cost_usd: .inf}\n',
        'says': [
            'run.yaml:11:24: limits.max_cost_usd: expected a number, found string ".inf"',
        ],
    },
    'huge': {
        'run': line(10, 'repeats: 99999999999999999999999'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found 1e+23',
        ],
    },
    '1e400': {
        'run': BASE + 'generation: {temperature: 1e400}\n',
        'says': [
            'run.yaml:11:27: generation.temperature: expected a number, found string "1e400"',
        ],
    },
    'hex': {
        'run': line(10, 'repeats: 0x10'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found string "0x10"',
        ],
    },
    'underscore': {
        'run': line(10, 'repeats: 1_000'),
        'says': [
            'run.yaml:10:10: repeats: expected an integer, found string "1_000"',
        ],
    },
    'negative': {
        'run': line(10, 'repeats: -1'),
        'says': [
            'run.yaml:10:10: repeats: expected a number from 1 to 10000, found -1',
        ],
    },
    'yes': {
        'run': BASE + 'allow_floating_model: yes\n',
        'says': [
            'run.yaml:11:23: allow_floating_model: expected true or false, found string "yes"',
        ],
    },
    'number version': {
        'run': line(4, 'model: {provider: main, name: m, version: 1}'),
        'says': [
            'run.yaml:4:43: model.version: expected a string, found 1; quote it: version: "1"',
        ],
    },
    '1.0 version': {
        'run': line(4, 'model: {provider: main, name: m, version: 1.0}'),
        'says': [
            'run.yaml:4:43: model.version: expected a string, found 1.0; quote it: version: "1.0"',
        ],
    },
    'date version': {
        'run': line(4, 'model: {provider: main, name: m, version: 2024-08-06}'),
        'says': [
            'run.yaml:4:43: model.version: expected a string, found the date 2024-08-06; quote it: version: "2024-08-06"',
        ],
    },
    'bool name': {
        'run': line(2, 'name: true'),
        'says': [
            'run.yaml:2:7: name: expected a string, found true; quote it: name: "true"',
        ],
    },
    'null name': {
        'run': line(2, 'name:'),
        'says': [
            'run.yaml:2:1: name: expected a string, found null',
        ],
    },
    'tilde name': {
        'run': line(2, 'name: ~'),
        'says': [
            'run.yaml:2:7: name: expected a string, found null',
        ],
    },
    'empty name': {
        'run': line(2, 'name: ""'),
        'says': [
            'run.yaml:2:7: name: expected something that is not empty, found string ""',
        ],
    },
    'list name': {
        'run': line(2, 'name: [a]'),
        'says': [
            'run.yaml:2:7: name: expected a string, found array of 1',
        ],
    },
    'version 2': {
        'run': line(1, 'version: 2'),
        'says': [
            'run.yaml:1:10: version: found 2; this program reads version 1',
        ],
    },
    'version text': {
        'run': line(1, 'version: "1"'),
        'says': [
            'run.yaml:1:10: version: expected an integer, found string "1"',
        ],
    },
    'version missing': {
        'run': line(1, ''),
        'says': [
            'run.yaml:2:1: "version" is required but missing',
        ],
    },
    'dataset text': {
        'run': line(3, 'dataset: qa.jsonl'),
        'says': [
            'run.yaml:3:10: dataset: expected an object, found string "qa.jsonl"',
        ],
    },
    'model list': {
        'run': line(4, 'model: [{provider: main, name: m, version: "1"}]'),
        'says': [
            'run.yaml:4:8: model: expected an object, found array of 1',
        ],
    },
    'models map': {
        'run': line(4, 'models: {provider: main, name: m, version: "1"}'),
        'says': [
            'run.yaml:4:9: models: expected an array, found object of 3',
        ],
    },
    'prompt text': {
        'run': 'version: 1\nname: test\ndataset: {path: qa.jsonl}\nmodel: {provider: main, name: m, version: "1"}\nprompt: "{{task}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 2\n',
        'says': [
            'run.yaml:5:9: prompt: expected an object, found string "{{task}}"',
        ],
    },
    'limits list': {
        'run': BASE + 'limits: [1]\n',
        'says': [
            'run.yaml:11:9: limits: expected an object, found array of 1',
        ],
    },
    'policy text': {
        'run': BASE + 'policy: strict\n',
        'says': [
            'run.yaml:11:9: policy: expected an object, found string "strict"',
        ],
    },
    'unknown top': {
        'run': BASE + 'repeat: 3\n',
        'says': [
            'run.yaml:11: unknown key "repeat"; did you mean "repeats"? allowed: ',
        ],
    },
    'unknown deep': {
        'run': BASE + 'policy:\n  gates:\n    min_pas_rate: 0.5\n',
        'says': [
            'run.yaml:13: policy.gates: unknown key "min_pas_rate"; did you mean "min_pass_rate"? allowed: ',
        ],
    },
    'unknown everywhere': {
        'run': 'version: 1\nname: test\ndataset: {path: qa.jsonl, pth: x}\nmodel: {provider: main, name: m, version: "1"}\nprompt:\n  id: p\n  version: "1"\n  template: "{{task}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 2\nlimits: {time: 1}\ngeneration: {temp: 1}\npolicy: {gate: {}}\nredaction: {pi: true}\nbaselin: x\n',
        'says': [
            'run.yaml:3: dataset: unknown key "pth"; did you mean "path"? allowed: path, id, version, hash, last_assistant',
            'run.yaml:11: limits: unknown key "time"; allowed: ',
            'run.yaml:12: generation: unknown key "temp"; allowed: ',
            'run.yaml:13: policy: unknown key "gate"; did you mean "gates"? allowed: pass, weights, norms, gates, bootstrap',
            'run.yaml:14: redaction: unknown key "pi"; did you mean "pii"? allowed: pii',
            'run.yaml:15: unknown key "baselin"; did you mean "baseline"? allowed: ',
        ],
    },
    'unicode key': {
        'run': BASE + 'répéter: 3\n',
        'says': [
            'run.yaml:11: unknown key "répéter"; allowed: ',
        ],
    },
    'numeric key': {
        'run': BASE + '5: 3\n',
        'says': [
            'run.yaml:11: unknown key "5"; allowed: ',
        ],
    },
    'empty key': {
        'run': BASE + '"": 3\n',
        'says': [
            'run.yaml:11: unknown key ""; allowed: ',
        ],
    },
    'key of case': {
        'run': line(10, 'Repeats: 2'),
        'says': [
            'run.yaml:10: unknown key "Repeats"; did you mean "repeats"? allowed: ',
        ],
    },
    'attempt over timeout': {
        'run': BASE + 'limits: {timeout_ms: 1000, attempt_timeout_ms: 2000}\n',
        'says': [
            'run.yaml:11:48: limits.attempt_timeout_ms: found 2000, allowed: at most timeout_ms, 1000',
        ],
    },
    'judge attempt over': {
        'run': line(9, 'judge: {provider: main, name: j, version: "1", limits: {timeout_ms: 10, attempt_timeout_ms: 20}}'),
        'says': [
            'run.yaml:9:93: judge.limits.attempt_timeout_ms: found 20, allowed: at most timeout_ms, 10',
        ],
    },
    'model and models': {
        'run': BASE + 'models: [{provider: main, name: n, version: "1"}]\n',
        'says': [
            'run.yaml:1:1: has both "model" and "models"; give one',
        ],
    },
    'judge and labels': {
        'run': BASE + 'labels: {path: l.jsonl, version: "1"}\n',
        'files': {'l.jsonl': '{"sample_id":"a","accuracy_score":1,"faithfulness_score":1}\n'},
        'says': [
            'run.yaml:1:1: has both "judge" and "labels"; give one',
        ],
    },
    'twins': {
        'run': line(4, 'models: [{provider: main, name: m, version: "1"}, {provider: main, name: m, version: "1"}]'),
        'says': [
            'run.yaml:4:74: models[1].name: the model main/m@1 stands twice',
        ],
    },
    'budget': {
        'run': BASE + 'limits: {max_cost_usd: 5}\n',
        'says': [
            'run.yaml:11:24: limits.max_cost_usd: found a limit of cost, but the provider "main" has no prices',
        ],
    },
    'baseline both': {
        'run': BASE + 'baseline: {name: a, path: b}\n',
        'says': [
            'run.yaml:11:11: baseline: has both "name" and "path"; give one',
        ],
    },
    'baseline neither': {
        'run': BASE + 'baseline: {margin: {pass_rate: 0.1}}\n',
        'says': [
            'run.yaml:11: baseline.margin: unknown key "pass_rate"; allowed: ',
        ],
    },
    'margin unknown': {
        'run': BASE + 'baseline: {name: a, margin: {passrate: 0.1}}\n',
        'where': 'fleet',
        'says': [
            'run.yaml:11: baseline.margin: unknown key "passrate"; allowed: ',
        ],
    },
    'priority': {
        'run': BASE + 'priority: 10\n',
        'says': [
            'run.yaml:11:11: priority: expected a number from 0 to 9, found 10',
        ],
    },
    'early stop': {
        'run': BASE + 'early_stop: sometimes\n',
        'says': [
            'run.yaml:11:13: early_stop: expected one of never, gates, found string "sometimes"',
        ],
    },
    'label key': {
        'run': BASE + 'run_labels: {"a b": x, c: 5}\n',
        'says': [
            'run.yaml:11:27: run_labels.c: expected a string, found 5; quote it: c: "5"',
        ],
    },
    'floating': {
        'run': line(4, 'model: {provider: main, name: m-latest}'),
        'says': [
            'run.yaml:4:8: model: the model main/m-latest is not pinned to a version, so its results cannot be repeated; give "vers',
        ],
    },
    'no version': {
        'run': line(4, 'model: {provider: main, name: m}'),
        'says': [
            "run.yaml:4:8: model: the model main/m is not pinned, so its results cannot be repeated: 'm' has no version; pin it, or",
        ],
    },
    'placeholder': {
        'run': line(8, '  template: "{{tsk}} {{task"'),
        'says': [
            'run.yaml:8:13: prompt.template: found "{{task", which is no placeholder: {{name}} with one of these names: id, task, r',
            'run.yaml:8:13: prompt.template: found {{tsk}}, which no sample can have; did you mean {{task}}? allowed: id, task, ref',
        ],
    },
    'no task': {
        'run': line(8, '  template: "Answer!"'),
        'says': [
            'run.yaml:8:13: prompt.template: shows neither the task nor messages; write {{task}} where the task belongs',
        ],
    },
    'unknown provider': {
        'run': line(4, 'model: {provider: mian, name: m, version: "1"}'),
        'where': 'local',
        'says': [
            'run.yaml:4:19: model.provider: found "mian", which is not under "providers"; did you mean "main"? allowed: main',
        ],
    },
    'weights': {
        'run': BASE + 'policy: {weights: {accuracy: 50}}\n',
        'says': [
            'run.yaml:11:19: policy.weights: expected weights that add up to 1, found accuracy 50 + faithfulness 0.3 + latency 0.15',
        ],
    },
    'gate range': {
        'run': BASE + 'policy: {gates: {min_pass_rate: 1.5}}\n',
        'says': [
            'run.yaml:11:33: policy.gates.min_pass_rate: expected a number from 0 to 1, found 1.5',
        ],
    },
    'thinking': {
        'run': BASE + 'generation: {thinking_budget: 9999, max_tokens: 100}\n',
        'says': [
            'run.yaml:11:31: generation.thinking_budget: found 9999, allowed: less than max_tokens, 100',
        ],
    },
    'rejudged_from': {
        'run': BASE + 'rejudged_from: x\n',
        'says': [
            'run.yaml:11:16: rejudged_from: is set by the coordinator; see `evalfleet rejudge`',
        ],
    },
    'originals': {
        'run': BASE + 'originals_key_id: x\n',
        'says': [
            'run.yaml:11:19: originals_key_id: is set by the coordinator; see `evalfleet rejudge`',
        ],
    },
    'no dataset': {
        'run': line(3, 'dataset: {path: none.jsonl}'),
        'says': [
            'run.yaml:3:17: dataset.path: found "none.jsonl", but there is no file none.jsonl',
        ],
    },
    'dataset folder': {
        'run': line(3, 'dataset: {path: .}'),
        'says': [
            'run.yaml:3:17: dataset.path: found ".", but  is not a file',
        ],
    },
    'dataset empty path': {
        'run': line(3, 'dataset: {path: ""}'),
        'says': [
            'run.yaml:3:10: dataset: "path" or "id" is required but missing',
        ],
    },
    'dataset empty': {
        'files': {'qa.jsonl': ''},
        'says': [
            'qa.jsonl: is empty, allowed: at least one sample',
        ],
    },
    'blank line': {
        'files': {'qa.jsonl': SAMPLES + '\n'},
        'says': [
            'qa.jsonl:3: found an empty line, allowed: one sample a line, since lines number the samples',
        ],
    },
    'bad json': {
        'files': {'qa.jsonl': SAMPLES + '{"task": \n'},
        'says': [
            'qa.jsonl:3:10: expected a value, found the end of the text',
        ],
    },
    'array': {
        'files': {'qa.jsonl': '[1]\n'},
        'says': [
            'qa.jsonl:1: found the beginning of a list, allowed: ',
        ],
    },
    'json list file': {
        'files': {'qa.jsonl': '[\n{"task":"a"}\n]\n'},
        'says': [
            'qa.jsonl:1: found the beginning of a list, allowed: ',
            "qa.jsonl:3:1: expected a value, found ']'",
        ],
    },
    'ids': {
        'files': {'qa.jsonl': SAMPLES + '{"id":"a","task":"x"}\n'},
        'says': [
            'qa.jsonl:3: id: found "a", which line 1 has already, allowed: an id of its own',
        ],
    },
    'bad regex': {
        'files': {'qa.jsonl': '{"task":"x","expected_format":{"type":"regex","pattern":"("}}\n'},
        'says': [
            'qa.jsonl:1: expected_format: expected "json", {"json_schema": ...} or {"regex": "..."}, found object of 2',
        ],
    },
    'bad schema': {
        'files': {'qa.jsonl': '{"task":"x","expected_format":{"type":"json_schema","schema":{"type":"objekt"}}}\n'},
        'says': [
            'qa.jsonl:1: expected_format: expected "json", {"json_schema": ...} or {"regex": "..."}, found object of 2',
        ],
    },
    'bad format': {
        'files': {'qa.jsonl': '{"task":"x","expected_format":"xml"}\n'},
        'says': [
            'qa.jsonl:1: expected_format: expected "json", {"json_schema": ...} or {"regex": "..."}, found string "xml"',
        ],
    },
    'hash': {
        'run': line(3, 'dataset: {path: qa.jsonl, hash: 0000000000000000000000000000000000000000000000000000000000000000}'),
        'says': [
            'run.yaml:3:33: dataset.hash: expected a string, found 0; quote it: hash: "00000000000000000000000000000000000000000000',
        ],
    },
    'hash form': {
        'run': line(3, 'dataset: {path: qa.jsonl, hash: abc}'),
        'says': [
            'run.yaml:3:33: dataset.hash: expected 64 digits of lower-case hex, found string "abc"',
        ],
    },
    'samples wrong': {
        'files': {'qa.jsonl': '{"task":5}\n{"tsk":"x"}\n{"task":"x","tags":[1]}\n{"task":"x","id":5}\n{"task":""}\n'},
        'says': [
            'qa.jsonl:1: task: expected a string, found 5',
            'qa.jsonl:2: "task" or "messages" is required but missing',
            'qa.jsonl:3: tags: expected an object, found array of 1',
            'qa.jsonl:5: task: expected something that is not empty, found string ""',
        ],
    },
    'utf16 dataset': {
        'files': {'qa.jsonl': '\udcff\udcfe{\x00'},
        'says': [
            'qa.jsonl:1: found UTF-16, allowed: UTF-8',
        ],
    },
    'latin1 dataset': {
        'files': {'qa.jsonl': '{"task":"caf\udce9"}\n'},
        'says': [
            'qa.jsonl:1:13: invalid UTF-8 in a string',
        ],
    },
    'dup key sample': {
        'files': {'qa.jsonl': '{"task":"x","task":"y"}\n'},
        'says': [
            'qa.jsonl:1: the key "task" stands twice',
        ],
    },
    'nan sample': {
        'files': {'qa.jsonl': '{"task":"x","tags":{"a":NaN}}\n'},
        'says': [
            "qa.jsonl:1:25: expected a value, found 'N'",
        ],
    },
    'assistant last': {
        'files': {'qa.jsonl': '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}\n'},
        'says': [
            "qa.jsonl:1: messages: the last turn is the assistant's (in 1 samples), so nothing is asked, allowed: ",
        ],
    },
    'bad role': {
        'files': {'qa.jsonl': '{"messages":[{"role":"robot","content":"q"}]}\n'},
        'says': [
            'qa.jsonl:1: messages[0].role: expected one of system, user, assistant, developer, tool, found string "robot"',
        ],
    },
    'labels missing': {
        'run': line(9, 'labels: {path: none.jsonl, version: "1"}'),
        'where': 'local',
        'says': [
            'run.yaml:9:16: labels.path: found "none.jsonl", but there is no file none.jsonl',
        ],
    },
    'labels bad': {
        'run': line(9, 'labels: {path: l.jsonl, version: "1"}'),
        'files': {'l.jsonl': '{"sample_id":"a","accuracy_score":7,"faithfulness_score":1}\n{}\n'},
        'where': 'local',
        'says': [
            'l.jsonl:1: accuracy_score: expected a number from 0 to 2, found 7',
            'l.jsonl:2: "sample_id" is required but missing',
            'l.jsonl:2: "faithfulness_score" is required but missing',
        ],
    },
    'all at once': {
        'run': 'version: 1\nname: 5\ndataset: {path: qa.jsonl}\nmodel: {provider: main, name: m, version: "1"}\nprompt:\n  id: p\n  version: "1"\n  template: "{{tsk}}"\njudge: {provider: main, name: j, version: "1"}\nrepeats: 0\n',
        'files': {'qa.jsonl': '{"task":1}\n'},
        'says': [
            'run.yaml:2:7: name: expected a string, found 5; quote it: name: "5"',
            'run.yaml:8:13: prompt.template: found {{tsk}}, which no sample can have; did you mean {{task}}? allowed: id, task, ref',
            'run.yaml:10:10: repeats: expected a number from 1 to 10000, found 0',
            'qa.jsonl:1: task: expected a string, found 1',
        ],
    },
    'baseline name local': {
        'run': BASE + 'baseline: main\n',
        'where': 'local',
        'says': [
            'run.yaml:11:11: baseline: found the baseline "main", which only a coordinator knows by its name; for a run of your own',
        ],
    },
    'baseline folder gone': {
        'run': BASE + 'baseline: {path: none}\n',
        'where': 'local',
        'says': [
            'run.yaml:11:18: baseline.path: found "none", but there is no run in none; allowed: the folder of a run that is over, w',
        ],
    },
    'baseline unknown': {
        'run': BASE + 'baseline: nobody\n',
        'where': 'fleet',
        'known_there': True,
        'says': [
            "run.yaml:11:11: baseline: there is none called 'nobody'",
        ],
    },
    'p: empty': {
        'providers': 'providers: {}\n',
        'where': 'local',
        'says': [
            'run.yaml:4:19: model.provider: found "main", but the file has no "providers" block to name it',
            'run.yaml:9:19: judge.provider: found "main", but the file has no "providers" block to name it',
        ],
    },
    'p: list': {
        'providers': 'providers: [a]\n',
        'where': 'local',
        'says': [
            'run.yaml:4:19: model.provider: found "main", but the file has no "providers" block to name it',
            'run.yaml:9:19: judge.provider: found "main", but the file has no "providers" block to name it',
            'run.yaml:11:12: providers: expected an object, found array of 1',
        ],
    },
    'p: type': {
        'providers': 'providers:\n  main: {type: opnai, base_url: "http://x/v1"}\n',
        'where': 'local',
        'says': [
            'run.yaml:12: providers.main.type: found \'opnai\'; did you mean "openai"? allowed: ',
        ],
    },
    'p: no url': {
        'providers': 'providers:\n  main: {type: openai}\n',
        'where': 'local',
        'says': [
            'run.yaml:12: providers.main.base_url: is required',
        ],
    },
    'p: bad url': {
        'providers': 'providers:\n  main: {type: openai, base_url: "ftp://x"}\n',
        'where': 'local',
        'says': [
            "run.yaml:12: providers.main.base_url: URL 'ftp://x': only http and https, allowed: an http or https URL",
        ],
    },
    'p: key': {
        'providers': 'providers:\n  main: {type: openai, base_url: "http://x", api_key_env: NOT_SET_ANYWHERE}\n',
        'where': 'local',
        'says': [
            'run.yaml:12: providers.main.api_key_env: environment variable NOT_SET_ANYWHERE is not set',
        ],
    },
    'p: two': {
        'providers': 'providers:\n  main: {type: openai, base_url: "http://x", rpm: -1}\n  other: {type: openai, base_url: "http://y", api_key_file: none.key}\n',
        'where': 'local',
        'says': [
            "run.yaml:12: providers.main.rpm: found '-1', allowed: a whole number from 0 to 18446744073709551615",
            'run.yaml:13: providers.other.api_key_file: none.key: cannot open: No such file or directory',
        ],
    },
    'p: unknown key': {
        'providers': 'providers:\n  main: {type: openai, base_url: "http://x", api_key: abc}\n',
        'where': 'local',
        'says': [
            'run.yaml:12: providers.main.api_key: unknown key; allowed: ',
        ],
    },
}
