/** The command line was not understood. */
export class Usage extends Error {
  override readonly name = "Usage"
}

/** The whole command line. */
export const usage = `carillon-conformance judges an implementation of /v2 over HTTP.

  carillon-conformance run --base-url URL --key KEY [options]
  carillon-conformance replay CASE --base-url URL --key KEY --seed N --nonce TEXT [options]
  carillon-conformance diff BEFORE.json AFTER.json
  carillon-conformance matrix ONE.json OTHER.json ... [--html FILE]
  carillon-conformance list [--clauses] [--extensions]
  carillon-conformance explain ID

options of run and replay
  --base-url URL         where /v2 is mounted
  --key KEY              an API key of the server under test
  --control-url URL      where /_sim is mounted, for fixtures, the clock, telephony and faults
  --control-token TOKEN  the bearer token of the control surface
  --hooks FILE           JSON: routes under /_sim that are commands or other URLs, and the capabilities that they give
  --to NUMBER            a number that may really be rung, where the carrier is a real one; repeatable
  --yes                  ring it without asking first
  --only PATTERN         cases by id (calls/stop/*) or clause prefix (CALL-STOP); repeatable
  --shard I/N            one part of N of the selected cases
  --since last|FILE      begin with the cases that failed last time, or in a JSON report
  --requirements NAME    fail only for what the frozen set NAME (2026-11) asks
  --known-failing FILE   lines "case" or "case:check" that are expected not to hold
  --known-flaky FILE     lines of the same form that are unsteady
  --report FORMAT=FILE   json, junit, tap, html, coverage or badge; repeatable
  --seed N               what the questions are drawn from (default 1)
  --nonce TEXT           what names, numbers and keys are drawn from (default: new each time)
  --verbose              print every case as it ends
  --fail-fast            end with the first case that fails
  --at-once N            cases that may go on at the same time, where each has organizations of its own (default 4)
  --profile carillon     fail where the server does not keep these published readings of what the specification leaves open
  --extensions           judge suppressions, callee hours, call caps, campaign logs, breakers and orders, too, where the server says that it offers them
  --slow                 wait in real time where there is no clock

exit status: 0 all hold, 1 something fails, 2 usage, 3 unreachable or nothing ran, 4 fault of the harness, 130 interrupted
`
