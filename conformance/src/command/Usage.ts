/** The command line was not understood. */
export class Usage extends Error {
  override readonly name = "Usage"
}

/** The whole command line. */
export const usage = `carillon-conformance judges an implementation of /v2 over HTTP.

  carillon-conformance run --base-url URL --key KEY [options]
  carillon-conformance replay CASE --base-url URL --key KEY --seed N --nonce TEXT [options]
  carillon-conformance list [--clauses]
  carillon-conformance explain ID

options of run and replay
  --base-url URL         where /v2 is mounted
  --key KEY              an API key of the server under test
  --control-url URL      where /_sim is mounted, for fixtures, the clock, telephony and faults
  --control-token TOKEN  the bearer token of the control surface
  --only PATTERN         cases by id (calls/stop/*) or clause prefix (CALL-STOP); repeatable
  --known-failing FILE   lines "case" or "case:check" that are expected not to hold
  --known-flaky FILE     lines of the same form that are unsteady
  --report FORMAT=FILE   json, junit, tap, html or badge; repeatable
  --seed N               what the questions are drawn from (default 1)
  --nonce TEXT           what names, numbers and keys are drawn from (default: new each time)
  --verbose              print every case as it ends
  --fail-fast            end with the first case that fails
  --profile carillon     fail where the server does not keep these published readings of what the specification leaves open
  --slow                 wait in real time where there is no clock

exit status: 0 all hold, 1 something fails, 2 usage, 3 unreachable or nothing ran, 4 fault of the harness
`
