import { Effect, Layer } from "effect"
import { UploadPlaces } from "../knowledge/ports/UploadPlaces.ts"

/** Who has the one place for uploads of an organization. */
export class UploadPlaceTable {
  readonly #places = new Map<string, { readonly holder: string; readonly until: number }>()

  take(organizationId: string, holder: string, now: number, until: number): boolean {
    const place = this.#places.get(organizationId)
    if (place !== undefined && place.holder !== holder && place.until > now) return false
    this.#places.set(organizationId, { holder, until })
    return true
  }

  release(organizationId: string, holder: string): void {
    if (this.#places.get(organizationId)?.holder === holder) this.#places.delete(organizationId)
  }
}

export const uploadPlacesLayer = (table: UploadPlaceTable) =>
  Layer.succeed(UploadPlaces, {
    take: (organizationId, holder, { now, until }) => Effect.sync(() => table.take(organizationId, holder, now, until)),
    release: (organizationId, holder) => Effect.sync(() => table.release(organizationId, holder)),
  })
