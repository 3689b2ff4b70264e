// Lint rules that oxlint does not have. oxlint loads this file as a plugin (`.oxlintrc.json`).

/** @typedef {{ readonly callee: { readonly type: string, readonly name?: string }, readonly arguments: readonly unknown[] }} NewExpression */
/** @typedef {{ readonly operator: string, readonly left: object, readonly right: { readonly value?: unknown } }} BinaryExpression */
/** @typedef {{ report: (problem: { readonly node: NewExpression | BinaryExpression | CallExpression, readonly message: string }) => void, readonly sourceCode: { getText: (node: object) => string } }} RuleContext */

/** `new Date()` reads the clock, `new Date(ms)` does not. */
const noPresentDate = {
  /** @param {RuleContext} context */
  create: (context) => ({
    /** @param {NewExpression} node */
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0) {
        context.report({ node, message: "The present time comes from `DomainClock`, or in as an argument." })
      }
    },
  }),
}

/** `call.revision`, `revision`, `(row?.revision ?? 0)`. */
const isRevision = /\brevision(\s*\?\?\s*0\s*\)?)?$/

/** Who writes a row says what it was and what it shall be (`put`); the revision follows. */
const noRaisedRevision = {
  /** @param {RuleContext} context */
  create: (context) => ({
    /** @param {BinaryExpression} node */
    BinaryExpression: (node) => {
      if (node.operator === "+" && node.right.value === 1 && isRevision.test(context.sourceCode.getText(node.left))) {
        context.report({ node, message: "`put` and `raised` (core/src/engine/rules/Put.ts) raise revisions." })
      }
    },
  }),
}

/** @typedef {{ readonly callee: { readonly name?: string, readonly object?: { readonly name?: string }, readonly property?: { readonly name?: string } }, readonly arguments: readonly object[] }} CallExpression */

/** A decision is given the time, so that it can be repeated and read beside its rule. */
const noClockInDecision = {
  /** @param {RuleContext} context */
  create: (context) => ({
    /** @param {CallExpression} node */
    CallExpression: (node) => {
      const [value] = node.arguments
      if (
        node.callee.name === "step" &&
        value !== undefined &&
        context.sourceCode.getText(value).includes("clock.now(")
      ) {
        context.report({ node, message: "A decision is given the time, with its moment." })
      }
    },
  }),
}

const byHand = new Set(["commit"])

/** A step says what it reads and what it decides (`step`); what its commit expects, and what follows from it, comes by itself. */
const noStepByHand = {
  /** @param {RuleContext} context */
  create: (context) => ({
    /** @param {CallExpression} node */
    CallExpression: (node) => {
      const { object, property } = node.callee
      if (object?.name === "steps" && property?.name !== undefined && byHand.has(property.name)) {
        context.report({
          node,
          message: "A new step is a value (core/src/engine/steps/Step.ts), and `steps.take` takes it.",
        })
      }
    },
  }),
}

/** Whoever waits for others says so (`Activity.inTurn`): the clock of a simulator goes on, and those it waits for may wait for the clock. */
const noUntoldWait = {
  /** @param {RuleContext} context */
  create: (context) => ({
    /** @param {CallExpression} node */
    CallExpression: (node) => {
      if (node.callee.property?.name === "withPermit" || node.callee.property?.name === "withPermits") {
        context.report({ node, message: "Who waits for others waits in `Activity.inTurn`." })
      }
    },
  }),
}

export default {
  meta: { name: "carillon" },
  rules: {
    "no-present-date": noPresentDate,
    "no-raised-revision": noRaisedRevision,
    "no-clock-in-decision": noClockInDecision,
    "no-step-by-hand": noStepByHand,
    "no-untold-wait": noUntoldWait,
  },
}
