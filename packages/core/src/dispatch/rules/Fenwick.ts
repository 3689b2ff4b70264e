/** Prefix sums over 0..size under single changes, both in O(log size) (a Fenwick tree). */
export class Fenwick {
  private readonly nodes: Float64Array

  constructor(size: number) {
    this.nodes = new Float64Array(size + 2)
  }

  /** Adds to the value at an index; one beyond the size is passed over. */
  add(index: number, delta: number): void {
    for (let node = index + 1; node < this.nodes.length; node += node & -node) this.nodes[node]! += delta
  }

  /** The sum of the values at 0..index. */
  prefix(index: number): number {
    let sum = 0
    for (let node = index + 1; node > 0; node -= node & -node) sum += this.nodes[node]!
    return sum
  }
}
