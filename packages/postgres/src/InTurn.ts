/** One of each row in turn, each row's own in their order, until there are none. */
export function* inTurn<A>(rows: ReadonlyArray<Iterable<A>>): Iterable<A> {
  let open = rows.map((row) => row[Symbol.iterator]())
  while (open.length > 0) {
    const left: typeof open = []
    for (const row of open) {
      const next = row.next()
      if (next.done === true) continue
      left.push(row)
      yield next.value
    }
    open = left
  }
}
