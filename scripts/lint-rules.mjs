// Lint rules that oxlint does not have. oxlint loads this file as a plugin (`.oxlintrc.json`).

/** @typedef {{ readonly callee: { readonly type: string, readonly name?: string }, readonly arguments: readonly unknown[] }} NewExpression */
/** @typedef {{ report: (problem: { readonly node: NewExpression, readonly message: string }) => void }} RuleContext */

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

export default {
  meta: { name: "carillon" },
  rules: { "no-present-date": noPresentDate },
}
