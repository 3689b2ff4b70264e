import { callLimitBounds, limits } from "@carillon/core"
import { table } from "./Table.ts"

type Name = keyof typeof limits

/** What each bound is about, and what one sees when it is reached. */
const told: { readonly [name in Name]: readonly [about: string, seen: string] } = {
  commitAttempts: ["Times a step is decided anew because rows have changed meanwhile", "1501/503"],
  stepsAnewAtOnce: [
    "Steps of one organization that a process decides anew at once, after others had written a row first",
    "the others of this organization wait; nobody else does",
  ],
  stepsAnewWaiting: ["Steps of one organization that decide anew, or wait for it, in one process", "1501/503"],
  overtakenFreshMs: [
    "For how long what becomes of a dial is on its way to the store while a carrier's word about it waits for that",
    "the word is decided without it",
  ],
  errandsTogether: [
    "What one step has done once it is written, with what follows from that",
    "nothing: it is a mistake",
  ],
  stepRounds: ["Times that a step reads before it decides", "nothing: tests hold it"],
  stepRows: ["Rows that a step reads", "nothing: tests hold it"],
  callerIdAttempts: [
    "Times a caller ID is looked for because the organization's numbers have changed meanwhile",
    "the contact is held, and tried again",
  ],
  commitResends: ["Times a commit is sent again whose answer was lost", "1501/503"],
  directDialWaitMs: ["How long a direct dial waits for a line", "1300/429 with `Retry-After`"],
  directDialRetryAfterSeconds: ["What `Retry-After` says after that", "the header"],
  queuedDialWaitMs: ["How long a booked call or a contact waits for a line in one go", "it is tried again later"],
  lineWaitedMs: [
    "A dial that waited longer looks at its key, its agent and its hours once more",
    "nothing, or the refusal of one of them",
  ],
  countedLookMs: ["How often a dial looks for a line while the counters are away", "a line is found this much later"],
  rescheduleMs: ["When a booked call that found no line is tried again", "status `rescheduled`"],
  dialAcknowledgementMs: [
    "How long a request waits until the carrier takes the dial",
    "202: the call is `queued`, its dial not confirmed",
  ],
  carrierAnswerMs: [
    "How long a hang-up or a question to the carrier may take",
    "it counts as no answer, and is tried again",
  ],
  carrierFailures: [
    "Of several carriers, dials in a row that one may not hear before it is left alone",
    "another carrier is asked",
  ],
  carrierAwayMs: ["How long it is left alone at first", "another carrier is asked"],
  carrierAwayMaxMs: ["How long at most: the time doubles", "another carrier is asked"],
  carrierLookMs: [
    "How often a carrier that is left alone is asked about a call, to find that it is there again",
    "it is dialled by so much later at most",
  ],
  carrierPatienceMs: [
    "How long a dial waits for its turn at a carrier that takes so many calls in a second",
    "the dial is refused, and is tried again as after a carrier that was away",
  ],
  carrierRoutesKnown: ["Calls of which a process remembers the carrier", "every carrier is asked"],
  carrierNumbersPaced: [
    "Caller IDs, and pools of them, that wait for a turn at once",
    "the call goes to the next carrier, or is held",
  ],
  carrierSilentMs: [
    "After how long a request to a carrier that is given up counts as one without an answer",
    "nothing",
  ],
  carrierOutageFailures: [
    "Requests in a row that a carrier leaves without an answer before it counts as away",
    "one line in the log",
  ],
  keptReports: [
    "Reports that a process keeps because they could not be stored",
    "the oldest is given up, loudly; the carrier is asked about its call",
  ],
  keptReportCharacters: ["Text of all of them", "the same"],
  keptReportsTogether: ["Calls whose kept reports are handed in at once", "the others wait"],
  keptReportsRetryMs: ["How soon they are handed in again at first", "nothing"],
  keptReportsRetryMaxMs: ["How late at most", "nothing"],
  keptReportsToldMs: ["How often reports that were given up are told in the log", "one line with their count"],
  unheardGapMs: [
    "For how long nobody may have worked before silent calls are asked about early",
    "the carrier is asked about live calls",
  ],
  unheardDelayMs: ["How long after that the first is asked about", "nothing"],
  unheardCarrierDelayMs: [
    "How soon after a carrier is there again it is asked about calls of which it has said nothing",
    "their lines are free this much later",
  ],
  unheardAgedMs: [
    "After how much silence a call is asked about because a process has started beside others",
    "the carrier is asked",
  ],
  unheardPaceMs: ["The distance of two such questions", "nothing"],
  unheardSpreadMs: ["How long all of them may take, before they come closer", "they come closer"],
  unheardPaceMinMs: ["How close they may come", "it takes longer until all are asked"],
  silentLineMs: [
    "How long a live call is silent before it is told of",
    "a metric, `campaigns why`, `organizations show`",
  ],
  silentLinesRead: [
    "Live calls of an organization that are looked at for that",
    "the newest are left out; the answer says so",
  ],
  outageCalmMs: ["How long what was away has to answer before it counts as back", "one line in the log"],
  outageReadCalmMs: [
    "The same where PostgreSQL could not write, its disk being full, and has been asked to read alone since",
    "nothing",
  ],
  carrierMistakeCharacters: ["What a log line carries of a carrier's mistake", "the rest is cut off"],
  executionIdCharacters: ["Length of an id that a carrier reports", "the report is refused as malformed"],
  recordingAddressCharacters: [
    "Length of the address of a recording that a carrier reports",
    "the report is taken without it, which is an error in the log",
  ],
  reportedAmount: [
    "Seconds, or cost in its currency, that a carrier reports of one call",
    "the report is refused as malformed",
  ],
  refusedCallbacksToldMs: [
    "How often it is told in the log that a carrier's callbacks are refused",
    "one line with their count",
  ],
  untoldEndsMs: [
    "How often it is told in the log that ends of calls were found by asking the carrier",
    "one line with their count",
  ],
  unknownReportsMs: ["How often reports of unknown calls are told in the log", "one line with their count"],
  reservationMs: ["How long a reserved line may wait for its commit", "the line is free again"],
  lostAnswerQuestionsMs: [
    "When the carrier is asked what became of a dial whose answer was lost",
    "the call moves on, or stays `queued` until then",
  ],
  questionDelayMs: [
    "From when on the carrier's “no such leg” is believed",
    "the call ends `error`, or the contact is tried again",
  ],
  questionBackoffMaxMs: ["The longest pause between two such questions", "a later end of a silent call"],
  ringGraceMs: ["Beyond its ring timeout, how long a call may be silent", "the carrier is asked"],
  answeredSilenceMs: ["How long an answered call may be silent", "the carrier is asked"],
  diallingCacheMs: [
    "How long a process goes by what it knows of a hold on dialling",
    "a hold works this much later elsewhere",
  ],
  heldLookMs: ["How often held work looks whether the hold is gone", "dialling begins this much later"],
  reconcileMs: ["How often lines are compared with the rows", "a lost line is free after it"],
  reconcilePage: ["Calls that one such look reads at a time", "nothing"],
  reconcileTogether: ["Lines that it mends at a time", "nothing"],
  releaseRetryMs: ["When a line that could not be given back is given back again", "the line is busy until then"],
  lostWords: [
    "Words that a process keeps while the slot store cannot hear them, such as a line given back",
    "the comparison with the rows finds the rest",
  ],
  cacheMs: [
    "How long a process goes by a key, a ceiling or a subscription that it has read",
    "a change works this much later",
  ],
  dispatchLookMs: ["How often contacts that wait look for a line without being told of one", "nothing in one process"],
  platformLookMs: ["The same while the platform is full", "nothing in one process"],
  staleKeyMs: ["How long a known key is let in while the key store is away", "1501/503 after it"],
  cachedKeys: ["Keys that a process remembers", "the idle ones are read again"],
  cachedOrganizations: ["Organizations whose ceilings it remembers", "the idle ones are read again"],
  rateCounters: ["Rate counters in memory", "the idle ones go"],
  driverMinPauseMs: ["The shortest pause between two looks for work that is due", "nothing"],
  driverMaxPauseMs: ["The longest one", "work of another process begins this much later"],
  driverStillMs: ["After how long without an end of a look the process counts as standing still", "`/livez` is 503"],
  mistakesToldMs: [
    "How often each part of a process that must go on, and has a mistake, is told of in the log",
    "one line with their count",
  ],
  handlersToldMs: [
    "How often it is told in the log that work of one kind has a mistake, fails or hangs",
    "one line of each with their count",
  ],
  wakeupLeaseMs: ["How long a dead process keeps its work", "its work goes on after it"],
  wakeupRenewMs: ["How often a living one renews its claim", "nothing"],
  wakeupHandlingMs: ["After which one piece of work counts as hung", "another process takes it"],
  wakeupKeptMs: ["How overdue kept work of one process must be before others take it", "nothing"],
  lostProcesses: ["Lost processes that a process remembers", "the first of them is told of anew, or with fewer claims"],
  lostProcessToldMs: ["How often a process tells of each of them", "one line with the claims since then"],
  wakeupBatch: ["Pieces of work that are claimed at a time", "the rest comes in the next round"],
  wakeupsInTurn: [
    "Of those, while there are more, go round by organization",
    "nobody waits for another organization's backlog",
  ],
  wakeupLatestRound: [
    "Every so many rounds the newest work goes first",
    "work beside a backlog does not wait for its end",
  ],
  wakeupRetryMs: ["When failed work is tried again", "a delay"],
  wakeupRetries: ["Times that a process tries to book it again itself", "after that its lease ends first"],
  triedLater: [
    "What follows from a commit and has failed, and is done again: of one organization, of all, and how many are tried at once",
    "the rest is left to whoever looks at the rows, and the log says so",
  ],
  triedLaterToldMs: ["How often the log says so", "one line with the count since then"],
  drainFinishMs: ["How long what runs may finish when a process leaves", "what is left waits for another process"],
  cutOffTold: ["What a process names in its log that still waits when it ends", "the line says how many there were"],
  drainEndMs: ["How long what waits may take to end then", "1501/503"],
  drainCloseMs: ["How long the ports may take to close", "they are cut off"],
  drainConnectionsMs: ["How long connections may take to end", "they are cut off"],
  refusedReports: ["Refused reports that a call remembers", "the oldest go"],
  processingDeadlineMs: [
    "When an ended call counts as processed whatever is missing",
    "`all_processing_completed` with `missing_fields`",
  ],
  webhookAttemptOffsetsMs: ["When the attempts of a delivery begin", "status `failed` after the last"],
  webhookAttemptMs: ["How long an endpoint may take to acknowledge", "`timeout` as error class"],
  webhookLeaseSlackMs: ["When an attempt counts as lost with its process, beyond that", "it is made again"],
  webhookTestMs: ["The time of `POST /v2/webhooks/test`", "the answer tells a timeout"],
  webhookTestRetryAfterSeconds: [
    "What `Retry-After` says where a test found no place among the attempts under way",
    "1300/429, the header",
  ],
  webhookEndpointInFlight: [
    "Attempts under way at one endpoint; all tests of an organization are one",
    "the others wait; a test is answered 1300/429",
  ],
  webhookInFlight: ["Attempts under way in all", "the others wait"],
  webhookInFlightBytes: ["Bodies and headers of attempts under way", "the others wait"],
  webhookQueue: ["Deliveries that wait in memory", "they are looked at again later"],
  webhookFailingAttempts: [
    "Attempts in a row that an endpoint refuses until it counts as failing; one that takes all its time is enough",
    "a line in the log, and `carillon.webhook.endpoints.failing`",
  ],
  webhookFailingEndpoints: [
    "Failing endpoints that a process remembers",
    "who has failed longest ago is not told of, of the same organization first",
  ],
  webhookFailingTold: [
    "Failing endpoints that are named in the log in `webhookFailingToldMs`",
    "one line with the count of the others",
  ],
  webhookFailingToldMs: ["That time", "nothing"],
  webhookFailingKnownMs: ["How long after its last attempt an endpoint counts as failing", "the gauge falls"],
  emptyWallets: ["Wallets that carry no call, as a process remembers them", "the one that was not asked for longest"],
  emptyWalletsTold: [
    "Such wallets that are named in the log in `emptyWalletsToldMs`",
    "one line with the count of the others",
  ],
  emptyWalletsToldMs: ["That time", "nothing"],
  withheldTold: [
    "Refused dials that are named in the log in `withheldToldMs`: of an organization for one reason, and of all",
    "one line with the count of the others",
  ],
  withheldToldMs: ["That time", "nothing"],
  emptyWalletKnownMs: [
    "How long after it was to be dialled for an organization its empty wallet counts",
    "the gauge falls",
  ],
  explainedSubscriptions: ["Subscriptions whose webhooks are explained at a time", "the rest comes with the next page"],
  explainedDeliveries: ["Deliveries of each that are looked at", "older ones are counted alone"],
  webhookQueuedLookMs: ["When a delivery that waits is looked at again at the latest", "a delay"],
  webhookCrowdedLookMs: ["The same for one without room to wait", "a delay"],
  webhookUnreadableLookMs: [
    "When a delivery is looked at again whose secrets this process cannot read",
    "a delay, and `carillon.secrets.unreadable`",
  ],
  unreadableSecretsMs: ["How often such secrets are told in the log", "one line with their count"],
  resealRows: ["Rows that a walk over all secrets reads at a time", "nothing"],
  webhookBehindLookMs: ["How soon the last event of a call looks whether the others went before it", "nothing"],
  webhookBehindMaxMs: ["How long it waits for them", "the last event may come before another"],
  deliveriesOfCall: ["Deliveries of a call that it looks at", "nothing"],
  ledgerRetentionMs: ["How long deliveries are kept", "404 after it"],
  eventRetentionMs: ["How long events are kept", "no redelivery after it"],
  keptEventsAtOnce: ["Kept events that a host's reader takes at once", "it reads again"],
  keptEventsLookMs: ["How soon it looks again when it has read all", "an event is seen this late at most"],
  keptEventsRetryMs: ["The same after the store was away", "a delay"],
  ledgerSweepRows: ["Old rows that are removed at a time", "nothing"],
  callbackUrlCharacters: ["Length of a `callback_url`", "1001/422"],
  webhookHeaders: [
    "Headers of a subscription, or of a test: how many, and the bytes of one name, of one value, and of all together",
    "1000/400; 1001/422 for all together",
  ],
  cachedListeners: [
    "Agents and subscriptions that a process remembers for the routing of events: of one organization, and of all",
    "those that were read longest ago are read again, its own first",
  ],
  subscriptionsPerAgent: ["Subscriptions of one agent, and of the organization", "1201/409"],
  numbersPerOrganization: ["Phone numbers of one organization", "1201/409"],
  idCharacters: ["Characters of an organization's id that a host names", "`InvalidField`"],
  heldNumbersAtOnce: [
    "Numbers of which one read tells who has them, as an organization is opened or imported",
    "nothing",
  ],
  breakerCalls: ["Calls that the breaker of a campaign looks at", "1001/422"],
  breakerWindowMinutes: ["Minutes that the window of a breaker lasts", "1001/422"],
  breakerResumeMinutes: ["Minutes after which a campaign goes on that has paused itself", "1001/422"],
  breakerShortSeconds: ["Seconds up to which a call may count as short", "1001/422"],
  highestPriority: ["The highest priority of a contact", "1001/422"],
  priorityColumnCharacters: ["Characters of the name of the variable that says it", "1001/422"],
  campaignLogEntries: ["Entries of the log of one campaign that are kept", "the oldest entry goes"],
  batchesPerCampaign: ["Batches that one campaign may ever have", "1201/409"],
  movableBatches: ["Batches of a campaign that have neither completed nor failed", "1201/409"],
  movableBatchBytes: ["Bytes of JSON that those take together", "1201/409"],
  payloadAttempts: ["Attempts on a contact that an event tells of", "the oldest are left out"],
  payloadAttemptsAtOnce: ["Attempts that are read at once for it", "nothing"],
  talliesAtOnce: ["Batches whose counts are read at once for `explain`", "nothing: the others are read then"],
  auditPage: ["Records of the audit trail that are read at a time while it is verified", "nothing"],
  erasedCalls: ["Calls of one person that one erasure erases", "`is_whole: false`; erase again"],
  erasurePage: ["Calls, or batches, that an erasure looks at at a time", "nothing"],
  erasureRows: ["Contacts that an erasure looks at at a time", "nothing"],
  portablePage: [
    "Rows of a short list (agents, campaigns) that an export of an organization reads at a time",
    "nothing",
  ],
  portableRows: ["Calls, contacts or deliveries that it reads at a time", "nothing"],
  portablePiece: ["Lines of its file that an import writes in one commit, and their characters", "nothing"],
  portableLanes: ["Batches and campaigns of a file that an import remembers, and looks up no more", "nothing"],
  verificationPage: ["Rows that `rows verify` reads at a time", "nothing"],
  verificationLongRows: ["Campaigns that it reads at a time", "nothing"],
  verificationFaults: ["Faults that a verification tells of", "it counts the others"],
  overdueMs: ["How long after its time something counts as forgotten for `rows verify`", "a fault"],
  retentionDays: [
    "For how many days an organization keeps its calls and contacts, where not for ever",
    "`InvalidField`",
  ],
  purgeLookMs: ["How often it is looked for what was kept for its time", "it goes this much later at most"],
  purgedCalls: ["Calls that go at a time", "nothing"],
  purgedContacts: ["Contacts that go at a time", "nothing"],
  purgedCallees: ["Numbers that a purge looks at in one step", "nothing"],
  purgedBatches: ["Batches that are looked at at a time for it", "nothing"],
  purgeRestMs: ["How long the rest is after each such step at least", "a backlog goes no faster"],
  purgeRestTimes: ["How many times as long as the step took", "a backlog goes no faster"],
  purgesAtOnce: ["Organizations of which a process takes such steps at once", "the others wait"],
  platformLines: ["The most lines that an installation may be given", "`InvalidField`"],
  platformTenantsShown: ["Organizations that are shown with the lines that they have", "those that have the most"],
  organizationPage: ["Organizations that a host reads at a time", "`InvalidField`"],
  clockLookMs: ["How often it is looked whether the clock of the machine was set", "one line in the log"],
  clockJumpMs: ["By how much it has to be set at once", "one line in the log"],
  sampleMs: ["How often metrics that need the stores are measured", "a figure is this old at most"],
  sampleAnswerMs: ["How long such a measurement may take", "the figure is left out"],
  sampledBacklog: ["What is counted of a backlog", "a larger one is shown as this"],
  holdMs: [
    "How long a contact waits that could not be dialled through no fault of its own, at first",
    "`next_attempt_at`",
  ],
  holdMaxMs: ["The same at most: it doubles each time", "`next_attempt_at`"],
  forgottenAfterMs: ["When a contact is dialled that waits for a number which nobody is in a call with", "nothing"],
  forgottenLookMs: ["How often such contacts are looked for", "nothing"],
  numberHeirs: [
    "Contacts, each of another batch, that may be dialled at once when a number is free for which they have waited",
    "nothing: the first is dialled, the others wait again",
  ],
  holdsPerAttempt: ["Holds in a row that count as one attempt", "an attempt that ended `error`"],
  refusalsBeforeLaneWaits: [
    "Different contacts that the carrier refuses in a row before the whole campaign waits",
    "`carrier` in `explain`",
  ],
  dispatchBurst: ["Contacts that one campaign starts before others get their turn", "nothing"],
  intakeSweepMs: ["When contacts of a batch that was never shown are removed", "nothing"],
  dispatchTogether: ["Contacts whose calls are begun at a time", "nothing"],
  passedOverContacts: [
    "Contacts of a campaign that are passed over because their agent has no line",
    "those beyond wait for `crowdedMs`",
  ],
  crowdedMs: ["How long those wait", "`next_attempt_at`"],
  contactsPerRequest: ["Contacts of one request", "1001/422"],
  suppressionsPerNumber: [
    "Suppressions of one number, each of another scope; that of the organization is always taken",
    "the number is counted as `refused`",
  ],
  suppressedPerRequest: ["Numbers of one JSON request about suppressions", "1001/422"],
  suppressedPerFile: ["Numbers of one file of suppressions", "1001/422"],
  suppressionFileRetryAfterSeconds: [
    "What `Retry-After` says while another file of suppressions of the organization is taken in",
    "1300/429",
  ],
  suppressionChunk: ["Suppressed numbers that are written in one commit", "nothing"],
  suppressionRowBytes: [
    "Bytes of the suppressions of one number for agents and campaigns",
    "the number is counted as `refused`",
  ],
  skippedTogether: [
    "Contacts that are skipped in one commit, or that a campaign sets aside before others of its organization go first",
    "nothing",
  ],
  suppressionChunkBytes: ["Bytes of suppressed numbers that are written in one commit, about", "nothing"],
  suppressionCheckBytes: ["Bytes of suppressions that one check of numbers reads", "1001/422"],
  suppressionReasonCharacters: ["The reason, and the source, of a suppression", "1001/422"],
  suppressionNoteCharacters: ["The note of a suppression", "1001/422"],
  suppressOnRules: ["Rules of an organization that suppress numbers at the end of calls", "1001/422"],
  suppressOnEntries: ["Entries of each list of such a rule", "1001/422"],
  suppressOnCharacters: ["The name of a field, and a value, in such a rule", "1001/422"],
  suppressOnDays: ["Days for which a number is suppressed at the end of a call, where it has an end", "1001/422"],
  calleeHoursScopes: [
    "Agents and campaigns that have callee hours of their own, the organization among them",
    "1001/422",
  ],
  calleeHoursBytes: ["Bytes of all callee hours of an organization", "1001/422"],
  calleeHoursChecked: ["Numbers of one check of callee hours", "1001/422"],
  calleeHoursSearchDays: [
    "How many days ahead it is looked for a time at which a callee may be called",
    "it counts as never; a contact is looked at again then",
  ],
  calleeHoursCheckDays: ["How many days from now a check of numbers may ask for, and how many days ago", "1001/422"],
  calleeHoursRemembered: [
    "Settings and prefixes with several zones of which a process remembers when they are open",
    "it works them out anew",
  ],
  calleeHoursDaysRemembered: ["Days of each for which it remembers that", "it works them out anew"],
  callCapAttempts: ["How often one number may be called in a stretch that has a cap", "1001/422"],
  callCapRestSeconds: ["Seconds of rest between two calls to one number", "1001/422"],
  callCapAttemptsKept: ["Attempts at one number that are kept for call caps", "the oldest are forgotten"],
  callCapLookMs: ["After how long a contact that waits for call caps is looked at again", "nothing"],
  calleeOpeningsPerDay: ["Openings of one day in callee hours", "the request is refused"],
  calleeHolidays: ["Days of a country's holidays in callee hours", "the request is refused"],
  calleeMarksRemembered: [
    "Zones and prefixes of callees of which a process remembers for each entry of callee hours whether they are open",
    "those that were asked for longest ago are worked out anew",
  ],
  calleeMarksAtOnce: [
    "How many of them are judged in one turn of the event loop, each for each entry that may bind it",
    "the others are judged in the next turns",
  ],
  contactsTimedAtOnce: [
    "Contacts of a page of which it is worked out in one turn of the event loop when they may be called next, where there are callee hours",
    "the others follow in the next turns",
  ],
  intakeChunk: ["Contacts that are stored in one piece", "nothing"],
  csvBytes: ["Size of a CSV file", "1000/413"],
  namedFaults: ["Wrong rows that one answer names", "the others are counted"],
  scheduleMinMs: ["How far ahead a call must be booked", "1001/422"],
  scheduleMaxMs: ["How far ahead it may be booked", "1001/422"],
  agentCreateAllowanceMs: ["Time for making an agent", "1502/504"],
  allowanceMs: ["Time for every other use of the agent service", "1502/504"],
  idempotencyMs: ["How long the answer to an `Idempotency-Key` is kept", "the request is done again"],
  idempotencyKeys: ["Such answers that are kept in memory", "the oldest go"],
  idempotencyKeysOfOrganization: ["Those of one organization", "its oldest go"],
  idempotencyKeyCharacters: ["Length of an `Idempotency-Key`", "1000/400"],
  idempotencyLeaseMs: [
    "How long a process has an `Idempotency-Key` that it does not renew",
    "whoever comes with the key takes it over",
  ],
  idempotencyRenewMs: ["After how long it renews it", "nothing"],
  idempotencyOwed: [
    "Ends of requests with an `Idempotency-Key` that a process remembers for a store that is away",
    "of the oldest what was made is looked for when they come again",
  ],
  idempotencyOwedOfOrganization: ["Those of one organization", "the same, of its own"],
  idempotencyOwedCharacters: ["The length of their answers together, in characters", "the same"],
  idempotencyOwedAtOnce: [
    "How many of those a request with a key tells the store first",
    "the rest go with the next requests",
  ],
  idempotencyRetryAfterSeconds: [
    "What `Retry-After` says while the first request still runs",
    "1201/409 with `Retry-After`",
  ],
  idempotencySweepKeys: ["Expired answers to an `Idempotency-Key` that are taken away at a time", "nothing"],
  usageRangeMs: ["The longest range of a usage report", "1000/400"],
  usageGroups: ["Agents or campaigns that a usage report is divided by", "1001/422 on `group_by`"],
  ringTimeoutSeconds: ["How long a call may ring", "1001/422; `no-answer` once it has rung so long"],
  page: ["`page` of a list", "1001/422"],
  pageSize: ["`page_size` of a list", "1001/422"],
  rowBytes: ["A stored row as JSON", "1001/422"],
  pageBytes: ["A page of a list as JSON", "1001/422 on `page_size`"],
  wokenInTurn: [
    "Of those that wait for answers of PostgreSQL, how many go on in one turn of the event loop, and after how many milliseconds no more do",
    "the others go on in the next turns",
  ],
  pagesAtOnce: [
    "Pages of lists, reports of usage, and explanations of campaigns, that are made at once for one organization",
    "the others wait",
  ],
  piecesAtOnce: [
    "Pieces of lists of contacts or numbers, of the audit trail where it is verified, and of all subscriptions of an agent, that are written or read at once for one organization; and numbers that are released and knowledge bases that are deleted, whose users are looked for",
    "the others wait",
  ],
  agentBytes: ["A stored agent", "1001/422"],
  settingsBytes: ["Any other stored resource", "1001/422"],
  analyticsBytes: ["The analysis that an agent asks for", "1001/422"],
  copiedBytes: ["Default variables, and the prompt of follow-ups", "1001/422"],
  callVariablesBytes: ["Variables and metadata of a call", "1001/422"],
  transcriptBytes: ["What is kept of a transcript", "`transcript_status: truncated`"],
  transcriptTurns: ["Turns of a transcript", "`transcript_status: truncated`"],
  summaryCharacters: ["Length of a summary", "the rest is cut off"],
  stopReasonCharacters: ["`reason` of a stop", "1001/422"],
  contactBytes: ["The variables of one contact", "1001/422"],
  intakeCharacters: ["The variables of all contacts of a request", "1001/422"],
  intakeVariables: ["How many variables they have together", "1001/422"],
  intakeTurnCharacters: ["What is read or stored of them before others have their turn", "nothing"],
  bodyBytes: ["A request body without contacts", "1000/413"],
  readingBytes: ["Request bodies in memory at once", "1300/429 for its own share, else 1501/503"],
  readingRetryAfterSeconds: ["What `Retry-After` says then", "the header"],
  answeringCharacters: ["Answers in memory at once", "1300/429 for its own share, else 1501/503"],
  answeringRetryAfterSeconds: ["What `Retry-After` says then", "the header"],
  callbackBytes: [
    "Bodies of callbacks of one carrier in memory at once, those up to 16 KiB apart",
    "503: the carrier sends it again",
  ],
  callbackBodyMs: ["How long the body of a callback may take to come", "503: the carrier sends it again"],
  pagesBytes: [
    "Pages beside the API in memory at once, those up to 16 KiB apart, and what is sent to many once",
    "503 with `Retry-After`",
  ],
  pagesRetryAfterSeconds: ["What `Retry-After` says then", "the header"],
  probeMs: ["How long what `/readyz` and the metrics found is answered again", "an answer is this old at most"],
  jsonDepth: ["Depth of a JSON body", "1000/400"],
  jsonValues: ["Values in a JSON body without its contacts", "1001/422"],
  jsonNames: ["Names of the members of all objects in a JSON body without its contacts", "1001/422"],
  jsonContactValues: ["Values in its contacts", "1001/422"],
  contactValues: ["Values in one of them, also inside of its variables", "1001/422"],
  jsonContactKeys: ["Different keys in its contacts", "1001/422"],
  contactVariables: ["Columns of a CSV file beside the number", "1001/422"],
  formBoundaryCharacters: ["The `boundary` of a form", "1000/400"],
  knowledgeFiles: ["Files of one upload", "1000/413"],
  knowledgeFileBytes: ["One of them", "1000/413"],
  knowledgeUploadBytes: ["All of them", "1000/413"],
  knowledgeUploadMs: ["Time for reading an upload", "1502/504"],
  knowledgeStoreMs: ["Time for writing its chunks, on PostgreSQL", "1502/504"],
  knowledgePlaceMs: ["When the place of an upload that was not given back is free again", "1300/429 until then"],
  knowledgeRemovalRetries: ["How often a removal that has begun is tried again where something is away", "1501/503"],
  knowledgeRemovalRetryMs: ["How long after", "nothing"],
  knowledgeRetryAfterSeconds: [
    "What `Retry-After` says while another upload of the organization runs, or too many of its questions",
    "1300/429",
  ],
  knowledgeChunkSize: ["`chunk_size`", "1001/422"],
  knowledgeOverlapping: ["`overlapping`", "1001/422"],
  knowledgeDocuments: ["Uploads that one base holds", "1000/413"],
  knowledgeChunks: ["Chunks of a base", "1000/413"],
  knowledgeCharacters: ["Characters of its chunks", "1000/413"],
  knowledgePieceBytes: ["Bytes of the chunks of an upload that lie in one row", "nothing: they are more rows"],
  knowledgeQueryCharacters: ["Length of a question", "1001/422"],
  knowledgeQueries: [
    "Questions of one organization that are asked at once, and that are open: the others wait",
    "1300/429 with `Retry-After`",
  ],
  knowledgeIndexedCharacters: [
    "Characters of bases of which a process keeps an index, on PostgreSQL; a base counts as so many at least",
    "a base that gave way is indexed again when it is asked",
  ],
  knowledgeIndexings: ["Bases that are indexed at once in a process, each of another organization", "the others wait"],
  knowledgeTopK: ["`top_k` of a question", "1001/422"],
}

const number = (value: number): string => value.toLocaleString("en-US")

/** The largest unit that divides the value, or comes near to it. */
const inUnits = (value: number, units: ReadonlyArray<readonly [size: number, name: string]>): string => {
  const [size, name] = units.find(([one]) => value >= one && value % one === 0) ?? [1, units.at(-1)?.[1] ?? ""]
  return `${number(value / size)} ${name}`
}

const times = [
  [24 * 3_600_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
  [1, "ms"],
] as const

const sizes = [
  [1024 * 1024, "MiB"],
  [1024, "KiB"],
  [1, "bytes"],
] as const

const figure = (name: string, value: number): string => {
  if (name.endsWith("Ms")) return value === 0 ? (name.startsWith("drain") ? "0" : "at once") : inUnits(value, times)
  if (/bytes$/i.test(name)) return inUnits(value, sizes)
  if (name.endsWith("Seconds")) return `${number(value)} s`
  if (name.endsWith("Characters") && value >= 1024 * 1024 && value % 1024 === 0)
    return inUnits(value, [
      [1024 * 1024, "Mi characters"],
      [1024, "Ki characters"],
    ])
  return number(value)
}

const valueOf = (name: string, value: (typeof limits)[Name]): string => {
  if (typeof value === "number") return figure(name, value)
  if (Array.isArray(value)) return value.map((one) => figure(name, Number(one))).join(", ")
  return Object.entries(value)
    .map(([part, one]) => `${part} ${figure(part.endsWith("Bytes") ? part : name, Number(one))}`)
    .join(", ")
}

const isName = (name: string): name is Name => Object.hasOwn(told, name)

const rows = Object.keys(limits)
  .filter(isName)
  .map((name) => [`\`${name}\``, valueOf(name, limits[name]), ...told[name]])

const settable = Object.entries(callLimitBounds).flatMap(([name, { max, min }]) =>
  isName(name)
    ? [[`\`${name}\``, figure(name, min), valueOf(name, limits[name]), figure(name, max), ...told[name]]]
    : [],
)

/** The page of all bounds of the engine. */
export const limitsPage = (): string => `# Limits by name

Every bound of the engine has a name in \`limits\` of \`@carillon/core\`. “1001/422” is the code and the HTTP status of a refusal. “Nothing” means that only the order or the speed of the work inside changes. What the bounds are for is told in [Limits and neighbours](../guides/limits.md).

## Times that a host may set

\`Carillon.make({ limits: { answeredSilenceMs: 300_000 } })\`; \`limits.answered_silence_ms\` in the settings of [the server](server.md); \`callLimits\` or \`--call-limit answeredSilenceMs=300000\` in the simulator. All are whole milliseconds. One that is out of its bounds, and a name that is not in this table, is refused at the start with \`WrongLimit\`, which names it. Set them alike in all processes on the same rows. How long a call rings is said by each call (\`timeout_seconds\`).

${table(["Limit", "Least", "Default", "Most", "What it is", "What one sees at it"], settable)}
## All of them

${table(["Bound", "Value", "What it bounds", "What one sees at it"], rows)}`
