// Ten people who look at the pages of a coordinator all the time, as their browsers would ask for it.
const QUERIES = [
  'passed=false',
  'passed=true&sort=latency&order=desc',
  'failure_label=incorrect_answer',
  'sort=cost&order=desc',
  'latency_min_ms=3000',
  'judge_retried=true',
  'score=0,1',
  'q=harbour+copper',
  'passed=false&q=lantern',
  'error_kind=none&sort=tokens',
];

/** Goes on until `until()`; gives the times of all calls in ms and how many failed. */
export async function browse({url, token, runs, people = 10, until}) {
  const times = [];
  let failures = 0;
  const ask = async (path) => {
    const begun = performance.now();
    const reply = await fetch(`${url}/api/v1${path}`, {headers: {Authorization: `Bearer ${token}`}});
    await reply.text();
    times.push(performance.now() - begun);
    if (!reply.ok) ++failures;
  };
  const person = async (number) => {
    for (let turn = number; !until(); ++turn) {
      const run = runs[turn % runs.length];
      await ask('/runs?limit=50');
      await ask(`/runs/${run}`);
      await ask(`/runs/${run}/live`);
      await ask(`/runs/${run}/timeline`);
      await ask(`/runs/${run}/trials?limit=100&facets=true&${QUERIES[turn % QUERIES.length]}`);
      await ask(`/runs/${run}/trials?limit=100&offset=${(turn * 1000) % 9000}`);
      await ask(`/runs/${run}/samples/${(turn * 37) % 60}`);
    }
  };
  await Promise.all(Array.from({length: people}, (_, number) => person(number)));
  return {times, failures};
}
