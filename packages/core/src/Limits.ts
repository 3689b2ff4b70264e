/** Every bound of the engine, in one place. Units are in the names. */
export const limits = {
  /** Times a step is decided anew when rows have changed meanwhile: of as many that meet at one row or guard none is refused. */
  commitAttempts: 64,
  /**
   * Steps of one organization that decide anew at once in a process, after others had written a row first that they rest on; and how many
   * of it wait for that or do it at most. Those beyond are refused.
   */
  stepsAnewAtOnce: 128,
  stepsAnewWaiting: 1_000,
  /** A carrier's word waits for what becomes of its dial to be written, unless that has been on its way for so long: its store may hang. */
  overtakenFreshMs: 1_000,
  /** Errands of one commit at the most, those included that follow from one another: more is a mistake. */
  errandsTogether: 64,
  /** Rounds in which a step reads at most, one resting on the answers of the other, and rows that it reads. More is done a page at a time. */
  stepRounds: 3,
  stepRows: 256,
  /** Times a caller ID is looked for where the organization's numbers change meanwhile. */
  callerIdAttempts: 5,
  /** Times a commit whose answer was lost is sent again. */
  commitResends: 2,
  /** How long a direct dial waits for a line (specification, "Concurrency"). */
  directDialWaitMs: 5_000,
  directDialRetryAfterSeconds: 5,
  /** How long a scheduled call or a batch contact waits for a line. */
  queuedDialWaitMs: 15_000,
  /** A direct dial that had to wait so long for a line looks at the agent and its window once more. */
  lineWaitedMs: 100,
  /** How often a dial that waits by the count of committed calls looks again: another process may have freed a line, and nobody says so. */
  countedLookMs: 1_000,
  /** A scheduled call that found no line is booked again this long after it gave up. */
  rescheduleMs: 60_000,
  /** How long a request waits for the carrier to take the dial. */
  dialAcknowledgementMs: 8_000,
  /** How long a hang-up, and a question about a leg, may take; a carrier that is silent for longer gave no answer. */
  carrierAnswerMs: 15_000,
  /** Where there are several carriers: after so many dials in a row that one did not hear it is left alone for so long, each time twice as long up to the maximum. */
  carrierFailures: 5,
  carrierAwayMs: 5_000,
  carrierAwayMaxMs: 60_000,
  /** How often a carrier that is left alone is asked a question, to find that it is there again. */
  carrierLookMs: 5_000,
  /** How long a dial waits for its turn at a carrier that takes so many calls in a second; well within the time that it has for an answer. */
  carrierPatienceMs: 4_000,
  /** Calls of which a process remembers the carrier; caller IDs, and pools of them, of which it remembers the turns that are taken. */
  carrierRoutesKnown: 10_000,
  carrierNumbersPaced: 10_000,
  /** Of the cause of a carrier's mistake, what its line in the log carries. */
  carrierMistakeCharacters: 4_000,
  executionIdCharacters: 255,
  /** Of the address of a recording, as a carrier reports it. */
  recordingAddressCharacters: 4_096,
  /** The most that a carrier may report as the seconds or the cost of one call: sums of any number of calls stay numbers that JSON has. */
  reportedAmount: 1_000_000_000,
  /** Reports of ids that nobody knows, and callbacks that are refused, are told of at most this often, with their count. */
  unknownReportsMs: 60_000,
  refusedCallbacksToldMs: 60_000,
  /** How often it is told that calls have ended of which the carrier did not report the end. */
  untoldEndsMs: 60_000,
  /** A reservation that was not committed by then is void. */
  reservationMs: 20_000,
  /** How soon after the carrier's answer to a dial was lost it is asked what became of it. */
  lostAnswerQuestionsMs: [3_000, 6_000, 12_000, 24_000],
  /** From when on its word that it knows no leg of such a dial is believed: one on its way has come by then. Also the first delay of the back-off after it. */
  questionDelayMs: 30_000,
  questionBackoffMaxMs: 300_000,
  /** Questions to a carrier that gives no answer before the dial counts as lost. */
  ringGraceMs: 30_000,
  answeredSilenceMs: 600_000,
  /** How long a process may go on with what it knows of a hold on dialling, and how often what is held looks whether it still is. */
  diallingCacheMs: 5_000,
  heldLookMs: 30_000,
  /** Reports that could not be stored and are kept by the process that was given them: so many, with so much text, handed in so many at once. */
  keptReports: 10_000,
  keptReportCharacters: 32 * 1024 * 1024,
  keptReportsTogether: 8,
  /** How soon they are handed in again, twice as late each time none was taken, up to the maximum. */
  keptReportsRetryMs: 500,
  keptReportsRetryMaxMs: 5_000,
  /** How often it is told that some were given up. */
  keptReportsToldMs: 10_000,
  /** For how long nobody may have worked before live calls are asked about that nobody heard of since, and how long after it: what was kept comes first. */
  unheardGapMs: 5_000,
  unheardDelayMs: 5_000,
  /** The same where the carrier was away: the others have heard all that was told. */
  unheardCarrierDelayMs: 1_000,
  /** After how much silence a call is asked about because one process of several has started. */
  unheardAgedMs: 60_000,
  /** How the questions are spread: one after the other at this distance, closer where that takes longer than all may take, but never closer than the last. */
  unheardPaceMs: 100,
  unheardSpreadMs: 45_000,
  unheardPaceMinMs: 20,
  /** After how much silence a live call is told of among the lines, and how many calls are looked at for one organization. */
  silentLineMs: 60_000,
  silentLinesRead: 100,
  /** How often slots are compared with the rows. */
  reconcileMs: 15_000,
  reconcilePage: 500,
  reconcileTogether: 64,
  /** How soon they are compared where a line could not be given back, and again until that could be done. */
  releaseRetryMs: 2_000,
  /** Words that a process keeps while the slot store cannot hear them: lines given back, places left, wishes. */
  lostWords: 10_000,
  /** How long what was away has to answer before it counts as back; and how many requests in a row a carrier leaves without an answer before it is away. */
  outageCalmMs: 2_000,
  carrierOutageFailures: 3,
  /** The same where PostgreSQL could not write, its disk being full: so long nothing may fail before a read shows that it can again. */
  outageReadCalmMs: 60_000,
  /** After how long a request to a carrier that is given up shows that it does not answer. */
  carrierSilentMs: 3_500,
  /** How often it is looked whether the clock of the machine was set, and by how much it has to be: what a time server corrects slowly is no jump. */
  clockLookMs: 1_000,
  clockJumpMs: 1_000,
  /** How often what is measured by asking the stores is asked for, how long that may take, and what of a backlog is counted. */
  sampleMs: 10_000,
  sampleAnswerMs: 2_000,
  sampledBacklog: 10_000,
  /** Resolved ceilings, keys and subscriptions are cached per process. */
  cacheMs: 60_000,
  /**
   * While contacts wait for a line, their dispatcher looks at least this often whether there is one; more often where the platform has none,
   * because another organization may give one back in another process.
   */
  dispatchLookMs: 10_000,
  platformLookMs: 5_000,
  /** A cached key is served this long while the key store is away. */
  staleKeyMs: 3_600_000,
  cachedKeys: 50_000,
  cachedOrganizations: 50_000,
  /** Rate counters kept in memory before idle ones are dropped. */
  rateCounters: 100_000,
  /** The real-time driver looks at least and at most this often, so that what another process sets is seen. */
  driverMinPauseMs: 5,
  driverMaxPauseMs: 250,
  /**
   * A driver of which no turn has ended for so long stands still: more than twice what a turn takes whose every question to the store is given
   * up for want of an answer.
   */
  driverStillMs: 120_000,
  /** How often each is told of that has a mistake, or fails: what must go on, and what handles one kind of wake-ups. */
  mistakesToldMs: 60_000,
  handlersToldMs: 60_000,
  /**
   * A claim is renewed while it is handled, so the lease only says how soon the claims of a dead process come back. It is several times
   * the renewal, so that neither a slow store nor clocks that differ by seconds take a claim from the living.
   */
  wakeupLeaseMs: 12_000,
  wakeupRenewMs: 4_000,
  /** A handler that takes longer than this has hung: its claim is not renewed any more. */
  wakeupHandlingMs: 180_000,
  /** What one process keeps (`keptWakeups`) others claim only when it is overdue by so much. */
  wakeupKeptMs: 2_000,
  wakeupBatch: 64,
  /** Of them, while more are due than one round claims: so many go round by organization. */
  wakeupsInTurn: 32,
  /** Processes that a process remembers because it took over what they had claimed, and how often it tells of each. */
  lostProcesses: 100,
  lostProcessToldMs: 60_000,
  /**
   * While more are due than one round claims, so many rounds claim one time those that became due last: what an organization has due beside
   * its own backlog does not wait for the end of that.
   */
  wakeupLatestRound: 4,
  /** A failed wake-up is tried again after this long. */
  wakeupRetryMs: 5_000,
  /** Times that a process tries to set it before it leaves it to the claim's lease. */
  wakeupRetries: 60,
  /**
   * Errands and news that have failed and that a process keeps to do again as often: of one organization, and of all of each kind; and how many are
   * tried at once. Those beyond are left to whoever looks at the rows, which the log says at most so often.
   */
  triedLater: { organization: 500, process: 20_000, atOnce: 8 },
  triedLaterToldMs: 60_000,
  /**
   * Of a process that leaves, 27 s in all: how long what runs may finish, how long what still waits may take to end, how long its ports may
   * take to close, and its connections.
   */
  drainFinishMs: 10_000,
  drainEndMs: 10_000,
  /** So many of the places that a process leaves waiting are named in its log. */
  cutOffTold: 20,
  drainCloseMs: 5_000,
  drainConnectionsMs: 2_000,
  refusedReports: 8,
  /** From the end of a call to the moment at which it counts as processed whatever is missing (decisions.md, "Readings"). */
  processingDeadlineMs: 600_000,
  /** Starts of the attempts of one delivery, from the first (decisions.md, "Webhooks"). */
  webhookAttemptOffsetsMs: [0, 5_000, 30_000, 90_000] as ReadonlyArray<number>,
  /** How long an endpoint may take to acknowledge, and how long after that an attempt counts as lost with its process. */
  webhookAttemptMs: 30_000,
  webhookLeaseSlackMs: 10_000,
  /** The budget of `POST /v2/webhooks/test`, and when one that found no place among the attempts under way may be tried again. */
  webhookTestMs: 10_000,
  webhookTestRetryAfterSeconds: 5,
  /**
   * Attempts under way at one endpoint, and at all, of which one organization has half and one of its hosts a third at most; the bytes of their
   * bodies and headers, which are shared in the same way; deliveries that wait for their endpoint beyond that, of which one organization has half at most.
   */
  webhookEndpointInFlight: 64,
  webhookInFlight: 4_096,
  webhookInFlightBytes: 64 * 1024 * 1024,
  webhookQueue: 100_000,
  /**
   * An endpoint takes no webhooks when so many attempts in a row were refused there, or one took all its time. A process remembers so many such
   * endpoints, names so many of them in so long, of one organization fewer, and tells that they fail for so long after an attempt.
   */
  webhookFailingAttempts: 2,
  webhookFailingEndpoints: { organization: 1_000, process: 10_000 },
  webhookFailingTold: { organization: 5, process: 20 },
  webhookFailingToldMs: 60_000,
  webhookFailingKnownMs: 300_000,
  /**
   * A process remembers so many wallets that carry no call, names so many of them in so long, of one organization fewer, and counts them for so
   * long after it was to dial: a contact is held for less.
   */
  emptyWallets: 10_000,
  emptyWalletsTold: { organization: 2, process: 20 },
  emptyWalletsToldMs: 60_000,
  emptyWalletKnownMs: 600_000,
  /** Dials refused that are named in the log in `withheldToldMs`: of one organization for one reason, and of all together. */
  withheldTold: { organization: 1, process: 20 },
  withheldToldMs: 60_000,
  /** Subscriptions whose webhooks an operator has explained at a time, and deliveries of each that are looked at for it. */
  explainedSubscriptions: 100,
  explainedDeliveries: 100,
  /** When a delivery that waits for its endpoint, or for room to wait, is looked at again. */
  webhookQueuedLookMs: 60_000,
  webhookCrowdedLookMs: 10_000,
  /** When a delivery whose secrets this process cannot read is looked at again, and how often such secrets are told in the log. */
  webhookUnreadableLookMs: 60_000,
  unreadableSecretsMs: 60_000,
  /** Rows that a walk over all secrets reads at a time; so many of the largest there may be are a page that every store carries. */
  resealRows: 10,
  /**
   * The last event of a call waits until each other of its call has been attempted once at the endpoint: how soon it looks again at first, and
   * how long it waits at most, which is longer than an attempt takes that was lost with its process; and how many deliveries it looks at.
   */
  webhookBehindLookMs: 100,
  webhookBehindMaxMs: 60_000,
  deliveriesOfCall: 100,
  ledgerRetentionMs: 30 * 24 * 3_600_000,
  /** An event outlives the last delivery that may be made of it. */
  eventRetentionMs: 31 * 24 * 3_600_000,
  /** Kept events that a host's reader takes at once, and how soon it looks again when there was none, or when the store was away. */
  keptEventsAtOnce: 64,
  keptEventsLookMs: 500,
  keptEventsRetryMs: 2_000,
  ledgerSweepRows: 500,
  callbackUrlCharacters: 2_048,
  /**
   * Headers of a subscription, or of one test: how many, and the bytes of one name, of one value, and of all names and values together. As most
   * servers take a head of 16 KiB at most, no more of it is the customer's; and sealed they fit into a row of `settingsBytes`.
   */
  webhookHeaders: { count: 50, nameBytes: 256, valueBytes: 4_096, bytes: 12 * 1024 },
  subscriptionsPerAgent: 100,
  /**
   * Subscriptions that a process remembers for the routing of events: of one organization, and of all. Of each it keeps its id and what it is told of;
   * an agent that is remembered counts as one more.
   */
  cachedListeners: { organization: 10_000, process: 100_000 },
  /** Numbers of one organization: its campaigns choose among all of them, and answers list them. */
  numbersPerOrganization: 10_000,
  /** Characters of an id that a host names and that is written as it is. */
  idCharacters: 1_000,
  /** Numbers of which one read tells who has them: whoever opens or imports an organization looks for all of its own. */
  heldNumbersAtOnce: 1_000,
  /** Entries of the log of a campaign that are kept: with one more the oldest goes. */
  campaignLogEntries: 10_000,
  /**
   * Calls that a breaker looks at, at most: it reads them each time that a call of its campaign ends. The minutes that its window lasts at most, those
   * after which its campaign goes on, and the seconds up to which a call may count as short.
   */
  breakerCalls: 500,
  breakerWindowMinutes: 1_440,
  breakerResumeMinutes: 10_080,
  breakerShortSeconds: 600,
  /** The priority of the contacts that are called before all others of their campaign. Contacts are sorted into one place for each, and one for 0. */
  highestPriority: 9,
  /** Characters of the name of the variable that says it. */
  priorityColumnCharacters: 100,
  /**
   * Batches that a campaign may ever have; those that have neither completed nor failed, all of which it moves in one commit; and the bytes that
   * these take as JSON.
   */
  batchesPerCampaign: 10_000,
  movableBatches: 500,
  movableBatchBytes: 1024 * 1024,
  /** Attempts on one contact that a payload tells of. */
  payloadAttempts: 100,
  /** So many of them are read at once: as long as rows may be, the page is one that every store carries. */
  payloadAttemptsAtOnce: 10,
  /** Batches of a campaign whose counts are read at once where it is explained. */
  talliesAtOnce: 100,
  /** Records of the audit trail that are read at a time while it is verified. */
  auditPage: 100,
  /** Of one person so many calls are erased at once; so many calls or batches, and so many contacts, are looked at at a time. */
  erasedCalls: 1_000,
  erasurePage: 100,
  erasureRows: 500,
  /**
   * Rows of short lists, and rows of long ones, that an export of an organization reads at a time; how many lines of its file, and of how many
   * characters, an import writes in one commit; how many batches and campaigns it remembers to be the organization's, and looks up no more.
   */
  portablePage: 10,
  portableRows: 100,
  portablePiece: { lines: 200, characters: 1_000_000 },
  portableLanes: 10_000,
  /** Rows that a verification reads at a time, so many of them where each may be long, and faults that it tells of; what is due counts as forgotten so long afterwards. */
  verificationPage: 500,
  verificationLongRows: 10,
  verificationFaults: 100,
  overdueMs: 600_000,
  /** For how many days calls and contacts may be kept: longer than carriers take to correct what a call cost. */
  retentionDays: { min: 7, max: 3_650 },
  /**
   * How often it is looked for what was kept for its time; how many calls and contacts go at a time, and how many batches are looked at; how long
   * the rest in between lasts at least, and how many times as long as the step took; and how many organizations a process purges at once, fewer
   * than a store may write transactions at a time.
   */
  purgeLookMs: 24 * 3_600_000,
  purgedCalls: 40,
  purgedContacts: 200,
  /** Callees that are looked at in one step of a walk that takes away what has been kept for its time. */
  purgedCallees: 200,
  purgedBatches: 100,
  purgeRestMs: 50,
  purgeRestTimes: 2,
  purgesAtOnce: 1,
  /** The most lines that an installation may be given; organizations that are shown with the lines that they have. */
  platformLines: 1_000_000,
  platformTenantsShown: 20,
  /** Organizations that a host reads at a time. */
  organizationPage: 100,
  /** A batch contact that cannot be dialled through no fault of its own is held so long, doubling up to the maximum. */
  holdMs: 5_000,
  holdMaxMs: 300_000,
  /**
   * A contact that has waited so long for a number that nobody is in a call with is dialled: longer than another one that has the turn can
   * be held before that counts as an attempt. While anybody waits for a number, it is looked at least so often.
   */
  forgottenAfterMs: 1_800_000,
  forgottenLookMs: 300_000,
  /** As many of those who wait for a number have the turn at once when it is free: one of a batch, those who have waited longest. */
  numberHeirs: 16,
  /** So many holds in a row count as one attempt that ended in error. */
  holdsPerAttempt: 10,
  /** After refusals of so many different contacts, and no dial that the carrier took, a lane waits before it dials anybody else. */
  refusalsBeforeLaneWaits: 3,
  /** Contacts that one dispatch starts before others get their turn. */
  dispatchBurst: 128,
  /** When the contacts of a batch that was not shown are looked for: long after every request that may still show it. */
  intakeSweepMs: 3_600_000,
  /** Contacts whose calls are begun at a time. */
  dispatchTogether: 64,
  /** Contacts that are skipped in one commit, or that a lane sets aside before others go first. */
  skippedTogether: 250,
  /** Contacts of one lane that are passed over because their agent has no line; those beyond come back after so long, and others go on. */
  passedOverContacts: 256,
  crowdedMs: 120_000,
  contactsPerRequest: 50_000,
  /** Suppressions of one number, each for another scope; numbers of a request in JSON, and of a file; numbers that are written in one commit. */
  suppressionsPerNumber: 50,
  suppressedPerRequest: 5_000,
  suppressedPerFile: 1_000_000,
  /** What who sends a file of suppressions is told while another one of the organization is taken in. */
  suppressionFileRetryAfterSeconds: 5,
  suppressionChunk: 250,
  /** Bytes that the suppressions of a number for agents and campaigns may take as JSON; and about those that one commit writes of numbers. */
  suppressionRowBytes: 16 * 1024,
  suppressionChunkBytes: 512 * 1024,
  /** Bytes of rows that one check of numbers may read: an answer takes no more than twice as many. */
  suppressionCheckBytes: 4 * 1024 * 1024,
  /** What may be said of a suppression. */
  suppressionReasonCharacters: 100,
  suppressionNoteCharacters: 1_000,
  /** Rules of an organization that suppress numbers at the end of calls; entries of each list of a rule, and characters of a name or value in it. */
  suppressOnRules: 20,
  suppressOnEntries: 20,
  suppressOnCharacters: 100,
  /** How many days such a suppression may stand that has an end. */
  suppressOnDays: 3_650,
  /** Scopes of an organization that have callee hours of their own; bytes that all of them take as JSON; numbers of one check. */
  calleeHoursScopes: 100,
  calleeHoursBytes: 256 * 1024,
  calleeHoursChecked: 1_000,
  /** How far ahead it is looked for a time at which a callee may be called. */
  calleeHoursSearchDays: 62,
  /** For how many days from now a check of numbers may ask, and how many days ago. */
  calleeHoursCheckDays: 732,
  /**
   * Of settings and prefixes with several zones, for how many a process remembers when they are open; for how many days each. For others that is
   * worked out anew: in some milliseconds at most.
   */
  calleeHoursRemembered: 500,
  calleeHoursDaysRemembered: 130,
  /** Openings of a day in callee hours, and days of a country's holidays, each of a calendar among them. */
  calleeOpeningsPerDay: 8,
  calleeHolidays: 400,
  /** How often one number may be called at most that has a cap, in each of its stretches; and how long it may rest. */
  callCapAttempts: 30,
  callCapRestSeconds: 30 * 86_400,
  /** Attempts at a number that are kept for caps: more than a cap allows there can be by overriding it only. */
  callCapAttemptsKept: 64,
  /** A contact that waits for call caps is looked at again after so long: they may have been changed. */
  callCapLookMs: 86_400_000,
  /** Zones, or prefixes with several, of which a process remembers for an organization whether they are open. */
  calleeMarksRemembered: 10_000,
  /** How many of them are judged in one turn of the event loop, each for each entry of callee hours that may bind it. */
  calleeMarksAtOnce: 64,
  /** Contacts of a page of which it is worked out in one turn of the event loop when they may be called next, where there are callee hours. */
  contactsTimedAtOnce: 8,
  /** Contacts that are stored in one piece at most while a batch is not visible yet; see `intakeTurnCharacters`. */
  intakeChunk: 1_000,
  csvBytes: 20 * 1024 * 1024,
  /** Wrong rows or contacts that one answer names. */
  namedFaults: 20,
  scheduleMinMs: 120_000,
  scheduleMaxMs: 30 * 24 * 3_600_000,
  /** Time allowed for creating an agent, and for every other use of the agent service (specification, "Other constants"). */
  agentCreateAllowanceMs: 45_000,
  allowanceMs: 15_000,
  /** How long the answer to an `Idempotency-Key` is kept, and how many are kept in memory at most: of all organizations, and of one. */
  idempotencyMs: 24 * 3_600_000,
  idempotencyKeys: 1_000_000,
  idempotencyKeysOfOrganization: 100_000,
  idempotencyKeyCharacters: 255,
  /**
   * For how long a process has a key that it does not renew, and how long after the last time it renews it. Whoever comes with the key of a process that is
   * gone goes on after that at the latest.
   */
  idempotencyLeaseMs: 30_000,
  idempotencyRenewMs: 10_000,
  /** Ends of requests with a key that the store has not heard of, in a process, those of one organization, and the length of their answers. */
  idempotencyOwed: 1_000,
  idempotencyOwedOfOrganization: 100,
  idempotencyOwedCharacters: 16 * 1024 * 1024,
  /** How many of them a request with a key tells it first. */
  idempotencyOwedAtOnce: 8,
  idempotencyRetryAfterSeconds: 1,
  /** How many answers that have expired are taken away at a time. */
  idempotencySweepKeys: 500,
  /** The longest range of a usage report. */
  usageRangeMs: 32 * 24 * 3_600_000,
  /** Agents or campaigns that a usage report may be divided by. */
  usageGroups: 1_000,
  ringTimeoutSeconds: { default: 30, min: 5, max: 120 },
  page: { default: 1, min: 1, max: 10_000 },
  pageSize: { default: 20, min: 1, max: 100 },
  /**
   * What every store must carry: a row of so many bytes, and a page of a list of so many, as JSON in UTF-8. A larger row is refused when it is
   * written, a larger page when it is asked for.
   */
  rowBytes: 4 * 1024 * 1024,
  pageBytes: 8 * 1024 * 1024,
  /**
   * Of those that wait for answers of the database, how many are given theirs in one turn of the event loop, and for how long: each goes on at once,
   * some for tenths of a millisecond and some for several.
   */
  wokenInTurn: { taken: 32, ms: 2 },
  /** Pages of lists and reports of usage that are made at once for one organization; four of the largest fill its room for answers. */
  pagesAtOnce: 4,
  /**
   * Pieces of lists of contacts or numbers, of the audit trail, and of all subscriptions of an agent, that are written or read at once for one
   * organization; and numbers that are released and knowledge bases that are deleted, whose users are looked for.
   */
  piecesAtOnce: 2,
  /** What customers may store in one agent, and in any other resource of theirs, as JSON in UTF-8 and after merging. */
  agentBytes: 256 * 1024,
  settingsBytes: 64 * 1024,
  /** Of an agent, what is copied into each of its calls: the analysis that it asks for. */
  analyticsBytes: 32 * 1024,
  /** The same of a campaign or a batch: its default variables, and the prompt of its follow-ups. */
  copiedBytes: 16 * 1024,
  /** The variables of a call that is placed directly, its metadata among them. */
  callVariablesBytes: 64 * 1024,
  /** What is kept of a conversation and of its analysis; the rest is cut off, and the transcript says so. */
  transcriptBytes: 512 * 1024,
  transcriptTurns: 4_000,
  summaryCharacters: 20_000,
  /** The words that a hang-up may carry. */
  stopReasonCharacters: 1_000,
  /** What customers may store in the variables of one contact, and for those of all contacts of a request, which have a count as well. */
  contactBytes: 64 * 1024,
  intakeCharacters: 64 * 1024 * 1024,
  intakeVariables: 2_500_000,
  /** Of them, what is read or stored before others have their turn. */
  intakeTurnCharacters: 128 * 1024,
  /** Request bodies without contacts. */
  bodyBytes: 1024 * 1024,
  /**
   * Bytes of request bodies that a process holds at once, from the first one that is read until the request is answered: of one
   * organization, of all of them, and what each organization has whatever others hold.
   */
  readingBytes: { organization: 64 * 1024 * 1024, process: 256 * 1024 * 1024, assured: 1024 * 1024 },
  readingRetryAfterSeconds: 1,
  /**
   * Characters of answers that a process holds at once, from when they are written until the network has taken them: of one organization, of all
   * of them, and what each organization has whatever others hold. A character takes three bytes at most.
   */
  answeringCharacters: { organization: 32 * 1024 * 1024, process: 128 * 1024 * 1024, assured: 1024 * 1024 },
  answeringRetryAfterSeconds: 1,
  /**
   * Of callbacks of one carrier, which anybody may send: bytes of bodies that a process holds at once, from the first one that is read until the
   * callback is answered, those up to 16 KiB apart; and how long a body may take to come.
   */
  callbackBytes: 32 * 1024 * 1024,
  callbackBodyMs: 10_000,
  /**
   * Bytes of pages beside the API, and of all that fallbacks answer, that a mount holds at once until the network has taken them: those up to 16 KiB
   * apart, and what is sent to many once.
   */
  pagesBytes: 32 * 1024 * 1024,
  pagesRetryAfterSeconds: 1,
  /** For how long a process goes on with what it found when it was asked whether it is ready, and with what it measured. */
  probeMs: 1_000,
  jsonDepth: 64,
  /** Values in a JSON body, lists and objects among them, its contacts not counted. */
  jsonValues: 10_000,
  /** Names of the members of all objects in it, its contacts not counted: each new name costs many times what a value costs. */
  jsonNames: 4_000,
  /** Values in the contacts of a JSON body, and columns of a CSV file beside the number. */
  jsonContactValues: 1_000_000,
  /**
   * Values in the variables of one contact of a JSON body, lists and objects in them among them. The engine that runs JavaScript takes many times
   * the memory for an object of thousands of members, and rests to collect it.
   */
  contactValues: 500,
  /** Different keys in the contacts of a JSON body, which a process remembers for good or bad: those of what they hold count, too. */
  jsonContactKeys: 20_000,
  contactVariables: 1_000,
  formBoundaryCharacters: 70,
  /** Uploads into knowledge bases (specification, "Other constants"). */
  knowledgeFiles: 10,
  knowledgeFileBytes: 25 * 1024 * 1024,
  knowledgeUploadBytes: 50 * 1024 * 1024,
  knowledgeUploadMs: 180_000,
  /** How long a store may take to write what was read of an upload. */
  knowledgeStoreMs: 60_000,
  /**
   * An upload's place that was not given back is free again after this long: five minutes on its way, the most that Node grants a request, its reading and
   * its writing.
   */
  knowledgePlaceMs: 540_000,
  /** How often what removes knowledge is tried again where something is away, and how long after. */
  knowledgeRemovalRetries: 3,
  knowledgeRemovalRetryMs: 200,
  knowledgeRetryAfterSeconds: 5,
  knowledgeChunkSize: { default: 512, min: 32, max: 8192 },
  knowledgeOverlapping: { default: 128, min: 0 },
  /**
   * Uploads that one base may hold; chunks that one upload, or all of a base, may have, and their characters: with `overlapping` a short text can
   * make any number of them.
   */
  knowledgeDocuments: 1_000,
  knowledgeChunks: 50_000,
  knowledgeCharacters: 10_000_000,
  /** Bytes of a document's chunks that a store keeps in one row, and reads before others have their turn. */
  knowledgePieceBytes: 512 * 1024,
  knowledgeQueryCharacters: 2000,
  /** Questions of one organization that are asked at once, and that may be open, those that wait for that included. */
  knowledgeQueries: { atOnce: 2, open: 64 },
  /**
   * Characters of bases of which a process keeps an index, where the store keeps none: of all organizations and of one, each base counted as having
   * so many at least.
   */
  knowledgeIndexedCharacters: { organization: 20_000_000, process: 40_000_000, base: 150_000 },
  /** Bases of which the index is made at once in a process, each for another organization. */
  knowledgeIndexings: 4,
  knowledgeTopK: { default: 5, min: 1, max: 50 },
} as const
